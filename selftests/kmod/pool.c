// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A pool of work requests, as in SMB Direct. A task posts until the pool is empty, and each
 * completion returns its work request to the pool. A work request on a QP in error completes
 * immediately, and so does a Write to a peer on this machine. If the completion handler runs inside
 * ib_post_send() or ib_post_recv(), the pool never becomes empty.
 */
#include "pool.h"

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "command.h"
#include "endpoint.h"
#include "session.h"

struct pool_entry {
	struct ib_cqe cqe;
	struct pool *pool;
	struct list_head node;
	union {
		struct ib_recv_wr receive;
		struct ib_rdma_wr write;	/* a Write of zero length */
	};
};

struct pool {
	struct xt_session *s;
	struct xt_ep *ep;
	struct task_struct *poster;	/* the task that posts; NULL if none does */
	bool receive;
	enum ib_wc_status expected;
	spinlock_t lock;		/* protects the members below */
	struct list_head free;
	unsigned int out;		/* posted and not completed */
	u64 inside;			/* completions handled on the stack of the posting task */
	u64 failed;			/* completions with an unexpected status */
	struct pool_entry entry[];
};

static void pool_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct pool_entry *entry = container_of(wc->wr_cqe, struct pool_entry, cqe);
	struct pool *pool = entry->pool;
	struct xt_session *s = pool->s;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	list_add_tail(&entry->node, &pool->free);
	pool->inside += pool->poster == current;
	pool->failed += wc->status != pool->expected;
	pool->out--;
	spin_unlock_irqrestore(&pool->lock, flags);
	xt_kick(s);
}

static struct pool_entry *pool_take(struct pool *pool)
{
	struct pool_entry *entry;

	spin_lock_irq(&pool->lock);
	entry = list_first_entry_or_null(&pool->free, struct pool_entry, node);
	if (entry) {
		list_del(&entry->node);
		pool->out++;
	}
	spin_unlock_irq(&pool->lock);
	return entry;
}

static void pool_give_back(struct pool *pool, struct pool_entry *entry)
{
	spin_lock_irq(&pool->lock);
	list_add(&entry->node, &pool->free);
	pool->out--;
	spin_unlock_irq(&pool->lock);
}

static int pool_post(struct pool *pool, struct pool_entry *entry)
{
	return pool->receive ? ib_post_recv(pool->ep->qp, &entry->receive, NULL) :
			       ib_post_send(pool->ep->qp, &entry->write.wr, NULL);
}

/*
 * Post until the pool is empty. Return: number of posts, or a negative errno; -ELOOP if the pool is
 * not empty after @limit posts.
 */
static int pool_empty(struct pool *pool, unsigned int limit)
{
	struct pool_entry *entry;
	unsigned int posts = 0;
	int err = 0;

	pool->poster = current;
	while ((entry = pool_take(pool))) {
		err = posts == limit ? -ELOOP : pool_post(pool, entry);
		if (err) {
			pool_give_back(pool, entry);
			break;
		}
		posts++;
	}
	spin_lock_irq(&pool->lock);
	pool->poster = NULL;
	spin_unlock_irq(&pool->lock);
	return err ?: posts;
}

static bool pool_is_back(void *arg)
{
	struct pool *pool = arg;
	bool back;

	spin_lock_irq(&pool->lock);
	back = !pool->out;
	spin_unlock_irq(&pool->lock);
	return back;
}

static void pool_init(struct pool *pool, unsigned int n)
{
	unsigned int i;

	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->free);
	for (i = 0; i < n; i++) {
		struct pool_entry *entry = &pool->entry[i];

		entry->pool = pool;
		entry->cqe.done = pool_done;
		if (pool->receive) {
			entry->receive.wr_cqe = &entry->cqe;
		} else {
			entry->write.wr.wr_cqe = &entry->cqe;
			entry->write.wr.opcode = IB_WR_RDMA_WRITE;
			entry->write.wr.send_flags = IB_SEND_SIGNALED;
		}
		list_add_tail(&entry->node, &pool->free);
	}
}

/*
 * The QP must be in the error state or, with open=1, connected. Its CQs must not use poll=event.
 */
int xt_pool_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int n = xt_arg_max(a, "n", 64, 16384);
	unsigned int limit = xt_arg_max(a, "limit", 100 * n, INT_MAX);
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	bool open = xt_arg_num(a, "open", 0);
	struct pool *pool;
	int posts, err;

	if (a->err)
		return a->err;
	if (!n || ep->cfg.poll == XT_EVENT)
		return -EINVAL;
	pool = kvzalloc(struct_size(pool, entry, n), GFP_KERNEL);
	if (!pool)
		return -ENOMEM;
	pool->s = s;
	pool->ep = ep;
	pool->receive = !strcmp(xt_arg_str(a, "q", "recv"), "recv");
	pool->expected = open ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR;
	pool_init(pool, n);
	posts = pool_empty(pool, limit);
	err = xt_wait(s, pool_is_back, pool, ms);
	xt_say(s, " posts=%d inside=%llu failed=%llu", posts, pool->inside, pool->failed);
	/* After a timeout, a late completion may still use the pool, so leak the pool. */
	if (!err)
		kvfree(pool);
	return posts < 0 ? posts : err;
}
