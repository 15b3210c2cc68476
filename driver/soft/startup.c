// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * MPA negotiation over a socket (RFC 5044 §7.1, RFC 6581): the steps of the conn's work until
 * the stream is open. A step that must wait returns the state in which it was called.
 * Octets after a Reply stay in TCP for the stream. There must be no octets after a Request
 * before the Reply of this end.
 */
#include "soft/conn.h"

#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/inet_sock.h>
#include <net/tcp_states.h>

#include "core/ddp_header.h"
#include "core/fpdu.h"
#include "core/term.h"
#include "soft/listen.h"

static const struct {
	u32 flag;
	u8 rtr;
} rtr_flags[] = {
	{ XIW_CONNF_RTR_SEND, XIW_RTR_SEND },
	{ XIW_CONNF_RTR_WRITE, XIW_RTR_WRITE },
	{ XIW_CONNF_RTR_READ, XIW_RTR_READ },
};

/* ------------------------------------------------- conversion between driver and core */

static u16 depth(__le16 value)
{
	return min_t(u16, le16_to_cpu(value), XIW_MPA_DEPTH_NONE);
}

static void wish_from_params(struct xiw_soft_conn *conn)
{
	const struct xiw_conn_params *p = &conn->params;
	u32 flags = le32_to_cpu(p->flags);
	struct xiw_mpa_config *wish = &conn->startup->wish;
	int i;

	*wish = (struct xiw_mpa_config){
		.rev = p->mpa_rev ?: 2,
		.crc = flags & XIW_CONNF_CRC,
		.markers = flags & XIW_CONNF_RX_MARKERS,
		.p2p = flags & XIW_CONNF_P2P,
		.ird = depth(p->ird),
		.ord = depth(p->ord),
		.max_ird = XIW_SOFT_MAX_DEPTH,
	};
	for (i = 0; i < ARRAY_SIZE(rtr_flags); i++)
		if (flags & rtr_flags[i].flag)
			wish->rtr |= rtr_flags[i].rtr;
	/* A responder must accept some kind of RTR (RFC 6581 §9.2). */
	if (conn->listener && !wish->rtr)
		wish->rtr = XIW_RTR_WRITE | XIW_RTR_READ;
}

static u32 rtr_to_flags(u8 rtr)
{
	u32 flags = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(rtr_flags); i++)
		if (rtr & rtr_flags[i].rtr)
			flags |= rtr_flags[i].flag;
	return flags;
}

static u32 frame_flags(const struct xiw_mpa_frame *frame)
{
	u32 flags = 0;

	if (frame->enhanced)
		flags |= XIW_CONNF_ENHANCED;
	if (frame->enhanced && frame->p2p)
		flags |= XIW_CONNF_P2P | rtr_to_flags(frame->rtr);
	return flags;
}

/* Pass the values of the peer's frame to the ULP unchanged (RFC 6581 §9.1). */
static void tell_peer_frame(struct xiw_soft_conn *conn, const struct xiw_mpa_frame *frame)
{
	const u8 *rx = conn->startup->rx;
	struct xiw_conn_buf *buf = conn->buf;

	xiw_soft_socket_addrs(conn->sock->sk, &buf->local, &buf->remote);
	buf->peer_flags = rx[XIW_MPA_FLAGS_AT];
	buf->peer_rev = rx[XIW_MPA_REV_AT];
	buf->peer_ird = cpu_to_le16(frame->enhanced ? frame->ird : XIW_MPA_DEPTH_NONE);
	buf->peer_ord = cpu_to_le16(frame->enhanced ? frame->ord : XIW_MPA_DEPTH_NONE);
	buf->peer_offer = cpu_to_le16(frame_flags(frame));
	buf->private_length = cpu_to_le16(frame->pd_len);
	memcpy(buf->private_data, rx + frame->pd_at, frame->pd_len);
}

void xiw_soft_conn_agreed(struct xiw_soft_conn *conn, bool initiator)
{
	const struct xiw_mpa_agreed *a = &conn->startup->agreed;
	struct xiw_conn_params *p = &conn->params;
	u32 flags = le32_to_cpu(p->flags) &
		    (XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE | XIW_CONNF_V6ONLY | XIW_CONNF_TOS);

	if (a->crc)
		flags |= XIW_CONNF_CRC;
	if (a->rx_markers)
		flags |= XIW_CONNF_RX_MARKERS;
	if (a->tx_markers)
		flags |= XIW_CONNF_TX_MARKERS;
	if (a->enhanced)
		flags |= XIW_CONNF_ENHANCED;
	if (a->p2p)
		flags |= XIW_CONNF_P2P | rtr_to_flags(a->rtr);
	if (initiator)
		flags |= XIW_CONNF_INITIATOR;
	p->flags = cpu_to_le32(flags);
	p->mpa_rev = a->rev;
	p->ird = cpu_to_le16(a->ird);
	p->ord = cpu_to_le16(a->ord);
}

/* -------------------------------------------------------------------- frames */

static bool build_frame(struct xiw_soft_conn *conn, struct xiw_mpa_frame *frame)
{
	struct xiw_soft_startup *s = conn->startup;

	frame->pd_len = le16_to_cpu(conn->buf->private_length);
	s->tx_at = 0;
	s->tx_len = xiw_mpa_build(s->tx, frame, conn->buf->private_data);
	return s->tx_len;
}

/*
 * Read a frame and nothing after it; its first octets contain its length.
 * Return: 0 when the frame is complete, -EAGAIN, -EPROTO, -ECONNRESET at a FIN, or an error
 * of TCP.
 */
static int read_frame(struct xiw_soft_conn *conn, enum xiw_mpa_kind kind,
		      struct xiw_mpa_frame *frame)
{
	struct xiw_soft_startup *s = conn->startup;
	u32 total;
	int n;

	for (;;) {
		total = 0;
		switch (xiw_mpa_parse(frame, kind, s->rx, s->rx_len, &total)) {
		case XIW_MPA_FRAME:
			return 0;
		case XIW_MPA_BAD:
			return -EPROTO;
		case XIW_MPA_NEED:
			break;
		}
		if (WARN_ON_ONCE(total <= s->rx_len || total > sizeof(s->rx)))
			return -EPROTO;
		n = xiw_soft_socket_read(conn->sock, s->rx + s->rx_len, total - s->rx_len);
		if (n <= 0)
			return n ?: -ECONNRESET;
		s->rx_len += n;
	}
}

/* The only FPDU that is sent without a stream (RFC 6581 §9). */
static void build_terminate(struct xiw_soft_conn *conn, enum xiw_fault fault)
{
	struct xiw_soft_startup *s = conn->startup;
	struct xiw_framing framing = {
		.crc = s->wish.crc || s->reply.crc,
		.markers = s->reply.markers,
	};
	u8 header[XIW_DDP_HDR_MAX], message[XIW_TERM_LEN_MAX];
	struct xiw_span parts[] = {
		{ .p = header, .len = XIW_DDP_UNTAGGED_LEN },
		{ .p = message },
	};

	xiw_ddp_put_untagged(header, xiw_rdmap_ctrl(XIW_OP_TERMINATE), true, 0, XIW_QN_TERMINATE,
			     XIW_DDP_FIRST_MSN, 0);
	parts[1].len = xiw_term_build(message, xiw_fault_code(fault), NULL, 0, 0);
	s->tx_at = 0;
	s->tx_len = xiw_fpdu_encode(s->tx, &framing, parts, ARRAY_SIZE(parts));
}

static enum xiw_status startup_status(int err)
{
	return err == -EPROTO ? XIW_ERR_PROTOCOL : xiw_soft_status(err);
}

static void linger(struct xiw_soft_conn *conn)
{
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.linger_ms), XIW_CONN_LINGER_MS);
}

/* End without a reason for the peer. Reset TCP if the peer would not receive a FIN. */
static enum xiw_soft_conn_state fail(struct xiw_soft_conn *conn, enum xiw_status status)
{
	switch (conn->state) {
	case XIW_CONN_SEND_LAST:	/* was reported before */
		break;
	case XIW_CONN_SEND_REPLY:
		xiw_soft_conn_report(conn, XIW_CONN_FAILED, status);
		break;
	default:
		xiw_soft_conn_report(conn, XIW_CONN_REPLY, status);
	}
	xiw_soft_conn_close(conn, status == XIW_ERR_TIMEOUT);
	return XIW_CONN_CLOSED;
}

enum xiw_soft_conn_state xiw_soft_conn_send(struct xiw_soft_conn *conn)
{
	struct xiw_soft_startup *s = conn->startup;
	int n;

	if (conn->lost)
		return fail(conn, conn->lost);
	while (s->tx_at < s->tx_len) {
		n = xiw_soft_socket_write(conn->sock, s->tx + s->tx_at, s->tx_len - s->tx_at);
		if (n == -EAGAIN && !xiw_soft_conn_expired(conn)) {
			conn->retry = true;
			return conn->state;
		}
		if (n <= 0)
			return fail(conn, n == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(n));
		s->tx_at += n;
	}
	switch (conn->state) {
	case XIW_CONN_SEND_REQUEST:
		return XIW_CONN_WAIT_REPLY;
	case XIW_CONN_SEND_REPLY:
		n = xiw_soft_conn_opened(conn, XIW_CONN_ACCEPTED);
		if (!n)
			return XIW_CONN_OPEN;
		xiw_soft_conn_report(conn, XIW_CONN_FAILED, xiw_soft_status(n));
		xiw_soft_conn_close(conn, true);
		return XIW_CONN_CLOSED;
	default:
		return XIW_CONN_CLOSING;
	}
}

/* ----------------------------------------------------------------- initiator */

enum xiw_soft_conn_state xiw_soft_conn_start(struct xiw_soft_conn *conn)
{
	const struct xiw_addr *local = &conn->buf->local;
	struct xiw_soft_startup *s = conn->startup;
	struct socket *sock;
	int err;

	if (conn->lost)
		return fail(conn, conn->lost);
	wish_from_params(conn);
	xiw_mpa_request(&s->request, &s->wish);
	if (!build_frame(conn, &s->request))
		return fail(conn, XIW_ERR_INVALID);
	err = xiw_soft_socket_create(conn->soft, conn->buf->remote.family, &sock);
	if (err)
		return fail(conn, startup_status(err));
	err = xiw_soft_conn_adopt(conn, sock, NULL);
	if (err)
		return fail(conn, startup_status(err));
	xiw_soft_socket_segments(sock, READ_ONCE(conn->soft->rnic->netdev->mtu));
	err = xiw_soft_socket_options(sock, &conn->params);
	if (!err && local->family)
		err = xiw_soft_socket_bind_initiator(sock, local);
	if (!err)
		err = xiw_soft_socket_connect(sock, &conn->buf->remote);
	if (err && err != -EINPROGRESS)
		return fail(conn, startup_status(err));
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms), XIW_CONN_STARTUP_MS);
	return XIW_CONN_CONNECTING;
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
		return XIW_CONN_SEND_REQUEST;
	default:
		return fail(conn, xiw_soft_socket_status(sk));
	}
}

/* The Reply was valid, but the stream cannot open: send the reason to the peer. */
static enum xiw_soft_conn_state terminate(struct xiw_soft_conn *conn, enum xiw_fault fault,
					  enum xiw_status status)
{
	build_terminate(conn, fault);
	xiw_soft_conn_report(conn, XIW_CONN_REPLY, status);
	linger(conn);
	return XIW_CONN_SEND_LAST;
}

enum xiw_soft_conn_state xiw_soft_conn_wait_reply(struct xiw_soft_conn *conn)
{
	struct xiw_soft_startup *s = conn->startup;
	enum xiw_fault fault;
	int err;

	if (conn->lost)
		return fail(conn, conn->lost);
	err = read_frame(conn, XIW_MPA_REPLY, &s->reply);
	if (err == -EAGAIN && !xiw_soft_conn_expired(conn))
		return XIW_CONN_WAIT_REPLY;
	if (err)
		return fail(conn, err == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(err));

	tell_peer_frame(conn, &s->reply);
	switch (xiw_mpa_conclude(&s->agreed, &fault, &s->request, &s->reply, &s->wish)) {
	case XIW_MPA_OPEN:
		err = xiw_soft_conn_opened(conn, XIW_CONN_REPLY);
		if (err)
			return terminate(conn, XIW_FAULT_LLP_LOCAL, xiw_soft_status(err));
		return XIW_CONN_OPEN;
	case XIW_MPA_REJECTED:
		xiw_soft_conn_report(conn, XIW_CONN_REPLY, XIW_ERR_REJECTED);
		linger(conn);
		return XIW_CONN_CLOSING;
	case XIW_MPA_TERMINATE:
		return terminate(conn, fault, XIW_ERR_PROTOCOL);
	default:
		return fail(conn, XIW_ERR_PROTOCOL);
	}
}

/* ----------------------------------------------------------------- responder */

/* The slot waits for the next peer; this one is not reported to the driver. */
static enum xiw_soft_conn_state next_peer(struct xiw_soft_conn *conn, enum xiw_status why)
{
	xiw_soft_conn_count(conn, why);
	xiw_soft_conn_drop_socket(conn, why == XIW_ERR_TIMEOUT || why == XIW_ERR_NOMEM);
	conn->bounded = false;
	kfree(conn->startup);
	conn->startup = NULL;
	/* If the listener is going down, it has left a note. */
	xiw_soft_listener_post(conn);
	return XIW_CONN_POSTED;
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
		return XIW_CONN_POSTED;
	if (xiw_soft_conn_adopt(conn, sock, &l->calls))
		return next_peer(conn, XIW_ERR_BUSY);
	if (!xiw_soft_conn_prepare(conn))
		return next_peer(conn, XIW_ERR_NOMEM);
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms ?: l->params.startup_ms),
			    XIW_CONN_STARTUP_MS);
	return XIW_CONN_WAIT_REQUEST;
}

enum xiw_soft_conn_state xiw_soft_conn_wait_request(struct xiw_soft_conn *conn)
{
	struct xiw_soft_startup *s = conn->startup;
	u8 rev = conn->params.mpa_rev ?: conn->listener->params.mpa_rev ?: 2;
	int err;

	err = read_frame(conn, XIW_MPA_REQUEST, &s->request);
	if (err == -EAGAIN && !xiw_soft_conn_expired(conn) &&
	    !test_bit(XIW_NOTE_SILENT, &conn->inbox))
		return XIW_CONN_WAIT_REQUEST;
	if (err)
		return next_peer(conn, err == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(err));
	/* A peer may fall back to a lower revision, RFC 6581 §10. */
	if (s->request.rev > rev || xiw_soft_socket_has_octets(conn->sock))
		return next_peer(conn, XIW_ERR_PROTOCOL);
	if (!xiw_soft_listener_leave(conn))
		return XIW_CONN_WAIT_REQUEST;

	tell_peer_frame(conn, &s->request);
	conn->buf->params.flags = conn->params.flags | cpu_to_le32(frame_flags(&s->request));
	xiw_soft_conn_bound(conn, XIW_CONN_DECIDE_MS, 0);
	xiw_soft_conn_report(conn, XIW_CONN_REQUEST, XIW_OK);
	return XIW_CONN_DECIDE;
}

enum xiw_soft_conn_state xiw_soft_conn_decide(struct xiw_soft_conn *conn)
{
	struct sock *sk;

	if (conn->lost)
		return XIW_CONN_DECIDE;
	sk = conn->sock->sk;
	if (xiw_soft_conn_expired(conn))
		conn->lost = XIW_ERR_TIMEOUT;
	else if (xiw_soft_socket_has_octets(conn->sock))
		conn->lost = XIW_ERR_PROTOCOL;
	else if (inet_sk_state_load(sk) != TCP_ESTABLISHED)
		conn->lost = xiw_soft_socket_status(sk);
	if (conn->lost) {
		conn->bounded = false;
		xiw_soft_conn_drop_socket(conn, conn->lost == XIW_ERR_TIMEOUT);
	}
	return XIW_CONN_DECIDE;
}

static bool private_data_fits(const struct xiw_soft_conn *conn)
{
	return le16_to_cpu(conn->buf->private_length) <=
	       (conn->startup->request.enhanced ? XIW_MPA_ENHANCED_PD_MAX : XIW_MPA_PD_MAX);
}

/**
 * xiw_soft_conn_accept - execute XIW_ADM_ACCEPT
 * @conn: conn in any state
 * @index: index of the stream to open
 *
 * Return: status of the command; one event follows XIW_OK.
 */
enum xiw_status xiw_soft_conn_accept(struct xiw_soft_conn *conn, u32 index)
{
	struct xiw_soft_startup *s = conn->startup;

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

	wish_from_params(conn);
	xiw_soft_conn_bound(conn, le32_to_cpu(conn->params.startup_ms), XIW_CONN_STARTUP_MS);
	if (xiw_mpa_respond(&s->reply, &s->agreed, &s->request, &s->wish) != XIW_MPA_OPEN)
		conn->lost = XIW_ERR_PROTOCOL;
	else if (!build_frame(conn, &s->reply) ||
		 xiw_soft_socket_options(conn->sock, &conn->params))
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
	struct xiw_soft_startup *s = conn->startup;

	if (conn->state != XIW_CONN_DECIDE || !private_data_fits(conn))
		return XIW_ERR_INVALID;
	conn->params = conn->buf->params;
	xiw_soft_conn_decide(conn);
	if (!conn->lost) {
		wish_from_params(conn);
		xiw_mpa_reject(&s->reply, &s->request, &s->wish);
		build_frame(conn, &s->reply);
		linger(conn);
	}
	conn->buf = NULL;
	conn->state = XIW_CONN_SEND_LAST;
	return XIW_OK;
}
