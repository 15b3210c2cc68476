/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Completion queues.
 *
 * The ring has the completions for ib_poll_cq(). Producers are post_send and post_recv (flush)
 * and the stream events, all under CQ.lock with interrupts off. An entry is never overwritten:
 * an overrun raises CQ_ERR and ends the QPs that use the CQ. The CQ itself stays usable, and the
 * next overrun is handled alike. An entry whose QP was destroyed has no QP and is skipped.
 *
 * Only the poll of the CQ's vector calls the handler. A CQ on the vector's list holds one
 * reference; destroy waits for the last one.
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
	struct ib_qp *qp;		/* NULL: the QP was destroyed; skip the entry */
	u32 byte_len;
	u32 vendor_err;		/* layer << 16 | etype << 8 | code of a Terminate */
	u8 status;		/* enum ib_wc_status */
	u8 opcode;		/* enum ib_wc_opcode */
	u8 flags;		/* enum ib_wc_flags */
};

struct xiw_cq {
	struct ib_cq ibcq;
	struct xiw_vector *vector;
	struct mutex walk;		/* one resize or clean at a time; outside lock */
	spinlock_t lock;		/* ring, armed, moderation */
	struct xiw_cqe *ring;
	u32 depth;			/* entries requested */
	u32 size;			/* entries allocated */
	struct xiw_cursor head, tail;	/* consumer, producer; without slots if a user polls */
	struct xiw_user_area *user;	/* holds the entries if a user polls them; else NULL */
	enum { XIW_CQ_IDLE, XIW_CQ_SOLICITED, XIW_CQ_NEXT } armed;
	bool overrun;			/* overrun_work is pending: it ends the QPs */
	bool overran;			/* a completion has been dropped at some time */
	bool dropped;			/* dropped a completion of a QP that was not ending */
	u16 moderate_count;		/* 0 and 1: off */
	u16 moderate_us;
	u32 since_notify;		/* completions held back by moderation */
	bool timing;			/* moderate_timer is pending */
	struct task_struct *caller;	/* last task that queued the CQ; never dereferenced */
	unsigned long slept;		/* voluntary context switches of caller at that time */
	u32 hurry;			/* times in a row that caller queued it without sleeping */
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
 * @solicited: the completion also wakes a CQ that is armed for solicited completions only
 *
 * Any context; takes CQ.lock.
 */
void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited);

/*
 * Remove the completions of a QP that is being destroyed. For a user's CQ, the user does that.
 * Context: process, may sleep.
 */
void xiw_cq_clean(struct xiw_cq *cq, struct ib_qp *qp);

/**
 * xiw_cqs_settle - wait for pending handler calls
 * @cq: CQ
 * @other: another one, or the same
 *
 * ib_core stops a CQ's polling before it destroys the CQ, and expects no handler call after
 * that. So the caller that removes the last completions waits for the handler calls that they
 * have caused.
 *
 * Context: process, may sleep.
 */
void xiw_cqs_settle(struct xiw_cq *cq, struct xiw_cq *other);

/* Call the handler and drop the list's reference. Softirq, from the CQ's vector. */
void xiw_cq_notify(struct xiw_cq *cq);

int xiw_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xiw_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc);
int xiw_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int xiw_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us);

#endif
