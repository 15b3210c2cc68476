/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Verbs whose place or prototype in struct ib_device_ops differs between kernels. The driver
 * defines the functions that are declared here, with the prototypes of the newest kernel. The
 * driver's table of operations contains each XIW_OP_* macro on a line of its own, without a comma.
 */
#ifndef XIW_COMPAT_OPS_H
#define XIW_COMPAT_OPS_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/uverbs_ioctl.h>

struct ib_dmah;

int xiw_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);
int xiw_resize_cq(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata);
struct ib_mr *xiw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va,
			      int access, struct ib_dmah *dmah,
			      struct ib_udata *udata);
struct ib_mr *xiw_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				     u64 va, int fd, int access,
				     struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *attrs);
int xiw_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp,
			u32 port);
int xiw_counter_unbind_qp(struct ib_qp *qp, u32 port);

#ifdef HAVE_CREATE_CQ_ATTRS
#define XIW_OP_CREATE_CQ	.create_cq = xiw_create_cq,
#else
static inline int xiw_create_cq_udata(struct ib_cq *cq,
				      const struct ib_cq_init_attr *attr,
				      struct ib_udata *udata)
{
	struct uverbs_attr_bundle *attrs = NULL;

	if (udata)
		attrs = container_of(udata, struct uverbs_attr_bundle,
				     driver_udata);
	return xiw_create_cq(cq, attr, attrs);
}

#define XIW_OP_CREATE_CQ	.create_cq = xiw_create_cq_udata,
#endif

#ifdef HAVE_RESIZE_USER_CQ
#define XIW_OP_RESIZE_CQ	.resize_user_cq = xiw_resize_cq,
#else
static inline int xiw_resize_cq_int(struct ib_cq *cq, int cqe,
				    struct ib_udata *udata)
{
	return cqe < 0 ? -EINVAL : xiw_resize_cq(cq, cqe, udata);
}

#define XIW_OP_RESIZE_CQ	.resize_cq = xiw_resize_cq_int,
#endif

#ifdef HAVE_REG_USER_MR_DMAH
#define XIW_OP_REG_USER_MR	\
	.reg_user_mr = xiw_reg_user_mr, \
	.reg_user_mr_dmabuf = xiw_reg_user_mr_dmabuf,
#else
static inline struct ib_mr *
xiw_reg_user_mr_udata(struct ib_pd *pd, u64 start, u64 length, u64 va,
		      int access, struct ib_udata *udata)
{
	return xiw_reg_user_mr(pd, start, length, va, access, NULL, udata);
}

#ifdef HAVE_REG_DMABUF_ATTRS
static inline struct ib_mr *
xiw_reg_user_mr_dmabuf_old(struct ib_pd *pd, u64 offset, u64 length, u64 va,
			   int fd, int access, struct uverbs_attr_bundle *attrs)
{
	return xiw_reg_user_mr_dmabuf(pd, offset, length, va, fd, access, NULL,
				      attrs);
}
#else
static inline struct ib_mr *
xiw_reg_user_mr_dmabuf_old(struct ib_pd *pd, u64 offset, u64 length, u64 va,
			   int fd, int access, struct ib_udata *udata)
{
	return xiw_reg_user_mr_dmabuf(pd, offset, length, va, fd, access, NULL,
				      container_of(udata, struct uverbs_attr_bundle,
						   driver_udata));
}
#endif

#define XIW_OP_REG_USER_MR	\
	.reg_user_mr = xiw_reg_user_mr_udata, \
	.reg_user_mr_dmabuf = xiw_reg_user_mr_dmabuf_old,
#endif

#ifdef HAVE_COUNTER_PORT
#define XIW_OP_COUNTER_BIND_QP	\
	.counter_bind_qp = xiw_counter_bind_qp, \
	.counter_unbind_qp = xiw_counter_unbind_qp,
#else
static inline int xiw_counter_bind_qp_any(struct rdma_counter *counter,
					  struct ib_qp *qp)
{
	return xiw_counter_bind_qp(counter, qp, qp->port ?: 1);
}

static inline int xiw_counter_unbind_qp_any(struct ib_qp *qp)
{
	return xiw_counter_unbind_qp(qp, qp->port ?: 1);
}

#define XIW_OP_COUNTER_BIND_QP	\
	.counter_bind_qp = xiw_counter_bind_qp_any, \
	.counter_unbind_qp = xiw_counter_unbind_qp_any,
#endif

#ifdef HAVE_COUNTER_SIZE
/* ib_core calls counter_init without a check for NULL, so the driver must set counter_init. */
static inline void xiw_counter_init_nothing(struct rdma_counter *counter)
{
}

#define XIW_OP_COUNTER_SIZE(drv_struct, member) \
	.counter_init = xiw_counter_init_nothing, \
	INIT_RDMA_OBJ_SIZE(rdma_counter, drv_struct, member),
#else
/* ib_core allocates only a struct rdma_counter, so the driver stores its own data elsewhere. */
#define XIW_OP_COUNTER_SIZE(drv_struct, member)
#endif

#endif
