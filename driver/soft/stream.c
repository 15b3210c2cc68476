// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Life of a stream. An admin command creates the stream, and its connection opens the stream on a
 * socket. An order, the peer or a loss of the connection stops the stream. Then the stream returns
 * the socket to the connection. Another admin command destroys the stream.
 *
 * The order TERMINATE stops a stream in two steps. First, the RNIC stops accessing rings, buffers
 * and STags of the driver, and immediately reports XIW_ST_STOPPED. Then the RNIC sends octets that
 * are in its own pages: the end of an FPDU that is partly in TCP, and the Terminate. The linger
 * timer of the connection limits the second step.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "diag/trace.h"
#include "soft/records.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"
#include "soft/tx.h"

/* The software RNIC itself gives this order, see xiw_soft_stream_abort(). */
#define ORDER_LOST 1

/* ------------------------------------------------------------- references */

static void stream_free(struct rcu_head *head)
{
	struct xiw_soft_stream *s = container_of(head, struct xiw_soft_stream, rcu);

	if (s->sk)
		sock_put(s->sk);
	xiw_recorder_free(&s->recorder);
	kvfree(s->rx.core.fifo.entry);
	kvfree(s->rx.stage.linear);
	kvfree(s->tx.linear);
	atomic_dec(&s->soft->nr_streams);
	kfree(s);
}

struct xiw_soft_stream *xiw_soft_stream_get(struct xiw_soft *soft, u32 index)
{
	struct xiw_soft_stream *s;

	rcu_read_lock();
	s = xa_load(&soft->streams, index);
	if (s && !refcount_inc_not_zero(&s->refs))
		s = NULL;
	rcu_read_unlock();
	return s;
}

void xiw_soft_stream_put(struct xiw_soft_stream *s)
{
	if (refcount_dec_and_test(&s->refs))
		call_rcu(&s->rcu, stream_free);
}

/**
 * xiw_soft_stream_defer - queue the stream for the poll of its vector
 * @s: stream; the caller holds a reference or is under RCU
 * @why: enum xiw_soft_pending
 *
 * A context that sees the bit also sees all writes before this call. Any context.
 */
void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why)
{
	/* pairs with the acquire in leaving(), and with test_and_clear_bit() */
	smp_mb__before_atomic();
	set_bit(why, &s->pending);
	if (test_and_set_bit(XIW_PEND_QUEUED, &s->pending))
		return;
	if (!refcount_inc_not_zero(&s->refs))
		return;
	llist_add(&s->work, &s->vec->work);
	xiw_rnic_interrupt(s->soft->rnic, s->vec->index);
}

/* ------------------------------------------------------------------- state */

/* Raise a state event. state_lock is held, and room for the event is reserved. */
static void state_commit(struct xiw_soft_stream *s)
{
	const struct xiw_event ev = {
		.type = XIW_EV_STATE,
		.stream = cpu_to_le32(s->index),
		.state.bits = cpu_to_le32(s->bits),
		.state.rx_taken = cpu_to_le32(s->rx_taken),
	};

	clear_bit(XIW_PEND_STATE, &s->pending);
	xiw_soft_event_commit(s->vec, &ev,
			      offsetof(struct xiw_event, state) + sizeof(ev.state));
}

/* Raise a state event, under state_lock. An event that waits also reports bits added later. */
static void state_event(struct xiw_soft_stream *s)
{
	if (xiw_soft_event_reserve(s->vec, 1)) {
		state_commit(s);
	} else {
		set_bit(XIW_PEND_STATE, &s->pending);
		xiw_soft_event_stall(s->vec, s, 1);
	}
}

/* Add bits to the state. state_lock is held. Return: true if a bit is new and must be reported. */
static bool state_add(struct xiw_soft_stream *s, u32 bits)
{
	if (!s->ctx || !(bits & ~s->bits))
		return false;
	s->bits |= bits;
	trace_xiw_stream_state(s->index, s->bits);
	return true;
}

/**
 * xiw_soft_stream_state - report state bits
 * @s: stream
 * @bits: enum xiw_stream_state
 *
 * Bits that are already set raise no event. Any context except hard interrupts.
 */
void xiw_soft_stream_state(struct xiw_soft_stream *s, u32 bits)
{
	unsigned long flags;

	spin_lock_irqsave(&s->state_lock, flags);
	if (state_add(s, bits))
		state_event(s);
	spin_unlock_irqrestore(&s->state_lock, flags);
}

/**
 * xiw_soft_stream_state_reserved - report state bits before all later events
 * @s: stream
 * @bits: enum xiw_stream_state
 *
 * Uses the room for one event that the caller has reserved. Any context except hard interrupts.
 */
void xiw_soft_stream_state_reserved(struct xiw_soft_stream *s, u32 bits)
{
	unsigned long flags;
	bool news;

	spin_lock_irqsave(&s->state_lock, flags);
	news = state_add(s, bits);
	if (news)
		state_commit(s);
	spin_unlock_irqrestore(&s->state_lock, flags);
	if (!news)
		xiw_soft_event_cancel(s->vec, 1);
}

static void state_retry(struct xiw_soft_stream *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->state_lock, flags);
	if (s->ctx && test_bit(XIW_PEND_STATE, &s->pending))
		state_event(s);
	spin_unlock_irqrestore(&s->state_lock, flags);
}

/* ------------------------------------------------------------------ timers */

static void retry_timer(struct timer_list *t)
{
	struct xiw_soft_stream *s = timer_container_of(s, t, retry);

	xiw_soft_stream_defer(s, XIW_PEND_RUN);
}

static void wait_timer(struct timer_list *t)
{
	struct xiw_soft_stream *s = timer_container_of(s, t, wait);

	xiw_soft_stream_defer(s, XIW_PEND_WAIT_OVER);
}

static void late_timer(struct timer_list *t)
{
	struct xiw_soft_stream *s = timer_container_of(s, t, late);

	xiw_soft_stream_defer(s, XIW_PEND_LATE);
}

/* ---------------------------------------------------------------- stopping */

/* Restore the callbacks of the connection, and return the socket to it. Socket lock. */
static void detach(struct xiw_soft_stream *s, bool reset)
{
	struct sock *sk = s->sk;

	if (!s->attached)
		return;
	s->attached = false;
	xiw_soft_tx_drop(s);
	xiw_soft_rx_drop(s);
	if (s->tls)
		xiw_soft_records_own(s);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = s->old_data_ready;
	sk->sk_write_space = s->old_write_space;
	sk->sk_state_change = s->old_state_change;
	rcu_assign_sk_user_data(sk, s->old_user_data);
	write_unlock_bh(&sk->sk_callback_lock);
	if (s->tls)
		xiw_soft_records_disown(s);
	timer_delete(&s->wait);
	timer_delete(&s->late);
	/* Keep the retry timer: it must repeat a pass that found the socket owned. */
	xiw_soft_conn_release(s->conn, reset);
}

/* Return rings, buffers and STags to the driver. Socket lock. */
static void stop(struct xiw_soft_stream *s, u32 bits)
{
	unsigned long flags;

	if (!s->stopped) {
		s->stopped = true;
		xiw_soft_rx_stop(s);
		if (s->tx.wait_inv)
			xiw_soft_stag_forget(s, s->tx.inv_stag);
		xiw_soft_receive_unpark(s);
		spin_lock_irqsave(&s->state_lock, flags);
		if (s->rx.recv.taken)
			s->rx_taken = s->rx.recv.cookie;
		spin_unlock_irqrestore(&s->state_lock, flags);
		bits |= XIW_ST_STOPPED;
	}
	xiw_soft_stream_state(s, bits);
}

/* Handle a loss of the TCP connection. Socket lock. */
void xiw_soft_stream_lost(struct xiw_soft_stream *s)
{
	stop(s, XIW_ST_LOST);
	detach(s, true);
}

/* Handle the peer's FIN after a complete FPDU. Socket lock. */
void xiw_soft_stream_peer_closed(struct xiw_soft_stream *s)
{
	s->peer_fin = true;
	if (s->stopped)
		return;
	if (s->tx.fin) {
		stop(s, XIW_ST_PEER_CLOSED);
		detach(s, false);
	} else {
		xiw_soft_stream_state(s, XIW_ST_PEER_CLOSED);
	}
}

/* Continue a Terminate or a close when TX has nothing left to send. Socket lock. */
void xiw_soft_stream_tx_idle(struct xiw_soft_stream *s)
{
	if (s->terminating) {
		if (s->tx.term)
			xiw_soft_stream_state(s, XIW_ST_TERM_SENT);
		detach(s, false);
	} else if (s->closing && !s->tx.fin) {
		s->tx.fin = true;
		xiw_soft_conn_fin(s->conn);
		if (s->peer_fin) {
			stop(s, 0);
			detach(s, false);
		}
	}
}

static void terminate(struct xiw_soft_stream *s)
{
	if (s->terminating || !s->attached)
		return;
	s->terminating = true;
	xiw_soft_conn_linger(s->conn);
	xiw_soft_tx_terminate(s);
	stop(s, 0);
	/* If a FIN was requested, TX does not run again, so detach here. */
	if (s->tx.fin)
		detach(s, false);
}

/* Execute orders. Of the orders that end the stream, execute only the strongest. Socket lock. */
static void obey(struct xiw_soft_stream *s, int orders)
{
	if (orders & 1 << XIW_ORDER_RECEIVE)
		s->receiving = true;
	if (orders & ORDER_LOST) {
		xiw_soft_stream_lost(s);
	} else if (orders & 1 << XIW_ORDER_ABORT) {
		stop(s, 0);
		detach(s, true);
	} else if (orders & 1 << XIW_ORDER_TERMINATE) {
		terminate(s);
	} else if (orders & 1 << XIW_ORDER_CLOSE && !s->stopped) {
		s->closing = true;
		if (s->attached)	/* limit the time: a slow peer can delay our FIN */
			xiw_soft_conn_linger(s->conn);
	}
}

/*
 * End a stream. Afterwards, the RNIC no longer accesses memory of the driver. A connection that
 * lingers keeps its own reference to the stream. Call this once, with @gone set. Do not hold the
 * socket lock: on PREEMPT_RT, timer_shutdown_sync() also waits for other timers that expire at the
 * same time, and timers of TCP take the socket lock.
 */
static void destroy(struct xiw_soft_stream *s)
{
	struct xiw_soft *soft = s->soft;
	unsigned long flags;

	timer_shutdown_sync(&s->retry);
	timer_shutdown_sync(&s->wait);
	timer_shutdown_sync(&s->late);
	xiw_soft_receive_unpark(s);
	spin_lock_irqsave(&s->state_lock, flags);
	s->ctx = NULL;
	spin_unlock_irqrestore(&s->state_lock, flags);
	xiw_soft_event_unstall(s->vec, s);
	if (s->destroy_answer)
		xiw_soft_admin_done(soft, s->destroy_tag, XIW_OK);
	xiw_soft_stream_put(s);		/* the reference of soft->streams */
}

/* ------------------------------------------------------------------ passes */

/* Return: true if the stream must be destroyed. The writes of take_out() are then visible. */
static bool leaving(const struct xiw_soft_stream *s)
{
	/* acquire: pairs with the barrier in xiw_soft_stream_defer() */
	return smp_load_acquire(&s->pending) & BIT(XIW_PEND_DESTROY) && !s->gone;
}

/* Socket lock, BH disabled. Return: true if the stream has detached and must be destroyed. */
static bool service(struct xiw_soft_stream *s)
{
	/*
	 * Read the socket's state before the RX pass. acquire: if the socket is closed, all octets
	 * of the peer are already queued, and the RX pass reads them.
	 */
	bool closed = smp_load_acquire(&s->sk->sk_state) == TCP_CLOSE;
	bool more = false;

	if (test_bit(XIW_PEND_STATE, &s->pending))
		state_retry(s);
	if (unlikely(atomic_read(&s->orders)))
		obey(s, atomic_xchg(&s->orders, 0));
	if (test_and_clear_bit(XIW_PEND_WAIT_OVER, &s->pending))
		xiw_soft_rx_wait_over(s);
	if (s->attached && s->receiving)
		more = xiw_soft_rx_run(s);
	/* Check the deadline after the RX pass, because the rest of the FPDU may have arrived. */
	if (test_and_clear_bit(XIW_PEND_LATE, &s->pending))
		xiw_soft_rx_late(s);
	/* End the stream if the socket is closed, and all earlier octets have been received. */
	if (s->attached && closed && !more && !xiw_soft_rx_waits(s))
		xiw_soft_stream_lost(s);
	if (s->attached && !(closed && more))
		more |= xiw_soft_tx_run(s);
	if (more)
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	if (!leaving(s))
		return false;
	WRITE_ONCE(s->gone, true);
	stop(s, 0);
	detach(s, true);
	return true;
}

/*
 * Run a stream that has no socket: it can only be stopped or destroyed. state_lock excludes
 * xiw_soft_stream_open(). Return: false if the stream has a socket.
 */
static bool service_unbound(struct xiw_soft_stream *s)
{
	bool stopping = false, destroying = false;
	unsigned long flags;

	spin_lock_irqsave(&s->state_lock, flags);
	if (s->sk) {
		spin_unlock_irqrestore(&s->state_lock, flags);
		return false;
	}
	destroying = leaving(s);
	if (atomic_xchg(&s->orders, 0) & ~(1 << XIW_ORDER_RECEIVE) || destroying) {
		stopping = !s->stopped;
		s->stopped = true;
		s->gone |= destroying;
	}
	if (stopping && s->starter)
		xiw_soft_conn_unwanted(s->starter);
	spin_unlock_irqrestore(&s->state_lock, flags);
	state_retry(s);
	if (stopping)
		xiw_soft_stream_state(s, XIW_ST_STOPPED | XIW_ST_CLOSED);
	if (destroying)
		destroy(s);
	return true;
}

/* Get the number of turns that a run has used: at least one, and more for much work. */
static int cost(const struct xiw_soft_stream *s)
{
	return 1 + s->turn_octets / XIW_COST_OCTETS + s->turn_fpdus / XIW_COST_FPDUS;
}

/**
 * xiw_soft_stream_run - run a pass of a stream, if the socket is free
 * @s: stream; the caller holds a reference
 *
 * Context: BH disabled.
 *
 * Return: number of turns that the pass takes from the budget of a poll.
 */
int xiw_soft_stream_run(struct xiw_soft_stream *s)
{
	/* acquire: pairs with the release in xiw_soft_stream_open() */
	struct sock *sk = smp_load_acquire(&s->sk);
	bool over = false;
	int turns = 1;

	if (!sk && service_unbound(s))
		return 1;
	sk = s->sk;
	if (s->tls) {
		xiw_soft_records_kick(s);
		return 1;
	}
	/* On PREEMPT_RT, wait for the lock, because this boosts a preempted owner of the lock. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		bh_lock_sock(sk);
	} else if (!xiw_sock_trylock(sk)) {
		/* Another CPU holds the lock, so run other streams first. */
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
		return 1;
	}
	if (sock_owned_by_user(sk)) {
		/* Only an owner in this driver calls xiw_soft_stream_kick(), so start a timer. */
		xiw_soft_stream_retry_in(s, 1);
	} else {
		clear_bit(XIW_PEND_RUN, &s->pending);
		s->turn_octets = 0;
		s->turn_fpdus = 0;
		over = service(s);
		turns = cost(s);
	}
	bh_unlock_sock(sk);
	if (over)
		destroy(s);
	return turns;
}

/**
 * xiw_soft_stream_serve - run a stream with TLS
 * @s: stream
 *
 * Context: work item of the stream.
 */
void xiw_soft_stream_serve(struct xiw_soft_stream *s)
{
	bool over;

	/*
	 * A pass with TLS does not take the socket lock. So wait here until xiw_soft_stream_open()
	 * has reported XIW_ST_OPEN and released the lock.
	 */
	if (!s->served) {
		s->served = true;
		lock_sock(s->sk);
		release_sock(s->sk);
	}
	local_bh_disable();
	clear_bit(XIW_PEND_RUN, &s->pending);
	xiw_soft_event_claimed(s->vec, s);
	s->turn_octets = 0;
	s->turn_fpdus = 0;
	/* After destroy(), run nothing. A doorbell may still have queued the work item. */
	over = !s->gone && service(s);
	if (s->attached)
		xiw_soft_records_push(s);
	xiw_soft_event_wake(s->vec);
	local_bh_enable();
	if (over)
		destroy(s);
}

/*
 * Return: true if the poll of the vector must run TX, to send several posts in one batch.
 * Completion handlers run in softirq and post one work request after the other. The poll follows
 * immediately in the same softirq. If no ACK is outstanding, TX runs at once.
 */
static bool gathers(const struct sock *sk)
{
	return in_serving_softirq() && READ_ONCE(tcp_sk(sk)->packets_out);
}

/**
 * xiw_soft_stream_rung - handle a TX doorbell
 * @s: stream, under RCU
 *
 * Runs TX here if the socket is free and the context allows it.
 */
void xiw_soft_stream_rung(struct xiw_soft_stream *s)
{
	/* acquire: pairs with the release in xiw_soft_stream_open() */
	struct sock *sk = smp_load_acquire(&s->sk);
	bool later = true;

	if (!sk)
		return;		/* xiw_soft_stream_open() processes the rings */
	if (s->tls || irqs_disabled() || in_hardirq() || gathers(sk)) {
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
		return;
	}
	local_bh_disable();
	if (xiw_sock_trylock(sk)) {
		/* If the socket is closed, RX must run before TX, see service(). */
		if (!sock_owned_by_user(sk))
			later = s->attached && (sk->sk_state == TCP_CLOSE || xiw_soft_tx_run(s));
		bh_unlock_sock(sk);
	}
	if (later)
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	local_bh_enable();
}

void xiw_soft_stream_order(struct xiw_soft_stream *s, u32 order)
{
	if (order < XIW_ORDER_CLOSE || order > XIW_ORDER_RECEIVE)
		return;
	/* If service() sees the order, it also sees the Terminate that the driver has written. */
	smp_mb__before_atomic();
	atomic_or(1 << order, &s->orders);
	xiw_soft_stream_defer(s, XIW_PEND_RUN);
}

void xiw_soft_stream_kick(struct xiw_soft_stream *s)
{
	if (READ_ONCE(s->pending) & ~BIT(XIW_PEND_STATE))
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
}

void xiw_soft_stream_abort(struct xiw_soft_stream *s)
{
	atomic_or(ORDER_LOST, &s->orders);
	xiw_soft_stream_defer(s, XIW_PEND_RUN);
}

void xiw_soft_stream_closed(struct xiw_soft_stream *s)
{
	xiw_soft_stream_state(s, XIW_ST_CLOSED);
	xiw_soft_stream_put(s);
}

/* --------------------------------------------------------------- callbacks */

static void data_ready(struct sock *sk)
{
	struct xiw_soft_stream *s;

	rcu_read_lock();
	s = rcu_dereference_sk_user_data(sk);
	if (s && unlikely(s->tls)) {
		xiw_soft_records_arrived(s);
	} else if (likely(s && s->attached && s->receiving)) {
		local_bh_disable();
		if (xiw_soft_rx_run(s))
			xiw_soft_stream_defer(s, XIW_PEND_RUN);
		local_bh_enable();
	}
	rcu_read_unlock();
}

/* Run TX if TCP has room, or if TCP waits for no ACK (see tcp_full()). */
static void write_space(struct sock *sk)
{
	struct xiw_soft_stream *s;

	rcu_read_lock();
	s = rcu_dereference_sk_user_data(sk);
	/* Let TLS retry the records that TCP has not taken completely. */
	if (s && s->tls)
		s->old_write_space(sk);
	if (s && !s->tx.sending &&
	    (sk_stream_is_writeable(sk) || (!s->tls && tcp_rtx_queue_empty(sk)))) {
		if (sk->sk_socket)
			clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	}
	rcu_read_unlock();
}

/* Handle a FIN or a loss of the connection in the poll: within tcp_fin(), no skb may be removed. */
static void state_change(struct sock *sk)
{
	struct xiw_soft_stream *s;

	rcu_read_lock();
	s = rcu_dereference_sk_user_data(sk);
	if (s)
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	rcu_read_unlock();
}

/* -------------------------------------------------------------------- open */

static int open_alloc(struct xiw_soft_stream *s, const struct xiw_conn_params *params)
{
	u32 flags = le32_to_cpu(params->flags);
	u16 ord = min_t(u16, le16_to_cpu(params->ord), XIW_SOFT_MAX_DEPTH);
	bool rx_markers = flags & XIW_CONNF_RX_MARKERS, tx_markers = flags & XIW_CONNF_TX_MARKERS;
	struct xiw_solicited_entry *entry;
	void *rx_linear, *tx_linear;

	if (le16_to_cpu(params->ord) == XIW_MPA_DEPTH_NONE)
		ord = XIW_SOFT_MAX_DEPTH;
	/* A Read as RTR needs a FIFO entry and a credit, even if the ULP has requested ORD 0. */
	ord = max_t(u16, ord, 1);
	entry = kvcalloc(ord, sizeof(*entry), GFP_NOIO);
	rx_linear = rx_markers ? kvmalloc(XIW_FPDU_WIRE_MAX, GFP_NOIO) : NULL;
	tx_linear = tx_markers ? kvmalloc(2 * XIW_TX_LINEAR, GFP_NOIO) : NULL;
	if (!entry || (rx_markers && !rx_linear) || (tx_markers && !tx_linear)) {
		kvfree(entry);
		kvfree(rx_linear);
		kvfree(tx_linear);
		return -ENOMEM;
	}
	xiw_solicited_init(&s->rx.core.fifo, entry, ord);
	s->rx.stage.linear = rx_linear;
	s->tx.linear = tx_linear;
	return 0;
}

static void open_params(struct xiw_soft_stream *s, const struct xiw_conn_params *params)
{
	u32 flags = le32_to_cpu(params->flags);
	u16 ird = min_t(u16, le16_to_cpu(params->ird), XIW_SOFT_MAX_DEPTH);
	bool crc = flags & XIW_CONNF_CRC;

	/* DEC-57: if the RTR is a Read, the IRD is at least 1, even if the ULP has requested 0. */
	if (!ird && flags & XIW_CONNF_RTR_READ)
		ird = 1;
	xiw_ddp_rx_init(&s->rx.core.ddp, ird, flags);
	s->rx.core.match = s->soft->match;
	s->rx.framing = (struct xiw_framing){
		.crc = crc, .markers = flags & XIW_CONNF_RX_MARKERS };
	s->tx.framing = (struct xiw_framing){
		.crc = crc, .markers = flags & XIW_CONNF_TX_MARKERS };
	s->tx.held = !(flags & XIW_CONNF_INITIATOR);
	s->rx.first_seen = !s->tx.held;
	/* A responder receives at once. An initiator waits for the order RECEIVE. */
	s->receiving = s->tx.held;
	s->park_ms = le32_to_cpu(params->park_ms);
	s->whole_ms = le32_to_cpu(params->peer_ms) ?: XIW_RX_WHOLE_MS;
	s->mulpdu_max = le16_to_cpu(params->mulpdu_max);
}

bool xiw_soft_stream_expect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn)
{
	bool wanted;

	spin_lock_irq(&s->state_lock);
	/* Before the stream has a socket, state_lock also protects @stopped. */
	wanted = !s->opening && !s->starter && !s->stopped;
	if (wanted)
		s->starter = conn;
	spin_unlock_irq(&s->state_lock);
	return wanted;
}

void xiw_soft_stream_unexpect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn)
{
	spin_lock_irq(&s->state_lock);
	if (s->starter == conn)
		s->starter = NULL;
	spin_unlock_irq(&s->state_lock);
}

int xiw_soft_stream_open(struct xiw_soft_stream *s, struct xiw_soft_conn *conn,
			 struct sock *sk, const struct xiw_conn_params *params)
{
	bool tls = le32_to_cpu(params->flags) & XIW_CONNF_TLS;
	int err = 0;

	lock_sock(sk);
	spin_lock_irq(&s->state_lock);
	if (s->stopped || READ_ONCE(s->soft->down))
		err = -ESHUTDOWN;
	else if (s->opening)
		err = -EBUSY;
	s->opening = true;
	spin_unlock_irq(&s->state_lock);
	if (err)
		goto out;
	err = open_alloc(s, params);
	if (err) {
		/* Another connection may open the stream, see cm/peer.h. */
		spin_lock_irq(&s->state_lock);
		s->opening = false;
		spin_unlock_irq(&s->state_lock);
		goto out;
	}
	open_params(s, params);
	/*
	 * If an allocation failed, TLS would end the connection. TLS runs in process context, so
	 * let it wait for memory.
	 */
	sk->sk_allocation = tls ? GFP_NOIO : GFP_ATOMIC | __GFP_NOWARN;
	/* TX may now run in a softirq, which must not use the page fragment of the task. */
	sk->sk_use_task_frag = false;

	spin_lock_irq(&s->state_lock);
	if (s->stopped) {
		err = -ESHUTDOWN;
	} else {
		sock_hold(sk);
		s->conn = conn;
		s->attached = true;
		/*
		 * If s->tls is set, only the work item drops s->claim, and the work item runs only
		 * if there is a socket. So set s->tls and s->sk together.
		 */
		WRITE_ONCE(s->tls, tls);
		/* release: a reader that sees the socket sees the initialized stream */
		smp_store_release(&s->sk, sk);
	}
	spin_unlock_irq(&s->state_lock);
	if (err)
		goto out;

	write_lock_bh(&sk->sk_callback_lock);
	s->old_data_ready = sk->sk_data_ready;
	s->old_write_space = sk->sk_write_space;
	s->old_state_change = sk->sk_state_change;
	s->old_user_data = sk->sk_user_data;
	sk->sk_data_ready = data_ready;
	sk->sk_write_space = write_space;
	sk->sk_state_change = state_change;
	rcu_assign_sk_user_data(sk, s);
	write_unlock_bh(&sk->sk_callback_lock);

	refcount_inc(&s->refs);		/* the reference of the connection */
	xiw_soft_tx_mtu(s);
	xiw_soft_stream_state(s, XIW_ST_OPEN);
	if (s->tx.held && params->rtr_ms)
		xiw_soft_stream_wait(s, le32_to_cpu(params->rtr_ms));
out:
	release_sock(sk);
	if (err)
		return err;

	/* Process earlier work requests. A responder also processes earlier FPDUs. */
	local_bh_disable();
	xiw_soft_stream_run(s);
	local_bh_enable();
	return 0;
}

/* ------------------------------------------------------------------- admin */

static bool create_valid(const struct xiw_soft *soft, u32 index, const struct xiw_adm_stream *a)
{
	if (index >= XIW_SOFT_MAX_STREAMS || !a->ctx || !a->tx[0] || !a->tx[1])
		return false;
	if (!IS_ALIGNED(le64_to_cpu(a->ctx), sizeof(u64)))
		return false;
	if (le16_to_cpu(a->vector) >= soft->nr_vectors || a->log2_units < 3 || a->log2_units > 20)
		return false;
	if (!a->rx || le32_to_cpu(a->shared_rx) != XIW_RX_NONE)
		return true;
	return a->log2_rx <= 20 && a->log2_slot >= 4 && a->log2_slot <= 12;
}

int xiw_soft_stream_create(struct xiw_soft *soft, u32 index, const struct xiw_adm_stream *a)
{
	struct xiw_soft_shared_rx *shared = NULL;
	struct xiw_soft_stream *s;
	unsigned long flags;
	int i, err;

	if (!create_valid(soft, index, a))
		return XIW_ERR_INVALID;
	if (le32_to_cpu(a->shared_rx) != XIW_RX_NONE) {
		shared = xa_load(&soft->shared_rx, le32_to_cpu(a->shared_rx));
		if (!shared)
			return XIW_ERR_INVALID;
	}
	s = kzalloc(sizeof(*s), GFP_ATOMIC | __GFP_NOWARN);
	if (!s)
		return XIW_ERR_NOMEM;
	if (xiw_recorder_init(&s->recorder, GFP_ATOMIC | __GFP_NOWARN)) {
		kfree(s);
		return XIW_ERR_NOMEM;
	}
	s->soft = soft;
	s->vec = &soft->vector[le16_to_cpu(a->vector)];
	s->index = index;
	s->pd = le32_to_cpu(a->pd);
	s->receive_pd = shared ? shared->pd : s->pd;
	refcount_set(&s->refs, 1);
	INIT_LIST_HEAD(&s->stalled);
	INIT_LIST_HEAD(&s->parked);
	spin_lock_init(&s->state_lock);
	s->ctx = xiw_soft_va(a->ctx);
	s->rx_taken = XIW_RX_NONE;
	s->shared = shared;
	if (!shared && a->rx) {
		s->rx_ring = xiw_soft_va(a->rx);
		s->rx_mask = (1U << a->log2_rx) - 1;
		s->log2_slot = a->log2_slot;
	}
	for (i = 0; i < XIW_TXQ_COUNT; i++)
		s->tx.ring[i] = xiw_soft_va(a->tx[i]);
	xiw_send_init(&s->tx.core, a->log2_units, XIW_SOFT_MAX_GATHER);
	timer_setup(&s->retry, retry_timer, 0);
	timer_setup(&s->wait, wait_timer, 0);
	timer_setup(&s->late, late_timer, 0);
	xiw_soft_records_init(s);

	atomic_inc(&soft->nr_streams);
	xa_lock_irqsave(&soft->streams, flags);
	err = __xa_insert(&soft->streams, index, s, GFP_ATOMIC);
	xa_unlock_irqrestore(&soft->streams, flags);
	if (err) {
		xiw_soft_stream_put(s);
		return err == -EBUSY ? XIW_ERR_BUSY : XIW_ERR_NOMEM;
	}
	return XIW_OK;
}

static bool take_out(struct xiw_soft *soft, u32 index, u32 tag, bool answer)
{
	struct xiw_soft_stream *s;
	unsigned long flags;

	/* Hold RCU: the poll may drop the last reference before xiw_soft_stream_defer() returns. */
	rcu_read_lock();
	xa_lock_irqsave(&soft->streams, flags);
	s = __xa_erase(&soft->streams, index);
	xa_unlock_irqrestore(&soft->streams, flags);
	if (s) {
		s->destroy_tag = tag;
		s->destroy_answer = answer;
		xiw_soft_stream_defer(s, XIW_PEND_DESTROY);
	}
	rcu_read_unlock();
	return s;
}

int xiw_soft_stream_destroy(struct xiw_soft *soft, u32 index, u32 tag)
{
	return take_out(soft, index, tag, true) ? -EINPROGRESS : XIW_ERR_INVALID;
}

/* Run every stream of the vector that has work. Work that is added later runs in the poll. */
static void run_all(struct xiw_soft_vector *vec)
{
	int done;

	do {
		local_bh_disable();
		done = xiw_soft_streams_poll(vec, XIW_POLL_TURNS);
		local_bh_enable();
		cond_resched();
	} while (done == XIW_POLL_TURNS);
}

/* First step when the device stops: let all streams return their sockets. Process context. */
void xiw_soft_streams_stop(struct xiw_soft *soft)
{
	struct xiw_soft_stream *s;
	unsigned long index;
	unsigned int i;

	xa_for_each(&soft->streams, index, s)
		take_out(soft, index, 0, false);
	for (i = 0; i < soft->nr_vectors; i++)
		run_all(&soft->vector[i]);
}

/* Second step: free the streams. The connections have dropped their references. */
void xiw_soft_streams_free(struct xiw_soft *soft)
{
	unsigned long end = jiffies + 10 * HZ;
	unsigned int i;

	while (atomic_read(&soft->nr_streams) && time_before(jiffies, end)) {
		for (i = 0; i < soft->nr_vectors; i++)
			run_all(&soft->vector[i]);
		rcu_barrier();	/* wait for stream_free(), an RCU callback that may be lazy */
		usleep_range(100, 1000);
	}
	WARN_ON(atomic_read(&soft->nr_streams));
	rcu_barrier();
}
