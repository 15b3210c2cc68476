/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Completion queues.
 *
 * The ring contains the completions for ib_poll_cq(). The producers are the handlers of stream
 * events, and all other code that flushes a queue or calls xiw_sq_catch_up(), such as
 * xiw_post_send(). All producers hold CQ.lock with interrupts off. An entry is never overwritten:
 * an overrun raises CQ_ERR and ends the QPs that use the CQ. The CQ itself remains usable, and
 * every later overrun also ends the QPs. ib_poll_cq() skips an entry whose QP was destroyed.
 *
 * Only the poll of the CQ's vector calls the handler. While a CQ is on the list of its vector, the
 * list holds a reference. Destruction of a CQ waits until all references are dropped.
 */
#ifndef XIW_CQ_H
#define XIW_CQ_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
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
		u8 imm[8];		/* wire format; valid with IB_WC_WITH_IMM */
		u32 invalidated;	/* STag; valid with IB_WC_WITH_INVALIDATE */
	};
	struct ib_qp *qp;		/* NULL if the QP was destroyed: skip the entry */
	u32 byte_len;
	u32 vendor_err;		/* layer << 16 | etype << 8 | code of a Terminate */
	u8 status;		/* enum ib_wc_status */
	u8 opcode;		/* enum ib_wc_opcode */
	u8 flags;		/* enum ib_wc_flags */
};

struct xiw_cq {
	struct ib_cq ibcq;
	struct xiw_vector *vector;
	struct mutex walk;		/* for resize, clean and walks over QPs; before QP.reset */
	struct list_head senders;	/* QPs whose send queues use the CQ; protected by walk */
	struct list_head receivers;	/* QPs whose receives use the CQ; protected by walk */
	spinlock_t lock;		/* protects ring, arming and moderation */
	struct xiw_cqe *ring;
	u32 depth;			/* entries requested */
	u32 size;			/* entries allocated */
	struct xiw_cursor head, tail;	/* consumer, producer; a user's CQ uses only the indexes */
	struct xiw_user_area *user;	/* has the entries of a user's CQ; else NULL */
	enum { XIW_CQ_IDLE, XIW_CQ_SOLICITED, XIW_CQ_NEXT } armed;
	bool overrun;			/* overrun_work is queued to end the QPs */
	bool overran;			/* a completion has been dropped at some time */
	bool dropped;			/* a completion was dropped; overrun_work must end QPs */
	u16 moderate_count;		/* 0 and 1: off */
	u16 moderate_us;
	u32 since_notify;		/* completions whose handler call is delayed */
	bool urgent;			/* one of these completions cannot wait */
	bool timing;			/* moderate_timer is pending */
	struct task_struct *caller;	/* last task that added a flushed completion to the armed
					 * CQ; the pointer is compared, but never dereferenced
					 */
	unsigned long slept;		/* voluntary context switches of caller at that time */
	u32 hurry;			/* flushed completions that caller added without a sleep */
	struct hrtimer moderate_timer;
	atomic_t queued;		/* the CQ is on the vector's list */
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
 * @cqe: completion, which the function copies
 * @solicited: true if the completion notifies a CQ that is armed only for solicited completions; a
 *	completion with an error always does
 *
 * Drops the completion if the QP is being reset or destroyed.
 *
 * Context: any. Takes CQ.lock.
 */
void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited);

/*
 * Get the number of completions that the consumer has not polled. For a user's CQ, the function
 * reads the consumer index of the user, because CQ.head may be out of date. The user's index is
 * untrusted. CQ.lock is held. Return: at most the size of the CQ.
 */
u32 xiw_cq_entries(const struct xiw_cq *cq);

/*
 * Remove the completions of a QP that is being destroyed. Does nothing for a user's CQ, because
 * user space removes these completions.
 * Context: process, may sleep.
 */
void xiw_cq_clean(struct xiw_cq *cq, struct ib_qp *qp);

/**
 * xiw_cqs_settle - wait for pending handler calls
 * @cq: CQ
 * @other: another CQ, or @cq itself
 *
 * ib_core stops polling a CQ before it destroys the CQ. After the stop, ib_core expects no handler
 * call. So a caller that has removed completions waits for the handler calls that these completions
 * have caused.
 *
 * Context: process, may sleep.
 */
void xiw_cqs_settle(struct xiw_cq *cq, struct xiw_cq *other);

/*
 * Call the handler, and drop the reference of the vector's list. Context: softirq, the poll of the
 * CQ's vector.
 */
void xiw_cq_notify(struct xiw_cq *cq);

int xiw_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int xiw_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc);
int xiw_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int xiw_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us);

#endif
