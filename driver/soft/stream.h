/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A stream of the software RNIC: one RDMAP stream over one TCP socket.
 *
 * "Socket lock" below means: sk->sk_lock.slock is held with BH disabled and no user owns the
 * socket, or the code runs in a callback of the socket. Code that cannot take the socket lock at
 * once sets a bit in @pending and queues the stream for the poll of its vector.
 *
 * In a stream with TLS, only a work item (records.h) accesses the members that the socket lock
 * protects in other streams. So the work item needs no lock for them.
 */
#ifndef XIW_SOFT_STREAM_H
#define XIW_SOFT_STREAM_H

#include <linux/refcount.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "diag/recorder.h"
#include "soft/inject.h"
#include "soft/rx.h"
#include "soft/soft.h"
#include "soft/stag.h"
#include "soft/tx.h"

enum xiw_soft_pending {		/* bits of pending */
	XIW_PEND_QUEUED,	/* the stream is on the vector's work list */
	XIW_PEND_RUN,
	XIW_PEND_DESTROY,
	XIW_PEND_STATE,		/* an XIW_EV_STATE waits for room in the event ring */
	XIW_PEND_INV_RX,	/* RX waited for an invalidation, which is now complete */
	XIW_PEND_INV_TX,
	XIW_PEND_WAIT_OVER,	/* park_ms or rtr_ms has expired */
	XIW_PEND_LATE,		/* an FPDU may have been incomplete for too long */
};

/*
 * Limits of a poll. The budget of a poll is counted in turns, and a turn is XIW_COST_OCTETS octets
 * or XIW_COST_FPDUS FPDUs. With the budget of NAPI (64 turns), a poll sends about 1 MiB. This
 * amount stays in the cache of the CPU until the NIC, or a receiver on the same host, has read it.
 */
enum xiw_soft_poll_limit {
	XIW_POLL_TURNS = 64,		/* budget of a poll while the device stops */
	XIW_POLL_NS = 2000000,		/* ns; the default of netdev_budget_usecs if HZ is 1000 */
	XIW_COST_OCTETS = 16384,
	XIW_COST_FPDUS = 64,
};

/* Segments that arrive while records of TLS are read; under the lock of the socket. */
struct xiw_soft_arrivals {
	size_t *count;			/* in the descriptor of a read; NULL if none is running */
	u32 segments;			/* segments that arrived since the last record with data */
};

struct xiw_soft_stream {
	struct xiw_soft *soft;
	struct xiw_soft_vector *vec;
	u32 index, pd;
	u32 receive_pd;			/* PD of the shared receive ring; pd if there is none */
	refcount_t refs;
	unsigned long pending;		/* enum xiw_soft_pending, atomic */
	atomic_t orders;		/* bits 1 << enum xiw_stream_order, and ORDER_LOST */
	struct llist_node work;
	struct list_head stalled;	/* under vec->lock */
	u32 want;			/* events that a stalled stream needs; under vec->lock */
	u32 claim;			/* part of vec->claims for this stream; under vec->lock */
	struct list_head parked;	/* in a list of the shared ring; under shared->lock */
	bool roused;			/* in shared->roused; under shared->lock */

	/*
	 * ctx and rx_ring point to memory of the driver. Under state_lock, ctx becomes NULL when
	 * the stream is destroyed.
	 */
	spinlock_t state_lock;		/* protects ctx, bits, rx_taken, starter and opening */
	struct xiw_stream_ctx *ctx;
	/* enum xiw_stream_state; while XIW_PEND_STATE is set, some bits are not reported yet */
	u32 bits;
	u32 rx_taken;			/* cookie of the receive in use at stop, or XIW_RX_NONE */
	u8 *rx_ring;
	u32 rx_mask;
	u8 log2_slot;
	struct xiw_soft_shared_rx *shared;
	u32 destroy_tag;		/* written before XIW_PEND_DESTROY is set */
	struct xiw_soft_conn *starter;	/* conn that will open this stream */

	/*
	 * xiw_soft_stream_open() sets the members up to tls once. sk is referenced until the
	 * stream is freed.
	 */
	struct sock *sk;
	struct xiw_soft_conn *conn;
	u32 park_ms, mulpdu_max;
	u32 whole_ms;			/* limit from the first octet of an FPDU to its last */
	bool tls;			/* with TLS, passes run only in the work item */
	struct work_struct records;
	bool opening;			/* a conn opens or has opened the stream (state_lock) */

	/*
	 * The socket lock protects the members below, except destroy_answer. Before the stream has
	 * a socket, state_lock protects stopped and gone.
	 */
	bool attached;			/* the stream has set its callbacks */
	bool stopped;			/* XIW_ST_STOPPED was reported */
	bool gone;			/* destroyed: no timer may be armed */
	bool destroy_answer;		/* written before XIW_PEND_DESTROY is set */
	bool terminating, closing, peer_fin;
	bool receiving;			/* passive side, or XIW_ORDER_RECEIVE was executed */
	bool pushing;			/* TLS may have records that TCP has not taken */
	struct xiw_soft_arrivals arrivals;	/* of xiw_soft_records_read() */
	bool served;			/* with TLS: the work item has run */
	/* callbacks of the conn, restored by detach() */
	void (*old_data_ready)(struct sock *sk);
	void (*old_write_space)(struct sock *sk);
	void (*old_state_change)(struct sock *sk);
	void *old_user_data;
	struct timer_list retry;	/* reruns the stream, e.g. if the socket was owned */
	struct timer_list wait;		/* limit for the first FPDU, then for waits for a receive */
	struct timer_list late;		/* deadline of the staged FPDU, or of an earlier FPDU */
	u64 now;			/* time of this pass; 0 if not read yet */
	u32 turn_octets, turn_fpdus;	/* octets and FPDUs of this pass, sent and received */
	struct xiw_recorder recorder;
	struct xiw_soft_tx tx;
	struct xiw_soft_rx rx;
	struct xiw_soft_injected injected;
	struct rcu_head rcu;
};

/* ---------------------------------- functions that the connection calls */

/* Look up a stream and take a reference. Returns NULL if the stream does not exist or is ending. */
struct xiw_soft_stream *xiw_soft_stream_get(struct xiw_soft *soft, u32 index);
void xiw_soft_stream_put(struct xiw_soft_stream *s);

/*
 * Pass the socket to the stream after MPA negotiation. @params: agreed parameters. Process context;
 * the socket must not be locked.
 *
 * The caller has read the octets of the MPA negotiation from the socket, and no later octets. With
 * XIW_CONNF_INITIATOR, later octets stay in the receive queue until XIW_ORDER_RECEIVE. Without this
 * flag, the stream is passive, and TX is held until the first FPDU arrives. The stream saves the
 * callbacks and sk_user_data, and restores them when it returns the socket.
 *
 * Returns 0; -EBUSY if the stream was opened before; -ESHUTDOWN if the stream was ordered to stop,
 * or the device is down; or -ENOMEM, after which another connection may open the stream. After 0,
 * the conn owns a reference to the stream until the conn calls xiw_soft_stream_closed(). The stream
 * calls xiw_soft_conn_release() once, possibly before this function returns.
 */
int xiw_soft_stream_open(struct xiw_soft_stream *s, struct xiw_soft_conn *conn,
			 struct sock *sk, const struct xiw_conn_params *params);

/*
 * Announce that @conn will open the stream. If the driver orders the stream to stop before @conn
 * opens it or calls xiw_soft_stream_unexpect(), @conn gets XIW_NOTE_UNWANTED.
 * Return: false if the stream was ordered to stop, or if a connection opens or has opened it.
 */
bool xiw_soft_stream_expect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn);
void xiw_soft_stream_unexpect(struct xiw_soft_stream *s, struct xiw_soft_conn *conn);

/*
 * Run the stream again if a pass found the socket owned. Call this after every release_sock() of
 * the socket.
 */
void xiw_soft_stream_kick(struct xiw_soft_stream *s);

/*
 * Abort a stream. Called when the linger time has expired, when required encryption has ended, when
 * the device stops, and when an injection resets the connection. Any context.
 */
void xiw_soft_stream_abort(struct xiw_soft_stream *s);

/* TCP is closed and the socket is released: set XIW_ST_CLOSED and drop the conn's reference. */
void xiw_soft_stream_closed(struct xiw_soft_stream *s);

/* ---------------------------------- functions that the stream calls */

/*
 * The stream calls these functions with the socket lock, in BH context or in a callback. They must
 * not sleep and must not take the socket lock, so they leave the work to the work item of the conn.
 */

/* Start the linger timer, which calls xiw_soft_stream_abort() after linger_ms. Idempotent. */
void xiw_soft_conn_linger(struct xiw_soft_conn *conn);
/* TCP has all octets of the stream: shut down the sending half. The stream still receives. */
void xiw_soft_conn_fin(struct xiw_soft_conn *conn);
/*
 * The stream has returned the socket with its original callbacks. The conn discards all octets that
 * it receives afterwards. With @reset, the conn resets TCP now. Otherwise it sends a FIN if none
 * was sent, waits for the peer's FIN and closes TCP, all within linger_ms. At the end, the conn
 * calls xiw_soft_stream_closed().
 */
void xiw_soft_conn_release(struct xiw_soft_conn *conn, bool reset);
/*
 * Report to @conn that the driver has stopped the stream, so that @conn does not open the stream.
 * Any lock may be held.
 */
void xiw_soft_conn_unwanted(struct xiw_soft_conn *conn);

/* stream.c */
int xiw_soft_stream_create(struct xiw_soft *soft, u32 index, const struct xiw_adm_stream *a);
int xiw_soft_stream_destroy(struct xiw_soft *soft, u32 index, u32 tag);
void xiw_soft_stream_order(struct xiw_soft_stream *s, u32 order);
void xiw_soft_stream_rung(struct xiw_soft_stream *s);
void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why);
void xiw_soft_streams_stop(struct xiw_soft *soft);
void xiw_soft_streams_free(struct xiw_soft *soft);
int xiw_soft_stream_run(struct xiw_soft_stream *s);
void xiw_soft_stream_serve(struct xiw_soft_stream *s);
void xiw_soft_stream_state(struct xiw_soft_stream *s, u32 bits);
void xiw_soft_stream_state_reserved(struct xiw_soft_stream *s, u32 bits);

/* poll.c */
int xiw_soft_streams_poll(struct xiw_soft_vector *vec, int budget);

/* tcp.c */
bool xiw_soft_tcp(struct xiw_soft *soft, u32 index, struct xiw_rnic_tcp *tcp);

/* Read the clock once per pass; socket lock. */
static inline u64 xiw_soft_now(struct xiw_soft_stream *s)
{
	if (!s->now)
		s->now = ktime_get_ns();
	return s->now;
}

/* Run the stream again after @delay jiffies, or earlier. */
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

/*
 * Handle a loss of the connection, the peer's FIN, and the end of the data to send. Socket lock, BH
 * disabled.
 */
void xiw_soft_stream_lost(struct xiw_soft_stream *s);
void xiw_soft_stream_peer_closed(struct xiw_soft_stream *s);
void xiw_soft_stream_tx_idle(struct xiw_soft_stream *s);

#endif
