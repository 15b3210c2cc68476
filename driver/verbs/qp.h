/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Queue pairs: one RDMAP stream each.
 *
 * The send queue holds complete TX descriptors. Posting encodes and stores a descriptor. The pump
 * (queue/sq.c) moves the descriptors to the RNIC's request ring in order, as ring room, ORD credits
 * and fences allow. The response pump (rdmap/inbound.c) moves the peer's requests to the response
 * ring. Completions are reported in posting order.
 *
 *	sq_head <= sq_sent <= sq_next <= sq_tail
 *	complete   sent by   in the     posted
 *	           the RNIC  TX ring
 *
 * Each entry of the send queue has room for the longest descriptor within the limits of the QP. The
 * send queue has as many entries as the creator of the QP requested, and at least one.
 *
 * The array of QPs holds a reference on a QP until the QP is destroyed. iw_cm, the connection of
 * the QP and handlers of events also hold references.
 */
#ifndef XIW_QP_H
#define XIW_QP_H

#include <linux/completion.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#include "cm/owner.h"
#include "core/irrq.h"
#include "core/orq.h"
#include "core/state.h"
#include "diag/recorder.h"
#include "diag/traffic.h"
#include "queue/cq.h"
#include "queue/cursor.h"
#include "ring/rnic.h"

struct xiw_conn;
struct xiw_counted;
struct xiw_device;
struct xiw_peer;
struct xiw_srq;
struct xiw_user_area;
struct xiw_vector;

enum xiw_wr_kind {
	XIW_WR_SEND,		/* Send, Write or Immediate; done when the RNIC has sent it */
	XIW_WR_READ,		/* done when the Read Response was placed */
	XIW_WR_ATOMIC,		/* done when the original value was placed */
	XIW_WR_LOCAL,		/* register, invalidate, bind */
};

enum xiw_wr_state {
	XIW_WR_QUEUED,
	XIW_WR_POSTED,		/* the work request is in the TX ring */
	XIW_WR_SENT,		/* the work request waits for its response */
	XIW_WR_DONE,
};

/*
 * Maximum number of work requests that are completed in one critical section. QP.sq_lock and
 * QP.rq_lock disable interrupts, so the critical section must be short.
 */
#ifdef CONFIG_XIW_UNBATCHED
#define XIW_FLUSH_BATCH XIW_MAX_QP_WR
#else
#define XIW_FLUSH_BATCH 64
#endif

enum xiw_wr_flag {
	XIW_WRF_SIGNALED = 1 << 0,
	XIW_WRF_FENCE = 1 << 1,
	XIW_WRF_IMM = 1 << 2,		/* an Immediate follows the Write */
	XIW_WRF_SOLICITED = 1 << 3,
};

struct xiw_sqe {
	u64 wr_id;
	u8 imm[8];		/* wire format */
	u32 byte_len;
	u32 tx_end;		/* ring index after the last descriptor */
	u32 request_id;		/* Request Identifier of an Atomic */
	u32 msn;		/* MSN that the RNIC assigns to the untagged message */
	u32 vendor_err;
	u32 posted;		/* time of the post, see latency.h; 0 if latency is not measured */
	u16 length;		/* octets of image[] */
	u8 kind;		/* enum xiw_wr_kind */
	u8 state;		/* enum xiw_wr_state */
	u8 status;		/* enum ib_wc_status */
	u8 opcode;		/* enum ib_wc_opcode */
	u8 flags;		/* enum xiw_wr_flag */
	u8 image[] __aligned(16);	/* struct xiw_tx_desc, and the octets that follow it */
};

/* A request of the peer. QP.irrq determines the index of the request in QP.inbound. */
struct xiw_inbound {
	u8 kind;		/* XIW_WR_READ or XIW_WR_ATOMIC */
	u8 header_length;
	u16 ulpdu_length;
	u32 tx_end;		/* response ring index after the response */
	/* The received header, for a Terminate and for the response to a Read Request. */
	u8 header[XIW_DDP_UNTAGGED_LEN + XIW_READ_REQ_LEN];
	struct xiw_atomic_req atomic;
};

/* A posted receive. */
struct xiw_rqe {
	u64 wr_id;
	u32 length;
	bool posted;		/* SRQs only: the RNIC has the receive */
};

struct xiw_qp {
	struct ib_qp ibqp;
	struct xiw_device *dev;
	struct xiw_vector *vector;
	u32 stream;
	struct xiw_owner owner;
	u32 share;			/* user that is charged for the QP, see share.h */
	refcount_t refs;
	struct completion released;
	bool going;			/* the QP is being destroyed and is hidden from iw_cm */
	bool discards;			/* a reset or destroy drops the completions of the QP */
	struct task_struct *looked_up_by;	/* task between xiw_get_qp() and xiw_add_ref() */
	struct list_head send_link, recv_link;	/* in CQ.senders and CQ.receivers */

	struct mutex reset;		/* serializes resets; only CQ.walk is taken before it */
	spinlock_t lock;		/* protects the members from state to sends */
	enum xiw_qps state;
	u32 stream_bits;		/* enum xiw_stream_state; written by the vector's poll */
	bool stopped;			/* the RNIC has stopped the stream */
	bool created;			/* the RNIC has the stream; process context only */
	struct delayed_work overdue;	/* time limit of an order; holds a reference while queued */
	struct xiw_conn *conn;
	struct xiw_peer *peer;		/* peer that is named by number, see peer.h; or NULL */
	bool sends;			/* if peer is set: the program has modified the QP to RTS */
	int access;			/* IB_ACCESS_*, as set by the consumer */
	u32 term_sent, term_received;	/* layer << 16 | etype << 8 | code; bit 31: valid */

	struct xiw_stream_ctx *ctx;
	u64 ctx_bus;
	u8 *tx_ring[XIW_TXQ_COUNT];
	u64 tx_bus[XIW_TXQ_COUNT];

	/* Send queue and request ring. */
	spinlock_t sq_lock ____cacheline_aligned_in_smp;
	u8 *sq;
	u32 sq_stride, sq_depth;
	struct xiw_cursor sq_head, sq_sent, sq_next, sq_tail;
	u32 tx_units;			/* units of each ring, a power of two */
	u32 tx_tail[XIW_TXQ_COUNT];	/* producer index, in units */
	u32 tx_head[XIW_TXQ_COUNT];	/* units that the RNIC has reported as done */
	struct xiw_orq orq;
	u32 msn[2];			/* next MSN that the RNIC assigns on queues 0 and 1 */
	struct xiw_cursor orq_next;	/* at or before the oldest outstanding Read or Atomic */
	u32 conn_flags;			/* enum xiw_conn_flag of the connection */
	bool rtr_due;			/* the RTR is a Read whose response is outstanding */
	bool tx_open;			/* the pump may put work requests into the ring */
	bool sq_sig_all;
	bool sq_flush;			/* new work requests complete with flush status */
	u8 sq_error;			/* status that a flush gives the oldest work request;
					 * 0: flush status
					 */
	struct xiw_user_area *user_sq;	/* NULL for a kernel QP */
	struct xarray bound;		/* STag indexes of MWs that may be bound to the stream */
	bool bound_any;			/* other MWs of the PD may be bound to the stream */

	/* Requests of the peer and the response ring, also protected by sq_lock. */
	struct xiw_irrq irrq;
	struct xiw_inbound *inbound;	/* array of irrq.depth entries; NULL if not connected */
	struct xiw_traffic sent;
	struct xiw_recorder recorder;	/* not allocated if the RNIC records segments */

	/* Receive queue, if the QP has no SRQ. */
	spinlock_t rq_lock ____cacheline_aligned_in_smp;
	struct xiw_srq *srq;
	u8 *rq;
	u64 rq_bus;
	struct xiw_rqe *rq_wr;		/* posted receives, in memory that the RNIC cannot write */
	u32 rq_mask, rq_depth, rq_log2_slot;	/* rq_mask: ring slots - 1, see xiw_rx_slots() */
	u32 rq_head, rq_tail;
	bool rq_flush;
	bool rq_bad;			/* a user has posted an invalid receive */
	u8 rq_error;			/* enum ib_wc_status of the receive whose message was not
					 * delivered; SUCCESS if there is none. Also used with an
					 * SRQ. Written under rq_lock
					 */
	struct xiw_user_area *user_rq;	/* NULL for a kernel QP, and with an SRQ */

	u32 max_send_sge, max_recv_sge, max_inline;

	/* Written by the vector's poll. */
	struct xiw_traffic received ____cacheline_aligned_in_smp;
	struct xiw_counted *counted;	/* NULL if the QP has no counter, qp_counter.c */
};

static inline struct xiw_qp *to_xiw_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct xiw_qp, ibqp);
}

static inline struct xiw_sqe *xiw_sqe(struct xiw_qp *qp, u32 slot)
{
	return (struct xiw_sqe *)(qp->sq + (size_t)slot * qp->sq_stride);
}

static inline void xiw_sq_advance(struct xiw_qp *qp, struct xiw_cursor *cursor)
{
	xiw_cursor_advance(cursor, qp->sq_depth);
}

/* Count the work requests that are not complete. sq_lock is held. */
static inline u32 xiw_sq_used(const struct xiw_qp *qp)
{
	return qp->sq_tail.index - qp->sq_head.index;
}

static inline void xiw_qp_get(struct xiw_qp *qp)
{
	refcount_inc(&qp->refs);
}

static inline void xiw_qp_put(struct xiw_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->released);
}

/* qp.c */
int xiw_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int xiw_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int xiw_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int xiw_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
struct ib_qp *xiw_get_qp(struct ib_device *ibdev, int qpn);
void xiw_add_ref(struct ib_qp *ibqp);
void xiw_rem_ref(struct ib_qp *ibqp);

/**
 * xiw_qp_next - iterate over the QPs of a device
 * @dev: device
 * @index: QP number at which to begin; on return, the number after the returned QP
 *
 * The iteration holds no lock between calls, because a device may have many QPs.
 *
 * Context: any except hard interrupts; the lock of the array is not held.
 *
 * Return: a QP with a reference, which the caller drops by xiw_qp_put(); NULL at the end.
 */
struct xiw_qp *xiw_qp_next(struct xiw_device *dev, unsigned long *index);

/*
 * End the stream of a QP, for a modify to SQE or ERR or after a CQ overrun. For a QP that has named
 * its peer by number, the function holds QP.reset, so that no reset runs at the same time; the
 * context must then be process context. For other QPs: any context.
 */
void xiw_qp_abort(struct xiw_qp *qp);

/* Call end() for every QP of a device. Process context. */
void xiw_qps_end(struct xiw_device *dev, void (*end)(struct xiw_qp *qp));

/* sq.c: any context, unless a comment specifies another one */
int xiw_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
/* Add one work request to the send queue. sq_lock is held. Return: 0 or an errno. */
int xiw_sq_post_one(struct xiw_qp *qp, const struct ib_send_wr *wr);
void xiw_sq_open(struct xiw_qp *qp, bool rtr_write, bool rtr_read, bool rtr_send);
void xiw_sq_tx_done(struct xiw_qp *qp, u32 index);
bool xiw_sq_catch_up(struct xiw_qp *qp);
void xiw_sq_lock_settled(struct xiw_qp *qp, unsigned long *flags) __acquires(&qp->sq_lock);
u32 xiw_sq_look(struct xiw_qp *qp);
void xiw_sq_tx_failed(struct xiw_qp *qp, u32 index, u8 rnic_status);
bool xiw_sq_answered(struct xiw_qp *qp, u32 cookie, u8 rnic_status);
enum xiw_fault xiw_sq_atomic_answered(struct xiw_qp *qp, const struct xiw_atomic_rsp *rsp,
				      u8 rnic_status);
struct xiw_sqe *xiw_sq_oldest_request(struct xiw_qp *qp);
void xiw_sq_name(struct xiw_qp *qp, struct xiw_sqe *sqe, u8 status, u32 vendor_err);
void xiw_sq_sink_refused(struct xiw_qp *qp, u32 stag, u64 to, u32 length);
void xiw_sq_flush(struct xiw_qp *qp);

/* rq.c */
int xiw_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
/* Get the binary logarithm of the size of an RX slot. The RNIC requires a power of two. */
static inline u32 xiw_rx_log2_slot(u32 max_sge)
{
	return ilog2(roundup_pow_of_two(sizeof(struct xiw_rx_desc) +
					max_sge * sizeof(struct xiw_sge)));
}

/*
 * Get the number of slots of the RX ring of a queue, a power of two. A kernel ULP posts to the
 * ring, so the ring has a slot for each entry. A user posts to the queue mapping, from which the
 * driver refills the ring. So the ring of a user may have fewer slots, if the RNIC limits the size
 * of the ring.
 */
static inline u32 xiw_rx_slots(const struct xiw_rnic *rnic, u32 depth, u32 log2_slot, bool user)
{
	u32 slots = roundup_pow_of_two(depth);

	return user ? min_t(u32, slots, BIT(rnic->ops->rx_log2_size - log2_slot)) : slots;
}

static inline struct xiw_rx_desc *xiw_rq_slot(struct xiw_qp *qp, u32 slot)
{
	return (struct xiw_rx_desc *)(qp->rq + ((size_t)slot << qp->rq_log2_slot));
}

int xiw_rx_encode(struct xiw_rx_desc *desc, u32 cookie, const struct ib_recv_wr *wr,
		  struct xiw_rqe *rqe);
bool xiw_rx_fits(const struct xiw_rqe *rqe, const struct xiw_cqe *cqe);
void xiw_rq_complete(struct xiw_qp *qp, u32 cookie, struct xiw_cqe *cqe, bool solicited);
void xiw_rq_name(struct xiw_qp *qp, enum ib_wc_status status);
void xiw_rq_flush(struct xiw_qp *qp);

#endif
