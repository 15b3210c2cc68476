/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Completion queues.
 *
 * The ring holds what ib_poll_cq() will report. Producers are post_send and
 * post_recv (flush), and the stream events; all under CQ.lock, irqs off. An entry
 * is never overwritten: an overrun raises CQ_ERR and ends the QPs that use the CQ.
 * The CQ itself goes on, and the next overrun is treated alike. An entry whose QP
 * was destroyed has none any more, and is skipped.
 *
 * The handler is called from the poll of the CQ's vector only. While a CQ is on
 * that vector's list it holds one reference; destroy waits for the last.
 */
#ifndef XIW_CQ_H
#define XIW_CQ_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "queue/cursor.h"

struct xiw_qp;
struct xiw_user_area;
struct xiw_vector;

struct xiw_cqe {
	u64 wr_id;
	union {
		u8 imm[8];		/* as on the wire; valid with IB_WC_WITH_IMM */
		u32 invalidated;	/* STag; valid with IB_WC_WITH_INVALIDATE */
	};
	struct ib_qp *qp;		/* NULL: of a QP that was destroyed, nobody's */
	u32 byte_len;
	u32 vendor_err;		/* layer << 16 | etype << 8 | code, of a Terminate */
	u8 status;		/* enum ib_wc_status */
	u8 opcode;		/* enum ib_wc_opcode */
	u8 flags;		/* enum ib_wc_flags */
};

struct xiw_cq {
	struct ib_cq ibcq;
	struct xiw_vector *vector;
	struct mutex walk;		/* one resize or clean at a time; outside of lock */
	spinlock_t lock;		/* ring, armed, moderation */
	struct xiw_cqe *ring;
	u32 depth;			/* entries asked for */
	u32 size;			/* and there */
	struct xiw_cursor head, tail;	/* consumer, producer; a user's have no slots */
	struct xiw_user_area *user;	/* has the entries, if a user polls them; else NULL */
	enum { XIW_CQ_IDLE, XIW_CQ_SOLICITED, XIW_CQ_NEXT } armed;
	bool overrun;			/* overrun_work is to end its QPs */
	bool overran;			/* a completion has been dropped, ever */
	bool dropped;			/* one has been dropped of a QP that was not ending */
	u16 moderate_count;		/* 0 and 1: off */
	u16 moderate_us;
	u32 since_notify;		/* completions held back by moderation */
	bool timing;			/* moderate_timer is to expire */
	struct task_struct *caller;	/* the last task that queued it; only compared */
	unsigned long slept;		/* its voluntary context switches then */
	u32 hurry;			/* times in a row that it did so without sleeping */
	struct hrtimer moderate_timer;
	atomic_t queued;		/* on the vector's list */
	struct llist_node notify;
	refcount_t refs;
	struct completion released;
	struct work_struct overrun_work;
};

static inline struct xiw_cq *to_xiw_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct xiw_cq, ibcq);
}

/**
 * xiw_cq_push - add a completion
 * @cq: CQ
 * @cqe: completion; it is copied
 * @solicited: wakes a CQ armed for solicited completions only
 *
 * Any context; takes CQ.lock.
 */
void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited);

/*
 * Forget the completions of a QP that is being destroyed. A user does that itself. Context:
 * process, may sleep.
 */
void xiw_cq_clean(struct xiw_cq *cq, struct ib_qp *qp);

/**
 * xiw_cqs_settle - wait for the handler calls that are due
 * @cq: CQ
 * @other: another one, or the same
 *
 * ib_core stops a CQ's polling before it destroys the CQ and expects no call of the
 * handler after that, so who takes the last completions away waits for what they
 * have caused.
 *
 * Context: process, may sleep.
 */
void xiw_cqs_settle(struct xiw_cq *cq, struct xiw_cq *other);

/* Softirq, from the CQ's vector: call the handler, drop the list's reference. */
void xiw_cq_notify(struct xiw_cq *cq);

int xiw_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xiw_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc);
int xiw_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int xiw_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us);

#endif
