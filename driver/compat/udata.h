/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Functions that copy the driver data of a verb. If the user's input is longer than the driver's
 * structure, the excess must be zero. If the user's output buffer is longer than the driver's
 * structure, these functions clear the excess.
 */
#ifndef XIW_COMPAT_UDATA_H
#define XIW_COMPAT_UDATA_H

#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#ifndef HAVE_RESPOND_UDATA
static inline int xiw_udata_in(struct ib_udata *udata, void *req, size_t size,
			       size_t min_size)
{
	int err;

	if (udata->inlen < min_size)
		return -EINVAL;
	err = copy_struct_from_user(req, size, udata->inbuf, udata->inlen);
	return err == -E2BIG ? -EOPNOTSUPP : err;
}

static inline int xiw_udata_out(struct ib_udata *udata, const void *rep,
				size_t size)
{
	size_t len = min(size, udata->outlen);

	if (copy_to_user(udata->outbuf, rep, len) ||
	    clear_user(udata->outbuf + len, udata->outlen - len))
		return -EFAULT;
	return 0;
}

#define ib_copy_validate_udata_in(udata, req, end_member)	\
	xiw_udata_in(udata, &(req), sizeof(req),		\
		     offsetofend(typeof(req), end_member))

#define ib_respond_udata(udata, rep) \
	xiw_udata_out(udata, &(rep), sizeof(rep))

static inline int ib_is_udata_in_empty(struct ib_udata *udata)
{
	if (!udata || !udata->inlen)
		return 0;
	return xiw_udata_in(udata, NULL, 0, 0);
}
#endif

#endif
