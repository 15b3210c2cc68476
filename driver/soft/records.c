// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/records.h"

#include <linux/bvec.h>
#include <linux/sched/mm.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "soft/stream.h"

/* Number of segments that may arrive during a read after the last record with data. */
#define ARRIVALS_MAX 16

/* State of xiw_soft_records_read(). TLS calls pass_record() with BH enabled. */
struct reading {
	struct xiw_soft_stream *s;
	sk_read_actor_t actor;
	u32 octets, records;		/* octets that the actor has used; records from TLS */
	bool blocked;			/* the actor did not use all octets of a record */
	bool empty;			/* the last record had no octets; TLS may pass it again */
	bool progress;			/* the actor has used octets */
};

/* State of xiw_soft_records_take(). */
struct taking {
	struct xiw_soft_arrivals *arrivals;
	u8 *to;				/* room for the next octet; NULL to drop the octets */
	size_t left;			/* octets that the caller still wants */
	bool empty;			/* the last record had no octets; TLS may pass it again */
};

void xiw_soft_records_own(struct xiw_soft_stream *s)
{
	local_bh_enable();
	lock_sock(s->sk);
	local_bh_disable();
}

void xiw_soft_records_disown(struct xiw_soft_stream *s)
{
	local_bh_enable();
	release_sock(s->sk);
	local_bh_disable();
}

int xiw_soft_records_send(struct xiw_soft_stream *s)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	struct msghdr msg = {
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_SPLICE_PAGES,
	};
	int n;

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, batch->bv + batch->bv_first,
		      batch->bv_nr - batch->bv_first, batch->len - batch->sent);
	local_bh_enable();
	n = sock_sendmsg(s->sk->sk_socket, &msg);
	local_bh_disable();
	s->pushing = true;
	return n;
}

void xiw_soft_records_push(struct xiw_soft_stream *s)
{
	if (!s->pushing)
		return;
	xiw_soft_records_own(s);
	s->pushing = xiw_tls_pending(s->sk);
	if (s->pushing)
		s->old_write_space(s->sk);
	xiw_soft_records_disown(s);
	if (s->pushing)
		xiw_soft_stream_retry_in(s, max(1, HZ / 100));
}

static int pass_record(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset,
		       size_t len)
{
	struct reading *reading = desc->arg.data;
	read_descriptor_t inner = { .arg.data = reading->s, .count = 1 };
	struct xiw_soft_rx *rx = &reading->s->rx;
	int used;

	reading->empty = !len;
	/* Undo xiw_soft_records_limit(): TLS has passed a record with data. */
	if (len) {
		reading->s->arrivals.segments = 0;
		desc->count = 1;
	}
	local_bh_disable();
	used = reading->actor(&inner, skb, offset, len);
	local_bh_enable();
	reading->progress |= used > 0;
	/*
	 * Limit the pass. TLS also reads octets that arrive during the pass, so a fast peer could
	 * prolong the pass without limit. Count here, because the actor does not count octets that
	 * it drops.
	 */
	reading->octets += max(used, 0);
	rx->spent = reading->octets >= XIW_RX_PASS || ++reading->records >= XIW_RX_PASS_FPDUS;
	reading->blocked = used != (int)len;
	/* TLS keeps the unused octets of a record only if desc->count is 0. */
	if (reading->blocked || rx->spent)
		desc->count = 0;
	return used;
}

/*
 * A part of a record has arrived. Limit the time for the rest, as for an FPDU. Also run the stream
 * again later, because TLS may have had no memory for the rest. In this case, TLS does not notify
 * the stream when TLS reads the rest.
 */
static int wait_for_rest(struct xiw_soft_stream *s, bool progress)
{
	struct xiw_soft_stage *stage = &s->rx.stage;

	if (progress || !stage->record) {
		stage->record = true;
		stage->record_deadline = jiffies + msecs_to_jiffies(s->whole_ms);
	} else if (time_after_eq(jiffies, stage->record_deadline)) {
		xiw_soft_count(s->soft, framing_errors, 1);
		xiw_soft_count(s->soft, rx_dropped, 1);
		return -ETIMEDOUT;
	}
	xiw_soft_stream_retry_in(s, max(1, HZ / 10));
	return 1;
}

void xiw_soft_records_limit(struct xiw_soft_arrivals *arrivals)
{
	if (arrivals->count && ++arrivals->segments > ARRIVALS_MAX)
		*arrivals->count = 0;
}

void xiw_soft_records_arrived(struct xiw_soft_stream *s)
{
	xiw_soft_records_limit(&s->arrivals);
	xiw_soft_stream_defer(s, XIW_PEND_RUN);
}

int xiw_soft_records_read(struct xiw_soft_stream *s, sk_read_actor_t actor)
{
	struct reading reading = { .s = s, .actor = actor };
	read_descriptor_t desc = { .arg.data = &reading };
	struct socket *sock = s->sk->sk_socket;
	bool partial;
	int n;

	local_bh_enable();
	lock_sock(s->sk);
	xiw_tcp_ignore_urgent(s->sk);
	s->arrivals = (struct xiw_soft_arrivals){ .count = &desc.count };
	do {
		desc.count = 1;
		n = READ_ONCE(sock->ops)->read_sock(s->sk, &desc, pass_record);
	} while (n > 0 && !reading.blocked && !s->rx.spent);
	s->arrivals.count = NULL;
	reading.empty |= !n && !desc.count && !reading.blocked && !s->rx.spent;
	partial = xiw_tls_partial(s->sk);
	release_sock(s->sk);
	local_bh_disable();
	if (reading.empty)
		return -EPROTO;
	if (s->rx.spent)
		s->rx.stage.record = false;
	if (reading.blocked || s->rx.spent)
		return 1;
	if (n == -EAGAIN && partial)
		return wait_for_rest(s, reading.progress);
	s->rx.stage.record = false;
	if (n == -EAGAIN)
		return 1;
	/* If the peer has closed the connection inside a record, end the stream. */
	return !n && partial ? -EPROTO : n;
}

static int take_record(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset,
		       size_t len)
{
	struct taking *taking = desc->arg.data;
	size_t n = min(len, taking->left);

	taking->empty = !len;
	if (!len)
		return 0;
	if (taking->to) {
		if (WARN_ON_ONCE(skb_copy_bits(skb, offset, taking->to, n)))
			return -EFAULT;
		taking->to += n;
	}
	taking->left -= n;
	/* Undo xiw_soft_records_limit(): TLS has passed a record with data. */
	taking->arrivals->segments = 0;
	desc->count = taking->left;
	return n;
}

int xiw_soft_records_take(struct socket *sock, struct xiw_soft_arrivals *arrivals, void *buf,
			  u32 len)
{
	struct taking taking = { .arrivals = arrivals, .to = buf, .left = len };
	read_descriptor_t desc = { .arg.data = &taking, .count = len };
	struct sock *sk = sock->sk;
	int n;

	lock_sock(sk);
	xiw_tcp_ignore_urgent(sk);
	*arrivals = (struct xiw_soft_arrivals){ .count = &desc.count };
	n = READ_ONCE(sock->ops)->read_sock(sk, &desc, take_record);
	arrivals->count = NULL;
	release_sock(sk);
	if (!n && (taking.empty || !desc.count))
		return -EPROTO;
	/* TLS returns -EINVAL for a record of another type. */
	return n == -EINVAL ? -EPROTO : n;
}

static void records_work(struct work_struct *work)
{
	struct xiw_soft_stream *s = container_of(work, struct xiw_soft_stream, records);
	unsigned int noio = memalloc_noio_save();

	xiw_soft_stream_serve(s);
	memalloc_noio_restore(noio);
	xiw_soft_stream_put(s);
}

void xiw_soft_records_init(struct xiw_soft_stream *s)
{
	INIT_WORK(&s->records, records_work);
}

void xiw_soft_records_kick(struct xiw_soft_stream *s)
{
	refcount_inc(&s->refs);
	if (!queue_work(s->soft->wq, &s->records))
		xiw_soft_stream_put(s);
}
