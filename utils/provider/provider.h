/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The libibverbs provider of xiw. Each object begins with the object of libibverbs to which
 * applications have pointers. Each work queue has one lock, and a CQ has two. The provider holds
 * the lock of an SQ while it rings the doorbell. So it can remove a refused slot before another
 * thread posts.
 */
#ifndef XIW_PROVIDER_H
#define XIW_PROVIDER_H

#include <pthread.h>

#include "clock.h"
#include "pabi.h"
#include "ring.h"
#include "slot.h"

struct xiw_context {
	struct verbs_context base;
	struct xiw_abi_alloc_ucontext_resp limits;
};

/* A thread domain. */
struct xiw_td {
	struct ibv_td td;
	unsigned int parents;		/* number of parent domains with this thread domain */
};

/* A protection domain of the kernel, or a parent domain over a protection domain. */
struct xiw_pd {
	struct ibv_pd pd;
	struct xiw_pd *contained;	/* protection domain of a parent domain; otherwise NULL */
	struct xiw_td *td;		/* thread domain of a parent domain, or NULL */
	unsigned int parents;		/* number of parent domains over this domain */
};

/* The uverbs command that serves as a doorbell. Its contents never change. */
struct xiw_doorbell {
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send post;	/* all POST_* commands have this layout */
	} cmd;
	struct ib_uverbs_post_send_resp resp;
	int fd;
};

struct xiw_cq {
	struct verbs_cq base;
	pthread_spinlock_t lock;	/* held from start_poll to end_poll */
	pthread_spinlock_t arm_lock;	/* protects ring.shared->arm; taken after lock */
	struct xiw_ring ring;		/* replaced with both locks held */
	const struct xiw_abi_cqe *current;	/* current entry, from start_poll to end_poll */
	struct xiw_clock_offset wall;		/* used only by the thread that polls */
};

struct xiw_srq {
	struct ibv_srq base;
	pthread_mutex_t lock;
	struct xiw_ring ring;
	struct xiw_doorbell bell;
	uint32_t max_sge;
};

struct xiw_qp {
	struct verbs_qp base;
	struct xiw_slot_limits limits;
	bool signal_all;

	pthread_mutex_t sq_lock;
	struct xiw_ring sq;
	struct xiw_doorbell sq_bell;
	struct xiw_abi_send *slot;	/* ibv_wr_*: slot that is being built */
	uint32_t sq_next;		/* ibv_wr_*: index of the next slot */
	int sq_err;			/* ibv_wr_*: first error since wr_start */
	void *scratch;			/* ibv_wr_*: slot for work requests after an error */

	pthread_mutex_t rq_lock;
	struct xiw_ring rq;
	struct xiw_doorbell rq_bell;
	uint32_t max_recv_sge;
};

static inline struct xiw_context *to_xiw_context(struct ibv_context *context)
{
	return (struct xiw_context *)((char *)context -
				      offsetof(struct xiw_context, base.context));
}

static inline struct xiw_pd *to_xiw_pd(struct ibv_pd *pd)
{
	return (struct xiw_pd *)((char *)pd - offsetof(struct xiw_pd, pd));
}

static inline struct xiw_td *to_xiw_td(struct ibv_td *td)
{
	return (struct xiw_td *)((char *)td - offsetof(struct xiw_td, td));
}

static inline struct xiw_cq *to_xiw_cq(struct ibv_cq *cq)
{
	return (struct xiw_cq *)((char *)cq - offsetof(struct xiw_cq, base.cq));
}

static inline struct xiw_srq *to_xiw_srq(struct ibv_srq *srq)
{
	return (struct xiw_srq *)((char *)srq - offsetof(struct xiw_srq, base));
}

static inline struct xiw_qp *to_xiw_qp(struct ibv_qp *qp)
{
	return (struct xiw_qp *)((char *)qp - offsetof(struct xiw_qp, base.qp));
}

/* device.c: check for a device of this provider */
bool xiw_is_ours(const struct ibv_device *device);

/* map.c: a result of type int is 0 or an errno */
int xiw_map(struct ibv_context *context, struct xiw_ring *ring, const struct xiw_abi_queue *queue);
void xiw_unmap(struct xiw_ring *ring);
/*
 * Reserve addresses for a queue of @length octets, so that the mapping cannot fail because of the
 * limits of the process. xiw_map_reserved() uses the reservation, or gives it back if the queue has
 * another length. xiw_reserve() returns NULL and sets errno if it fails.
 */
void *xiw_reserve(size_t length);
void xiw_unreserve(void *place, size_t length);
int xiw_map_reserved(struct ibv_context *context, struct xiw_ring *ring,
		     const struct xiw_abi_queue *queue, void *place, size_t length);
void xiw_doorbell_init(struct xiw_doorbell *bell, int fd, uint32_t command, uint32_t handle,
		       uint32_t wqe_size);
int xiw_doorbell_ring(struct xiw_doorbell *bell);

/* domain.c */
struct ibv_pd *xiw_alloc_pd(struct ibv_context *context);
int xiw_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *xiw_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int xiw_dealloc_td(struct ibv_td *td);
struct ibv_pd *xiw_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr);
/* memory.c */
struct ibv_mr *xiw_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access);
struct ibv_mr *xiw_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				 int fd, int access);
int xiw_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access);
int xiw_dereg_mr(struct verbs_mr *mr);
struct ibv_mw *xiw_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int xiw_dealloc_mw(struct ibv_mw *mw);

/* cq.c */
struct ibv_cq *xiw_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector);
struct ibv_cq_ex *xiw_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int xiw_resize_cq(struct ibv_cq *ibcq, int cqe);
int xiw_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr);
int xiw_destroy_cq(struct ibv_cq *ibcq);
int xiw_poll_cq(struct ibv_cq *ibcq, int entries, struct ibv_wc *wc);
int xiw_req_notify_cq(struct ibv_cq *ibcq, int solicited);

/* cq_ex.c */
void xiw_cq_ex_ops(struct ibv_cq_ex *cq, uint64_t wc_flags);

/* srq.c */
struct ibv_srq *xiw_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int xiw_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask);
int xiw_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr);
int xiw_destroy_srq(struct ibv_srq *ibsrq);

/* qp.c */
struct ibv_qp *xiw_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *xiw_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int xiw_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask);
int xiw_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init);
int xiw_destroy_qp(struct ibv_qp *ibqp);

/* post.c */
/*
 * Check for room for a slot at index @next. sq_lock is held. Completed unsignaled work requests may
 * occupy their slots until the doorbell rings. So if there is no room, and all slots before @next
 * are posted, this function rings the doorbell and checks again. Return: true if there is room.
 */
bool xiw_sq_has_room(struct xiw_qp *qp, uint32_t next);
int xiw_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int xiw_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int xiw_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/* wr.c: set the ibv_wr_* functions of a QP; returns 0 or EOPNOTSUPP */
int xiw_wr_ops(struct xiw_qp *qp, uint32_t caps, uint64_t send_ops);
struct xiw_abi_send *xiw_wr_slot(struct ibv_qp_ex *ibqp, uint8_t opcode, uint32_t rkey,
				 uint64_t remote_addr);

extern const struct verbs_device_ops xiw_device_ops;

#endif
