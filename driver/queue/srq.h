/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Shared receive queues. Streams take receives in order, but complete them in any order. So the
 * cookie of a receive is an index into wr[], and the free cookies form a stack.
 */
#ifndef XIW_SRQ_H
#define XIW_SRQ_H

#include <rdma/ib_verbs.h>
#include <rnic/xiw_rnic.h>

struct xiw_cqe;
struct xiw_rqe;
struct xiw_user_area;

struct xiw_srq {
	struct ib_srq ibsrq;
	u32 index;
	u32 share;			/* user whose share is charged, share.h */
	spinlock_t lock;		/* protects all members below */
	u8 *ring;
	u64 ring_bus;
	struct xiw_shared_rx_ctx *ctx;
	u64 ctx_bus;
	struct xiw_rqe *wr;
	u32 *free;			/* stack of free cookies */
	u32 free_count;
	u32 mask, depth, log2_slot, max_sge;	/* mask: number of slots of the ring - 1 */
	u32 tail;
	u32 unread;			/* receives posted by a user and not yet in the ring */
	u32 limit;			/* SRQ limit; 0: not armed */
	u32 qps;			/* QPs that use the SRQ */
	struct xiw_user_area *user;	/* NULL for a kernel SRQ */
	bool bad;			/* a user has posted an invalid receive */
};

static inline struct xiw_srq *to_xiw_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct xiw_srq, ibsrq);
}

int xiw_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int xiw_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata);
int xiw_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int xiw_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int xiw_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/* Add and remove a QP that uses the SRQ. Context: process. */
void xiw_srq_join(struct xiw_srq *srq);
void xiw_srq_leave(struct xiw_srq *srq);

/*
 * Put a receive into the RNIC's ring. SRQ.lock is held, and a cookie is free. Return: 0 or -EINVAL.
 */
int xiw_srq_put(struct xiw_srq *srq, const struct ib_recv_wr *wr);

/*
 * Complete a receive: free the cookie, and set the wr_id of @cqe. No lock is held. Return: false if
 * no posted receive has the cookie, or the message is longer than the receive.
 */
bool xiw_srq_consumed(struct xiw_srq *srq, u32 cookie, struct xiw_cqe *cqe);

#endif
