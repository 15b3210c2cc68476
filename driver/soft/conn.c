// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/conn.h"

#include <linux/jiffies.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/inet_sock.h>
#include <net/tcp.h>

#include "core/fpdu.h"
#include "soft/encryption.h"
#include "soft/listen.h"
#include "soft/records.h"
#include "soft/tls.h"

enum {
	DISCARD_SIZE = 1 << 20,		/* octets that one call discards */
	DISCARD_CALLS = 16,		/* calls per run of the work item */
};

/* ---------------------------------------------------- references and kicks */

void xiw_soft_conn_put(struct xiw_soft_conn *conn)
{
	if (!refcount_dec_and_test(&conn->refs))
		return;
	if (conn->listener)
		xiw_soft_listener_put(conn->listener);
	xiw_soft_cm_leave(conn->soft->cm, &conn->node);
	kfree(conn);
}

/**
 * xiw_soft_conn_kick - queue the work item of a conn
 * @conn: conn; the caller holds a reference
 *
 * Context: any.
 */
void xiw_soft_conn_kick(struct xiw_soft_conn *conn)
{
	refcount_inc(&conn->refs);
	if (mod_delayed_work(conn->soft->wq, &conn->work, 0))
		xiw_soft_conn_put(conn);
}

/**
 * xiw_soft_conn_note - leave a note for the work item of a conn
 * @conn: conn; the caller holds a reference, which the work item may drop after it reads the note
 * @note: note
 *
 * Context: any.
 */
void xiw_soft_conn_note(struct xiw_soft_conn *conn, enum xiw_soft_conn_note note)
{
	refcount_inc(&conn->refs);
	set_bit(note, &conn->inbox);
	if (mod_delayed_work(conn->soft->wq, &conn->work, 0))
		xiw_soft_conn_put(conn);
}

void xiw_soft_conn_unwanted(struct xiw_soft_conn *conn)
{
	xiw_soft_conn_note(conn, XIW_NOTE_UNWANTED);
}

void xiw_soft_conn_linger(struct xiw_soft_conn *conn)
{
	xiw_soft_conn_note(conn, XIW_NOTE_LINGER);
}

void xiw_soft_conn_fin(struct xiw_soft_conn *conn)
{
	xiw_soft_conn_note(conn, XIW_NOTE_FIN);
}

void xiw_soft_conn_release(struct xiw_soft_conn *conn, bool reset)
{
	if (reset)
		set_bit(XIW_NOTE_RESET, &conn->inbox);
	/* A work item that sees RELEASE also sees RESET. */
	smp_mb__after_atomic();
	xiw_soft_conn_note(conn, XIW_NOTE_RELEASE);
}

/* The socket callbacks only queue the work item, which determines what has happened. */
static void socket_event(struct sock *sk)
{
	struct xiw_soft_conn *conn;

	read_lock_bh(&sk->sk_callback_lock);
	conn = sk->sk_user_data;
	if (conn) {
		xiw_soft_records_limit(&conn->arrivals);
		xiw_soft_conn_kick(conn);
	}
	read_unlock_bh(&sk->sk_callback_lock);
}

/* -------------------------------------------------------------------- socket */

int xiw_soft_conn_adopt(struct xiw_soft_conn *conn, struct socket *sock,
			const struct xiw_soft_socket_calls *calls)
{
	struct sock *sk = sock->sk;

	/*
	 * TCP runs callbacks with the socket lock held. So while this function holds the lock, no
	 * callback with the old user data is running.
	 */
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data) {
		write_unlock_bh(&sk->sk_callback_lock);
		release_sock(sk);
		xiw_soft_socket_release(sock, true);
		return -EBUSY;
	}
	conn->sock = sock;
	conn->owned = true;
	if (calls) {
		conn->calls = *calls;
	} else {
		conn->calls.data_ready = sk->sk_data_ready;
		conn->calls.state_change = sk->sk_state_change;
	}
	sk->sk_user_data = conn;
	sk->sk_data_ready = socket_event;
	sk->sk_state_change = socket_event;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
	return 0;
}

void xiw_soft_conn_disown(struct xiw_soft_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	if (!conn->owned)
		return;
	conn->owned = false;
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = conn->calls.data_ready;
	sk->sk_state_change = conn->calls.state_change;
	write_unlock_bh(&sk->sk_callback_lock);
}

void xiw_soft_conn_drop_socket(struct xiw_soft_conn *conn, bool reset)
{
	struct socket *sock = conn->sock;

	if (!sock)
		return;
	xiw_soft_tls_cancel(conn);
	xiw_soft_conn_disown(conn);
	conn->tls = false;
	conn->sock = NULL;
	xiw_soft_socket_release(sock, reset);
}

int xiw_soft_conn_read(struct xiw_soft_conn *conn, void *buf, u32 len)
{
	if (conn->tls)
		return xiw_soft_records_take(conn->sock, &conn->arrivals, buf, len);
	return xiw_soft_socket_read(conn->sock, buf, len);
}

/* ------------------------------------------------------ parts of the work item */

/* Limit the current wait to @ms milliseconds from now. If @ms is 0, use @otherwise instead. */
void xiw_soft_conn_bound(struct xiw_soft_conn *conn, u32 ms, u32 otherwise)
{
	conn->deadline = jiffies + msecs_to_jiffies(min_t(u32, ms ?: otherwise, INT_MAX));
	conn->bounded = true;
}

bool xiw_soft_conn_expired(const struct xiw_soft_conn *conn)
{
	return conn->bounded && time_after_eq(jiffies, conn->deadline);
}

/*
 * Add the conn to the list of conns that have no slot and still close TCP. If the list is too long,
 * reset its oldest conn.
 */
static void join_closing(struct xiw_soft_conn *conn)
{
	struct xiw_soft_cm *cm = conn->soft->cm;
	struct xiw_soft_conn *oldest;
	unsigned long flags;

	conn->limited = true;
	spin_lock_irqsave(&cm->lock, flags);
	list_add_tail(&conn->closing, &cm->closing);
	if (++cm->nr_closing > XIW_CONN_CLOSING_MAX) {
		oldest = list_first_entry(&cm->closing, struct xiw_soft_conn, closing);
		list_del_init(&oldest->closing);
		cm->nr_closing--;
		/* A conn in the list still has its life reference (conn.h). */
		xiw_soft_conn_note(oldest, XIW_NOTE_CROWDED);
	}
	spin_unlock_irqrestore(&cm->lock, flags);
}

static void leave_closing(struct xiw_soft_conn *conn)
{
	struct xiw_soft_cm *cm = conn->soft->cm;
	unsigned long flags;

	spin_lock_irqsave(&cm->lock, flags);
	if (!list_empty(&conn->closing)) {
		list_del_init(&conn->closing);
		cm->nr_closing--;
	}
	spin_unlock_irqrestore(&cm->lock, flags);
}

/* Close the TCP connection of the conn. The conn may keep its slot. */
void xiw_soft_conn_close(struct xiw_soft_conn *conn, bool reset)
{
	if (conn->state == XIW_CONN_CLOSED)
		return;
	conn->state = XIW_CONN_CLOSED;
	conn->bounded = false;
	conn->retry = false;
	if (conn->limited)
		leave_closing(conn);
	xiw_soft_conn_drop_socket(conn, reset);
	if (conn->listener)
		xiw_soft_listener_forget(conn);
	if (conn->opened) {
		xiw_soft_stream_closed(conn->stream);
	} else if (conn->stream) {
		xiw_soft_stream_unexpect(conn->stream, conn);
		xiw_soft_stream_put(conn->stream);
	}
	conn->stream = NULL;
	kfree(conn->setup);
	conn->setup = NULL;
	xiw_soft_conn_put(conn);
}

/* Return slot and buffer to the driver. */
static void leave_slot(struct xiw_soft_conn *conn)
{
	if (!conn->slotted)
		return;
	conn->slotted = false;
	conn->buf = NULL;
	xiw_soft_notice_cancel(conn->soft, &conn->notice);
	xa_erase(&conn->soft->conns, conn->slot);
	xiw_soft_conn_put(conn);
}

void xiw_soft_conn_count(struct xiw_soft_conn *conn, enum xiw_status outcome)
{
	if (outcome == XIW_ERR_PROTOCOL)
		xiw_soft_count(conn->soft, startup_errors, 1);
	else if (outcome == XIW_ERR_TIMEOUT)
		xiw_soft_count(conn->soft, startup_timeouts, 1);
}

/**
 * xiw_soft_conn_report - raise an XIW_EV_CONN
 * @conn: the connection
 * @what: event
 * @status: outcome
 *
 * Each event returns the buffer to the driver. XIW_CONN_REQUEST returns the buffer only until
 * ACCEPT or REJECT, so conn->buf stays set. If the conn has no slot, the function raises no event.
 *
 * Context: process, with interrupts enabled. The poll may run here, unless BH are disabled.
 */
void xiw_soft_conn_report(struct xiw_soft_conn *conn, enum xiw_conn_event what,
			  enum xiw_status status)
{
	if (what != XIW_CONN_REQUEST)
		conn->buf = NULL;
	/* After a failure, the driver may use the stream for another connection. */
	if (status && conn->stream)
		xiw_soft_stream_unexpect(conn->stream, conn);
	xiw_soft_conn_count(conn, status);
	if (!conn->slotted)
		return;
	conn->notice.ev = (struct xiw_event){
		.type = XIW_EV_CONN,
		.status = status,
		.stream = cpu_to_le32(conn->stream_index),
		.conn.conn = cpu_to_le32(conn->slot),
		.conn.listener = cpu_to_le32(conn->listener ? conn->listener->index : 0),
		.conn.stream = cpu_to_le32(conn->stream_index),
		.conn.what = what,
	};
	xiw_raise_begin();
	xiw_soft_notify(conn->soft, &conn->notice);
	xiw_raise_end();
}

int xiw_soft_conn_require(struct xiw_soft_conn *conn)
{
	int err;

	if (conn->tls || !(conn->params.flags & cpu_to_le32(XIW_CONNF_ENCRYPT)))
		return 0;
	err = xiw_soft_encrypt_require(conn->sock->sk);
	conn->encrypted = !err;
	return err;
}

u32 xiw_soft_conn_layers(const struct xiw_soft_conn *conn)
{
	u32 layers = max(xiw_soft_encrypted_both_ways(conn->sock->sk), 0);

	return conn->tls ? layers | XIW_CONNF_TLS : layers;
}

bool xiw_soft_conn_exposed(const struct xiw_soft_conn *conn)
{
	bool clear;

	if (!conn->encrypted)
		return false;
	clear = !xiw_soft_encrypt_check(conn->sock->sk);
	if (conn->opened)
		xiw_soft_stream_kick(conn->stream);
	return clear;
}

/**
 * xiw_soft_conn_opened - pass the socket to the stream after MPA negotiation
 * @conn: conn; its setup has the agreed parameters
 * @what: event to report
 *
 * After an error, the function raises no event. The conn then still owns the socket, but has no
 * time limit.
 *
 * Return: 0; or an errno if the stream is gone, there is no memory, or the connection is not
 * encrypted.
 */
int xiw_soft_conn_opened(struct xiw_soft_conn *conn, enum xiw_conn_event what)
{
	struct sock *sk = conn->sock->sk;
	struct xiw_conn_params wanted = conn->params;
	int err, layers;
	u32 mulpdu;

	conn->bounded = false;
	layers = conn->encrypted ? xiw_soft_encrypt_check(sk) : xiw_soft_encrypted(sk);
	if (conn->encrypted && layers <= 0)
		return layers == -ENOMEM ? -ENOMEM : -ENOKEY;
	xiw_setup_agree(conn->setup, &conn->params);
	conn->params.flags |= cpu_to_le32(max(layers, 0) | (conn->tls ? XIW_CONNF_TLS : 0));
	xiw_soft_socket_peer_time(conn->sock, le32_to_cpu(conn->params.peer_ms));
	err = xiw_soft_stream_open(conn->stream, conn, sk, &conn->params);
	if (err) {
		conn->params = wanted;
		return err;
	}
	xiw_soft_stream_unexpect(conn->stream, conn);
	/* xiw_soft_stream_open() has taken a reference, which xiw_soft_stream_closed() drops. */
	xiw_soft_stream_put(conn->stream);
	conn->opened = true;

	mulpdu = xiw_mulpdu(xiw_soft_segment_size(sk, conn->tls), conn->setup->agreed.tx_markers);
	if (conn->params.mulpdu_max)
		mulpdu = min_t(u32, mulpdu, max_t(u32, le16_to_cpu(conn->params.mulpdu_max),
						  XIW_MULPDU_MIN));
	conn->buf->mulpdu = cpu_to_le32(mulpdu);
	conn->buf->params = conn->params;
	kfree(conn->setup);
	conn->setup = NULL;
	xiw_soft_conn_report(conn, what, XIW_OK);
	return 0;
}

static void abort_stream(struct xiw_soft_conn *conn)
{
	/* After the abort, the stream calls xiw_soft_conn_release(). */
	conn->aborted = true;
	conn->bounded = false;
	xiw_soft_stream_abort(conn->stream);
}

static enum xiw_soft_conn_state stay_open(struct xiw_soft_conn *conn)
{
	u32 linger_ms = le32_to_cpu(conn->params.linger_ms);

	if (test_and_clear_bit(XIW_NOTE_LINGER, &conn->inbox) && !conn->bounded && !conn->aborted)
		xiw_soft_conn_bound(conn, linger_ms, XIW_CONN_LINGER_MS);
	if (test_bit(XIW_NOTE_FIN, &conn->inbox) && !conn->fin_sent) {
		conn->fin_sent = xiw_soft_socket_fin(conn->sock);
		conn->retry = !conn->fin_sent;
		xiw_soft_stream_kick(conn->stream);
	}
	if (test_and_clear_bit(XIW_NOTE_RELEASE, &conn->inbox)) {
		if (test_bit(XIW_NOTE_RESET, &conn->inbox)) {
			xiw_soft_conn_close(conn, true);
			return XIW_CONN_CLOSED;
		}
		if (!conn->bounded)
			xiw_soft_conn_bound(conn, linger_ms, XIW_CONN_LINGER_MS);
		return XIW_CONN_CLOSING;
	}
	if (conn->aborted)
		return XIW_CONN_OPEN;
	if (xiw_soft_conn_exposed(conn)) {
		xiw_soft_stream_state(conn->stream, XIW_ST_UNENCRYPTED);
		abort_stream(conn);
	} else if (xiw_soft_conn_expired(conn) || test_bit(XIW_NOTE_STOP, &conn->inbox)) {
		abort_stream(conn);
	}
	return XIW_CONN_OPEN;
}

/*
 * Send a FIN, then discard octets until the peer's FIN. If this end released the socket earlier,
 * TCP could send a reset. The reset could overtake data that the peer has not read yet, such as the
 * Terminate (RFC 5040 §6.2.1).
 */
static enum xiw_soft_conn_state closing(struct xiw_soft_conn *conn)
{
	int calls = 0, n;

	kfree(conn->setup);
	conn->setup = NULL;
	if (test_bit(XIW_NOTE_STOP, &conn->inbox) || xiw_soft_conn_expired(conn) ||
	    xiw_soft_conn_exposed(conn)) {
		xiw_soft_conn_close(conn, true);
		return XIW_CONN_CLOSED;
	}
	if (!conn->fin_sent) {
		conn->fin_sent = xiw_soft_socket_fin(conn->sock);
		conn->retry = !conn->fin_sent;
	}
	do {
		n = xiw_soft_conn_read(conn, NULL, DISCARD_SIZE);
	} while (n > 0 && ++calls < DISCARD_CALLS);
	if (inet_sk_state_load(conn->sock->sk) == TCP_CLOSE) {
		xiw_soft_conn_close(conn, false);
		return XIW_CONN_CLOSED;
	}
	if (n > 0)
		xiw_soft_conn_kick(conn);
	return XIW_CONN_CLOSING;
}

static enum xiw_soft_conn_state stay_closed(struct xiw_soft_conn *conn)
{
	conn->retry = !xiw_soft_tls_left(conn);
	return XIW_CONN_CLOSED;
}

/* -------------------------------------------------------------- the work item */

static enum xiw_soft_conn_state (*const steps[XIW_CONN_STATES])(struct xiw_soft_conn *conn) = {
	[XIW_CONN_POSTED] = xiw_soft_conn_posted,
	[XIW_CONN_WAIT_REQUEST] = xiw_soft_conn_wait_request,
	[XIW_CONN_DECIDE] = xiw_soft_conn_decide,
	[XIW_CONN_SEND_REPLY] = xiw_soft_conn_send,
	[XIW_CONN_START] = xiw_soft_conn_start,
	[XIW_CONN_CONNECTING] = xiw_soft_conn_connecting,
	[XIW_CONN_HANDSHAKE] = xiw_soft_conn_handshake,
	[XIW_CONN_SEND_REQUEST] = xiw_soft_conn_send,
	[XIW_CONN_WAIT_REPLY] = xiw_soft_conn_wait_reply,
	[XIW_CONN_OPEN] = stay_open,
	[XIW_CONN_SEND_LAST] = xiw_soft_conn_send,
	[XIW_CONN_CLOSING] = closing,
	[XIW_CONN_CLOSED] = stay_closed,
};

/*
 * Return: true if the driver waits for no event of the conn. In this case, CONN_FREE does not close
 * the connection.
 */
static bool finished(const struct xiw_soft_conn *conn)
{
	return conn->state >= XIW_CONN_OPEN;
}

static void obey_commands(struct xiw_soft_conn *conn)
{
	struct xiw_soft_command *command;
	enum xiw_status status;

	while ((command = xiw_soft_command_next(conn->soft, &conn->commands))) {
		status = XIW_ERR_INVALID;
		if (!conn->slotted) {
			/* An earlier command has freed the slot. */
		} else if (command->cmd.op == XIW_ADM_ACCEPT) {
			status = xiw_soft_conn_accept(conn, le32_to_cpu(command->cmd.other));
		} else if (command->cmd.op == XIW_ADM_REJECT) {
			status = xiw_soft_conn_reject(conn);
		} else if (command->cmd.op == XIW_ADM_CONN_FREE) {
			if (!finished(conn))
				xiw_soft_conn_close(conn, true);
			leave_slot(conn);
			status = XIW_OK;
		}
		xiw_soft_command_done(conn->soft, command, status);
	}
}

/*
 * Return: true while an initiator sets up the connection, and has not reported the outcome. The
 * result is also true for a responder in the TLS handshake. This does not matter, because the
 * caller uses the result only for XIW_NOTE_UNWANTED. This note comes from a stream, and the
 * responder has no stream yet.
 */
static bool connecting(const struct xiw_soft_conn *conn)
{
	return conn->state >= XIW_CONN_START && conn->state < XIW_CONN_OPEN;
}

static void obey_notes(struct xiw_soft_conn *conn)
{
	if (test_bit(XIW_NOTE_STOP, &conn->inbox)) {
		if (conn->state != XIW_CONN_OPEN)
			xiw_soft_conn_close(conn, true);
		leave_slot(conn);
	} else if (test_bit(XIW_NOTE_DROP, &conn->inbox)) {
		leave_slot(conn);
		xiw_soft_conn_close(conn, true);
	} else if (test_bit(XIW_NOTE_CROWDED, &conn->inbox)) {
		xiw_soft_conn_close(conn, true);
	} else if (test_bit(XIW_NOTE_UNWANTED, &conn->inbox) && connecting(conn)) {
		conn->lost = XIW_ERR_GONE;
	}
}

/* Return: true if the conn has no slot, and only closes TCP. */
static bool closes_alone(const struct xiw_soft_conn *conn)
{
	return !conn->slotted &&
	       (conn->state == XIW_CONN_SEND_LAST || conn->state == XIW_CONN_CLOSING);
}

/*
 * Queue the work item for the next deadline, retry or check of the encryption, because the socket
 * may have no event until then.
 */
static void come_back(struct xiw_soft_conn *conn)
{
	unsigned long delay = MAX_JIFFY_OFFSET;

	if (conn->bounded)
		delay = time_after(conn->deadline, jiffies) ? conn->deadline - jiffies : 0;
	if (conn->retry)
		delay = min(delay, msecs_to_jiffies(XIW_CONN_RETRY_MS));
	if (conn->encrypted && conn->state != XIW_CONN_CLOSED)
		delay = min(delay, msecs_to_jiffies(XIW_CONN_ENCRYPTION_MS));
	conn->retry = false;
	if (delay == MAX_JIFFY_OFFSET)
		return;
	refcount_inc(&conn->refs);
	if (!queue_delayed_work(conn->soft->wq, &conn->work, delay))
		xiw_soft_conn_put(conn);
}

static void conn_work(struct work_struct *work)
{
	struct xiw_soft_conn *conn = container_of(to_delayed_work(work), struct xiw_soft_conn,
						  work);
	unsigned int noio = memalloc_noio_save();
	enum xiw_soft_conn_state before;

	obey_notes(conn);
	obey_commands(conn);
	do {
		before = conn->state;
		conn->state = steps[before](conn);
	} while (conn->state != before);
	if (closes_alone(conn) && !conn->limited)
		join_closing(conn);
	come_back(conn);
	memalloc_noio_restore(noio);
	xiw_soft_conn_put(conn);
}

bool xiw_soft_conn_prepare(struct xiw_soft_conn *conn, gfp_t gfp)
{
	conn->setup = kzalloc(sizeof(*conn->setup), gfp);
	return conn->setup;
}

/**
 * xiw_soft_conn_create - allocate a conn that is not in its slot yet
 * @soft: the RNIC
 * @slot: slot that the conn will use
 * @buf: buffer of the slot
 * @state: initial state
 * @gfp: flags for the allocations
 *
 * The caller puts the conn into soft->conns and starts it, or discards it.
 *
 * Context: process; the dispatcher of commands. Sleeps only if @gfp allows it.
 *
 * Return: the conn; NULL if there is no memory.
 */
struct xiw_soft_conn *xiw_soft_conn_create(struct xiw_soft *soft, u32 slot,
					   struct xiw_conn_buf *buf,
					   enum xiw_soft_conn_state state, gfp_t gfp)
{
	struct xiw_soft_cm *cm = soft->cm;
	struct xiw_soft_conn *conn;

	conn = kzalloc(sizeof(*conn), gfp);
	if (!conn)
		return NULL;
	/*
	 * Many slots wait for a connection. To save memory, a responder allocates the setup only
	 * when a TCP connection arrives.
	 */
	if (state != XIW_CONN_POSTED && !xiw_soft_conn_prepare(conn, gfp)) {
		kfree(conn);
		return NULL;
	}
	conn->soft = soft;
	conn->slot = slot;
	conn->state = state;
	conn->slotted = true;
	conn->buf = buf;
	conn->params = buf->params;
	refcount_set(&conn->refs, 2);	/* references slot and life (conn.h) */
	INIT_DELAYED_WORK(&conn->work, conn_work);
	INIT_LIST_HEAD(&conn->commands);
	INIT_LIST_HEAD(&conn->closing);
	INIT_LIST_HEAD(&conn->member);
	xiw_soft_cm_join(cm, &conn->node, &cm->conns);
	return conn;
}

/* Free a conn that was never in its slot. */
void xiw_soft_conn_discard(struct xiw_soft_conn *conn)
{
	conn->slotted = false;
	xiw_soft_conn_close(conn, false);
	xiw_soft_conn_put(conn);
}
