// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The steps of a conn's work item until the stream is open. The steps handle sockets, time limits
 * and reports; core/setup.h implements the MPA negotiation. A step that must wait returns the
 * current state. Octets after a Reply stay in TCP for the stream. A peer must not send octets after
 * its Request before it has received the Reply.
 */
#include "soft/conn.h"

#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/inet_sock.h>
#include <net/tcp_states.h>

#include "soft/congestion.h"
#include "soft/listen.h"
#include "soft/tls.h"

static void describe_peer(struct xiw_soft_conn *conn, const struct xiw_mpa_frame *frame)
{
	struct xiw_conn_buf *buf = conn->buf;

	xiw_soft_socket_addrs(conn->sock->sk, &buf->local, &buf->remote);
	xiw_setup_describe(conn->setup, frame, buf);
}

/*
 * Receive the MPA frame of the peer, and set @step to the next step.
 * Return: 0; -EAGAIN; -EPROTO if the frame is invalid; -ECONNRESET at a FIN; or an error of TCP.
 */
static int receive(struct xiw_soft_conn *conn, enum xiw_setup_step *step)
{
	struct xiw_setup *s = conn->setup;
	int n;

	while ((*step = xiw_setup_next(s)) == XIW_SETUP_RECEIVE) {
		n = xiw_soft_conn_read(conn, s->rx + s->rx_len, s->rx_want);
		if (n <= 0)
			return n ?: -ECONNRESET;
		s->rx_len += n;
	}
	return *step == XIW_SETUP_BAD ? -EPROTO : 0;
}

static enum xiw_status startup_status(int err)
{
	return err == -EPROTO ? XIW_ERR_PROTOCOL : xiw_soft_status(err);
}

static void linger(struct xiw_soft_conn *conn)
{
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.linger_ms), XIW_CONN_LINGER_MS);
}

/*
 * End the setup, and send the peer no reason. After a timeout, reset TCP, because a FIN may never
 * reach the peer. Also reset TCP if a layer below TCP must encrypt the connection. Without a reset,
 * TCP could later send octets in the clear.
 */
static enum xiw_soft_conn_state fail(struct xiw_soft_conn *conn, enum xiw_status status)
{
	switch (conn->state) {
	case XIW_CONN_SEND_LAST:	/* the outcome was already reported */
		break;
	case XIW_CONN_SEND_REPLY:
		xiw_soft_conn_report(conn, XIW_CONN_FAILED, status);
		break;
	default:
		xiw_soft_conn_report(conn, XIW_CONN_REPLY, status);
	}
	xiw_soft_conn_close(conn, status == XIW_ERR_TIMEOUT || conn->encrypted);
	return XIW_CONN_CLOSED;
}

enum xiw_soft_conn_state xiw_soft_conn_send(struct xiw_soft_conn *conn)
{
	struct xiw_setup *s = conn->setup;
	enum xiw_setup_step step;
	int n;

	if (conn->lost)
		return fail(conn, conn->lost);
	if (xiw_soft_conn_exposed(conn))
		return fail(conn, XIW_ERR_UNENCRYPTED);
	while ((step = xiw_setup_next(s)) == XIW_SETUP_SEND) {
		n = xiw_soft_socket_write(conn->sock, s->tx + s->tx_at, s->tx_len - s->tx_at);
		if (n == -EAGAIN && !xiw_soft_conn_expired(conn)) {
			conn->retry = true;
			return conn->state;
		}
		if (n <= 0)
			return fail(conn, n == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(n));
		s->tx_at += n;
	}
	switch (step) {
	case XIW_SETUP_OPEN:
		n = xiw_soft_conn_opened(conn, XIW_CONN_ACCEPTED);
		if (!n)
			return XIW_CONN_OPEN;
		xiw_soft_conn_report(conn, XIW_CONN_FAILED, xiw_soft_status(n));
		xiw_soft_conn_close(conn, true);
		return XIW_CONN_CLOSED;
	case XIW_SETUP_CLOSE:
		return XIW_CONN_CLOSING;
	default:
		return XIW_CONN_WAIT_REPLY;
	}
}

/* ----------------------------------------------------------------- initiator */

/*
 * Create a socket and connect it from @local. Return: 0 or an errno. conn->sock is NULL if the
 * socket could not be created, or if xiw_soft_conn_adopt() failed and released the socket. After
 * any other error, conn->sock is still the new socket.
 */
static int dial(struct xiw_soft_conn *conn, const struct xiw_addr *local)
{
	struct socket *sock;
	int err;

	err = xiw_soft_socket_create(conn->soft, conn->buf->remote.family, &sock);
	if (err)
		return err;
	err = xiw_soft_conn_adopt(conn, sock, NULL);
	if (err)
		return err;
	xiw_soft_socket_segments(sock, READ_ONCE(conn->soft->rnic->netdev->mtu));
	xiw_soft_congestion_set(conn->soft->rnic, sock);
	err = xiw_soft_socket_options(sock, &conn->params);
	if (!err && local->family)
		err = xiw_soft_socket_bind_initiator(sock, local);
	if (!err)
		err = xiw_soft_socket_connect(sock, &conn->buf->remote);
	return err;
}

/*
 * Connect from a port that TCP chooses, because TCP already has a connection from the requested
 * port to the same destination. A bound socket keeps its port, so use a new socket.
 */
static int dial_from_any_port(struct xiw_soft_conn *conn)
{
	struct xiw_addr any = conn->buf->local;

	any.port = 0;
	xiw_soft_conn_drop_socket(conn, false);
	return dial(conn, &any);
}

enum xiw_soft_conn_state xiw_soft_conn_start(struct xiw_soft_conn *conn)
{
	const struct xiw_addr *local = &conn->buf->local;
	int err;

	if (conn->lost)
		return fail(conn, conn->lost);
	if (!xiw_setup_initiate(conn->setup, &conn->params, XIW_SOFT_MAX_DEPTH,
				conn->buf->private_data,
				  le16_to_cpu(conn->buf->private_length)))
		return fail(conn, XIW_ERR_INVALID);
	err = dial(conn, local);
	if (err == -EADDRNOTAVAIL && conn->sock && xiw_soft_socket_may_choose(conn->sock, local))
		err = dial_from_any_port(conn);
	if (err && err != -EINPROGRESS)
		return fail(conn, startup_status(err));
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms), XIW_CONN_STARTUP_MS);
	return XIW_CONN_CONNECTING;
}

static enum xiw_soft_conn_state begin_request(struct xiw_soft_conn *conn)
{
	int err = xiw_soft_conn_require(conn);

	return err ? fail(conn, xiw_soft_status(err)) : XIW_CONN_SEND_REQUEST;
}

enum xiw_soft_conn_state xiw_soft_conn_connecting(struct xiw_soft_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	if (conn->lost)
		return fail(conn, conn->lost);
	switch (inet_sk_state_load(sk)) {
	case TCP_SYN_SENT:
	case TCP_SYN_RECV:
		if (xiw_soft_conn_expired(conn))
			return fail(conn, XIW_ERR_TIMEOUT);
		return XIW_CONN_CONNECTING;
	case TCP_ESTABLISHED:
	case TCP_CLOSE_WAIT:
		if (READ_ONCE(conn->soft->rnic->tls) == XIW_NL_TLS_REQUIRE)
			return XIW_CONN_HANDSHAKE;
		return begin_request(conn);
	default:
		return fail(conn, xiw_soft_socket_status(sk));
	}
}

/*
 * Report that the stream cannot be opened, although the Reply was valid. Send the peer the reason.
 */
static enum xiw_soft_conn_state send_reason(struct xiw_soft_conn *conn, enum xiw_status status)
{
	xiw_soft_conn_report(conn, XIW_CONN_REPLY, status);
	linger(conn);
	return XIW_CONN_SEND_LAST;
}

enum xiw_soft_conn_state xiw_soft_conn_wait_reply(struct xiw_soft_conn *conn)
{
	struct xiw_setup *s = conn->setup;
	enum xiw_setup_step step;
	int err;

	if (conn->lost)
		return fail(conn, conn->lost);
	err = receive(conn, &step);
	/* TCP may still retransmit parts of the Request, which must not leave in the clear. */
	if (err == -EAGAIN && xiw_soft_conn_exposed(conn))
		return fail(conn, XIW_ERR_UNENCRYPTED);
	if (err == -EAGAIN && !xiw_soft_conn_expired(conn))
		return XIW_CONN_WAIT_REPLY;
	if (err)
		return fail(conn, err == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(err));

	describe_peer(conn, &s->reply);
	switch (step) {
	case XIW_SETUP_OPEN:
		err = xiw_soft_conn_opened(conn, XIW_CONN_REPLY);
		if (!err)
			return XIW_CONN_OPEN;
		xiw_setup_refuse(s, XIW_FAULT_LLP_LOCAL);
		return send_reason(conn, xiw_soft_status(err));
	case XIW_SETUP_REJECTED:
		xiw_soft_conn_report(conn, XIW_CONN_REPLY, XIW_ERR_REJECTED);
		linger(conn);
		return XIW_CONN_CLOSING;
	case XIW_SETUP_UNABLE:
		return send_reason(conn, XIW_ERR_PROTOCOL);
	default:
		return fail(conn, XIW_ERR_PROTOCOL);
	}
}

/* ----------------------------------------------------------------- responder */

/*
 * Post the slot to the listener, but not while the kernel may still use the file of a cancelled
 * handshake. If the listener ends, the post fails, and a note ends the conn.
 */
static enum xiw_soft_conn_state post_slot(struct xiw_soft_conn *conn)
{
	conn->retry = !xiw_soft_tls_left(conn);
	if (!conn->retry)
		xiw_soft_listener_post(conn);
	return XIW_CONN_POSTED;
}

/*
 * Drop the current peer without a report to the driver, and make the slot wait for the next peer.
 */
static enum xiw_soft_conn_state next_peer(struct xiw_soft_conn *conn, enum xiw_status why)
{
	xiw_soft_conn_count(conn, why);
	xiw_soft_conn_drop_socket(conn, why == XIW_ERR_TIMEOUT || why == XIW_ERR_NOMEM);
	conn->bounded = false;
	kfree(conn->setup);
	conn->setup = NULL;
	return post_slot(conn);
}

static enum xiw_soft_conn_state handshake_failed(struct xiw_soft_conn *conn,
						 enum xiw_status status)
{
	xiw_soft_count(conn->soft, tls_errors, 1);
	return conn->listener ? next_peer(conn, status) : fail(conn, status);
}

/*
 * Return: true if other peers wait for a slot, and the time XIW_TLS_SILENT_MS of this peer has
 * passed.
 */
static bool handshake_silent(struct xiw_soft_conn *conn)
{
	unsigned long end = conn->established_at + msecs_to_jiffies(XIW_TLS_SILENT_MS);

	if (!test_bit(XIW_NOTE_SILENT, &conn->inbox))
		return false;
	conn->retry = time_before(jiffies, end);
	return !conn->retry;
}

/* Ask the agent for a handshake. If the agent cannot take the request now, ask again later. */
static enum xiw_soft_conn_state handshake_begin(struct xiw_soft_conn *conn)
{
	unsigned long now = jiffies;
	u32 left = time_after(conn->deadline, now) ? jiffies_to_msecs(conn->deadline - now) : 0;
	int err = xiw_soft_tls_begin(conn, conn->listener, max(left, 1U));

	if (err == -EAGAIN || (err == -ENOMEM && conn->sock)) {
		conn->retry = true;
		return XIW_CONN_HANDSHAKE;
	}
	return err ? handshake_failed(conn, XIW_ERR_UNENCRYPTED) : XIW_CONN_HANDSHAKE;
}

enum xiw_soft_conn_state xiw_soft_conn_handshake(struct xiw_soft_conn *conn)
{
	if (conn->lost)
		return fail(conn, conn->lost);
	if (!test_and_clear_bit(XIW_NOTE_TLS, &conn->inbox)) {
		if (xiw_soft_conn_expired(conn) || handshake_silent(conn))
			return handshake_failed(conn, XIW_ERR_TIMEOUT);
		return conn->shaking ? XIW_CONN_HANDSHAKE : handshake_begin(conn);
	}
	if (xiw_soft_tls_finish(conn))
		return handshake_failed(conn, XIW_ERR_UNENCRYPTED);
	xiw_soft_count(conn->soft, tls_handshakes, 1);
	if (!conn->listener)
		return begin_request(conn);
	xiw_soft_listener_heard(conn);
	return XIW_CONN_WAIT_REQUEST;
}

enum xiw_soft_conn_state xiw_soft_conn_posted(struct xiw_soft_conn *conn)
{
	struct xiw_soft_listener *l = conn->listener;
	struct socket *sock;

	spin_lock(&l->lock);
	sock = conn->accepted;
	conn->accepted = NULL;
	spin_unlock(&l->lock);
	if (!sock)
		return conn->tls_file ? post_slot(conn) : XIW_CONN_POSTED;
	if (xiw_soft_conn_adopt(conn, sock, &l->calls))
		return next_peer(conn, XIW_ERR_BUSY);
	if (!xiw_soft_conn_prepare(conn, GFP_KERNEL))
		return next_peer(conn, XIW_ERR_NOMEM);
	xiw_setup_await(conn->setup, conn->params.mpa_rev ?: l->params.mpa_rev,
			XIW_SOFT_MAX_DEPTH);
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms ?: l->params.startup_ms),
			    XIW_CONN_STARTUP_MS);
	return XIW_CONN_WAIT_REQUEST;
}

enum xiw_soft_conn_state xiw_soft_conn_wait_request(struct xiw_soft_conn *conn)
{
	struct xiw_setup *s = conn->setup;
	u8 mode = READ_ONCE(conn->soft->rnic->tls), octet;
	enum xiw_setup_step step;
	u32 layers;
	int err = 0;

	/* The first octet shows whether the peer begins TLS. Read nothing before it arrives. */
	if (mode && !conn->tls && !s->rx_len) {
		err = xiw_soft_socket_peek(conn->sock, &octet);
		if (err > 0 && octet == XIW_TLS_HANDSHAKE) {
			xiw_soft_listener_heard(conn);
			return XIW_CONN_HANDSHAKE;
		}
		if (err > 0 && mode == XIW_NL_TLS_REQUIRE)
			return next_peer(conn, XIW_ERR_UNENCRYPTED);
		err = err > 0 ? 0 : err ?: -ECONNRESET;
	}
	if (!err)
		err = receive(conn, &step);
	if (err == -EAGAIN && !xiw_soft_conn_expired(conn) &&
	    !test_bit(XIW_NOTE_SILENT, &conn->inbox))
		return XIW_CONN_WAIT_REQUEST;
	if (err)
		return next_peer(conn, err == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(err));
	if (step != XIW_SETUP_DECIDE || xiw_soft_socket_unread(conn->sock))
		return next_peer(conn, XIW_ERR_PROTOCOL);
	describe_peer(conn, &s->request);
	/*
	 * Report the layers that encrypt the connection. The driver may require encryption now,
	 * even if it did not require encryption when it posted the slot.
	 */
	layers = xiw_soft_conn_layers(conn);
	conn->buf->params.flags = conn->params.flags |
				  cpu_to_le32(xiw_setup_offer(&s->request) | layers);
	if (!xiw_soft_listener_request(conn))
		return XIW_CONN_WAIT_REQUEST;
	xiw_soft_conn_bound(conn, XIW_CONN_DECIDE_MS, 0);
	return XIW_CONN_DECIDE;
}

/*
 * Return: true if the TCP connection is open. With TCP Fast Open, the Request may arrive in the
 * SYN, and the ULP may answer the Request in the state TCP_SYN_RECV.
 */
static bool is_open(const struct sock *sk)
{
	int state = inet_sk_state_load(sk);

	return state == TCP_ESTABLISHED || state == TCP_SYN_RECV;
}

enum xiw_soft_conn_state xiw_soft_conn_decide(struct xiw_soft_conn *conn)
{
	struct sock *sk;

	if (conn->lost)
		return XIW_CONN_DECIDE;
	sk = conn->sock->sk;
	if (xiw_soft_conn_expired(conn))
		conn->lost = XIW_ERR_TIMEOUT;
	else if (xiw_soft_socket_unread(conn->sock))
		conn->lost = XIW_ERR_PROTOCOL;
	else if (!is_open(sk))
		conn->lost = xiw_soft_socket_status(sk);
	if (conn->lost) {
		conn->bounded = false;
		xiw_soft_conn_drop_socket(conn, conn->lost == XIW_ERR_TIMEOUT);
	}
	return XIW_CONN_DECIDE;
}

static bool private_data_fits(const struct xiw_soft_conn *conn)
{
	return xiw_setup_fits(conn->setup, le16_to_cpu(conn->buf->private_length));
}

/**
 * xiw_soft_conn_accept - execute XIW_ADM_ACCEPT
 * @conn: conn in any state
 * @index: index of the stream to open
 *
 * Return: status of the command. After XIW_OK, one event reports the outcome.
 */
enum xiw_status xiw_soft_conn_accept(struct xiw_soft_conn *conn, u32 index)
{
	int err;

	if (conn->state != XIW_CONN_DECIDE || !private_data_fits(conn))
		return XIW_ERR_INVALID;
	conn->stream = xiw_soft_stream_get(conn->soft, index);
	if (!conn->stream)
		return XIW_ERR_INVALID;
	conn->stream_index = index;
	conn->params = conn->buf->params;
	xiw_soft_conn_decide(conn);
	conn->state = XIW_CONN_SEND_REPLY;
	if (!xiw_soft_stream_expect(conn->stream, conn) && !conn->lost)
		conn->lost = XIW_ERR_GONE;
	if (conn->lost)
		return XIW_OK;
	err = xiw_soft_conn_require(conn);
	if (err) {
		conn->lost = xiw_soft_status(err);
		return XIW_OK;
	}

	xiw_soft_congestion_set(conn->soft->rnic, conn->sock);
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms), XIW_CONN_STARTUP_MS);
	if (!xiw_setup_accept(conn->setup, &conn->params, conn->buf->private_data,
			      le16_to_cpu(conn->buf->private_length)))
		conn->lost = XIW_ERR_PROTOCOL;
	else if (xiw_soft_socket_options(conn->sock, &conn->params))
		conn->lost = XIW_ERR_INVALID;
	return XIW_OK;
}

/**
 * xiw_soft_conn_reject - execute XIW_ADM_REJECT
 * @conn: conn in any state
 *
 * Return: status of the command; no event follows.
 */
enum xiw_status xiw_soft_conn_reject(struct xiw_soft_conn *conn)
{
	u16 length;

	if (conn->state != XIW_CONN_DECIDE || !private_data_fits(conn))
		return XIW_ERR_INVALID;
	conn->params = conn->buf->params;
	xiw_soft_conn_decide(conn);
	if (!conn->lost) {
		length = le16_to_cpu(conn->buf->private_length);
		/*
		 * If the driver requires encryption and the connection is not encrypted, the Reply
		 * may leave in the clear, but without the private data of the ULP.
		 */
		if (length && xiw_soft_conn_require(conn))
			length = 0;
		xiw_setup_reject(conn->setup, &conn->params, conn->buf->private_data, length);
		linger(conn);
	}
	conn->buf = NULL;
	conn->state = XIW_CONN_SEND_LAST;
	return XIW_OK;
}
