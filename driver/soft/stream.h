/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A stream of the software RNIC: one RDMAP stream over one TCP socket.
 *
 * "Socket lock" below means: sk->sk_lock.slock is held with BH disabled and no user owns the
 * socket, or the code runs in a callback of the socket. Code that cannot take the socket lock at
 * once sets a bit of pending and queues the stream for the poll of its vector.
 */
#ifndef XIW_SOFT_STREAM_H
#define XIW_SOFT_STREAM_H

#include <linux/refcount.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <net/sock.h>

#include "diag/recorder.h"
#include "soft/inject.h"
#include "soft/rx.h"
#include "soft/soft.h"
#include "soft/stag.h"
#include "soft/tx.h"

enum xiw_soft_pending {		/* bits of pending */
	XIW_PEND_QUEUED,	/* on the vector's work list */
	XIW_PEND_RUN,
	XIW_PEND_DESTROY,
	XIW_PEND_STATE,		/* an XIW_EV_STATE found no room */
	XIW_PEND_INV_RX,	/* the invalidation for which RX waited is done */
	XIW_PEND_INV_TX,
	XIW_PEND_WAIT_OVER,	/* park_ms or rtr_ms is over */
	XIW_PEND_LATE,		/* an FPDU may have been incomplete for too long */
};

/* Limits of a poll, and the work that counts as one turn of its budget. */
enum xiw_soft_poll_limit {
	XIW_POLL_TURNS = 64,		/* if the caller specifies none */
	XIW_POLL_NS = 2000000,		/* the time that the kernel gives to all polls together */
	XIW_COST_OCTETS = 65536,
	XIW_COST_FPDUS = 64,
};

struct xiw_soft_stream {
	struct xiw_soft *soft;
	struct xiw_soft_vector *vec;
	u32 index, pd;
	refcount_t refs;
	unsigned long pending;		/* enum xiw_soft_pending, atomic */
	atomic_t orders;		/* bits 1 << enum xiw_stream_order */
	struct llist_node work;
	struct list_head stalled;	/* vec->lock */
	u32 want;			/* vec->lock: events, while stalled */
	u32 claim;			/* vec->lock: part of vec->claims, until the stream runs */
	struct list_head parked;	/* shared->lock */
	bool roused;			/* shared->lock: woken and not yet run */

	/* memory of the driver; ctx is NULL once destroyed (state_lock) */
	spinlock_t state_lock;		/* protects ctx, bits, rx_taken, starter, and open */
	struct xiw_stream_ctx *ctx;
	u32 bits;			/* enum xiw_stream_state: reported, or XIW_PEND_STATE */
	u32 rx_taken;			/* cookie, from XIW_ST_STOPPED on */
	u8 *rx_ring;
	u32 rx_mask;
	u8 log2_slot;
	struct xiw_soft_shared_rx *shared;
	u32 destroy_tag;
	struct xiw_soft_conn *starter;	/* conn that will open this stream */

	/* set once by open; sk is referenced until the stream is freed */
	struct sock *sk;
	struct xiw_soft_conn *conn;
	u32 park_ms, mulpdu_max;
	u32 whole_ms;			/* limit from the first octet of an FPDU to its last */

	/* protected by the socket lock from here on */
	bool opening;			/* open() was called (state_lock) */
	bool attached;			/* the stream has set its callbacks */
	bool stopped;			/* XIW_ST_STOPPED was reported */
	bool gone;			/* destroyed: no timer may be armed */
	bool destroy_answer;
	bool terminating, closing, peer_fin;
	bool receiving;			/* the driver knows of the connection */
	/* callbacks of the conn, restored by detach */
	void (*old_data_ready)(struct sock *sk);
	void (*old_write_space)(struct sock *sk);
	void (*old_state_change)(struct sock *sk);
	void *old_user_data;
	struct timer_list retry;	/* try again: lock owned, no memory, TCP full */
	struct timer_list wait;		/* first FPDU, then parking */
	struct timer_list late;		/* deadline of the staged FPDU, or of an earlier one */
	u64 now;			/* time of this pass, 0: not read yet */
	u32 turn_octets, turn_fpdus;	/* sent and received in this turn */
	struct xiw_recorder recorder;
	struct xiw_soft_tx tx;
	struct xiw_soft_rx rx;
	struct xiw_soft_injected injected;
	struct rcu_head rcu;
};

/* ------------------------------------------- boundary: connection -> stream */

/* Look up a stream and take a reference; NULL if there is none, or it is ending. */
struct xiw_soft_stream *xiw_soft_stream_get(struct xiw_soft *soft, u32 index);
void xiw_soft_stream_put(struct xiw_soft_stream *s);

/*
 * Pass the socket to the stream after MPA negotiation. Process context, socket not locked
 * (locked inside). The octets of the negotiation must be consumed exactly. Later octets of
 * an initiator stay in the receive queue until XIW_ORDER_RECEIVE. params: as agreed;
 * without XIW_CONNF_INITIATOR the stream is passive, and TX is held until the first FPDU.
 * The stream saves callbacks and sk_user_data, and restores them when it returns the socket.
 *
 * On 0 the conn owns a stream reference until it calls xiw_soft_stream_closed(), and gets
 * exactly one xiw_soft_conn_release(), possibly before this returns. -EBUSY: opened before;
 * -ESHUTDOWN: ordered to stop.
 */
int xiw_soft_stream_open(struct xiw_soft_stream *s, struct xiw_soft_conn *conn,
			 struct sock *sk, const struct xiw_conn_params *params);

/*
 * Announce that conn is going to open the stream. If the stream is ordered to stop first, the
 * conn gets XIW_NOTE_UNWANTED, until it calls xiw_soft_stream_unexpect().
 * Return: false if the stream was ordered to stop, or has or had another connection.
 */
bool xiw_soft_stream_expect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn);
void xiw_soft_stream_unexpect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn);

/* Call after every release_sock() of a socket that a stream may hold. */
void xiw_soft_stream_kick(struct xiw_soft_stream *s);

/* Abort on a timeout of linger or setup, CONN_FREE, end of device or namespace. Any context. */
void xiw_soft_stream_abort(struct xiw_soft_stream *s);

/* TCP is closed and the socket released: set XIW_ST_CLOSED, drop the conn's reference. */
void xiw_soft_stream_closed(struct xiw_soft_stream *s);

/* -------------------------------------------- boundary: stream -> connection
 * Called with the socket lock in BH context (or in a callback): must not sleep,
 * must not take the socket lock; hand the work to the conn's own work item.
 */

/* Start the linger timer, which calls xiw_soft_stream_abort() after linger_ms. Idempotent. */
void xiw_soft_conn_linger(struct xiw_soft_conn *conn);
/* TCP has all octets of the stream: shut down the sending half. The stream still receives. */
void xiw_soft_conn_fin(struct xiw_soft_conn *conn);
/*
 * The stream has returned the socket with its original callbacks. Discard what is received.
 * With reset, abort TCP now. Otherwise send FIN if not yet sent, wait for the peer's FIN and
 * close, all within linger_ms. Calls xiw_soft_stream_closed() at the end.
 */
void xiw_soft_conn_release(struct xiw_soft_conn *conn, bool reset);
/* The stream must not be opened any more. Any lock. */
void xiw_soft_conn_unwanted(struct xiw_soft_conn *conn);

/* stream.c */
int xiw_soft_stream_create(struct xiw_soft *soft, u32 index, const struct xiw_adm_stream *a);
int xiw_soft_stream_destroy(struct xiw_soft *soft, u32 index, u32 tag);
void xiw_soft_stream_order(struct xiw_soft_stream *s, u32 order);
void xiw_soft_stream_rung(struct xiw_soft_stream *s);
void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why);
void xiw_soft_streams_stop(struct xiw_soft *soft);
void xiw_soft_streams_free(struct xiw_soft *soft);
int xiw_soft_streams_poll(struct xiw_soft_vector *vec, int budget);
void xiw_soft_stream_state(struct xiw_soft_stream *s, u32 bits);
void xiw_soft_stream_state_reserved(struct xiw_soft_stream *s, u32 bits);

/* tcp.c */
bool xiw_soft_tcp(struct xiw_soft *soft, u32 index, struct xiw_rnic_tcp *tcp);

/* Read the clock once per pass; socket lock. */
static inline u64 xiw_soft_now(struct xiw_soft_stream *s)
{
	if (!s->now)
		s->now = ktime_get_ns();
	return s->now;
}

/* Run the stream again after delay jiffies, or earlier. */
static inline void xiw_soft_stream_retry_in(struct xiw_soft_stream *s, unsigned long delay)
{
	if (!READ_ONCE(s->gone))
		timer_reduce(&s->retry, jiffies + delay);
}

static inline void xiw_soft_stream_wait(struct xiw_soft_stream *s, u32 ms)
{
	if (!READ_ONCE(s->gone))
		mod_timer(&s->wait, jiffies + msecs_to_jiffies(ms));
}

/* Events of a stream; socket lock, BH disabled. */
void xiw_soft_stream_lost(struct xiw_soft_stream *s);
void xiw_soft_stream_peer_closed(struct xiw_soft_stream *s);
void xiw_soft_stream_tx_idle(struct xiw_soft_stream *s);

#endif
