// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: one helper for operations without driver data
#include <rdma/uverbs_ioctl.h>

static int __maybe_unused probe(struct ib_udata *udata)
{
	return ib_no_udata_io(udata);
}
