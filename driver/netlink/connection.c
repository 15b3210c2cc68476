// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * connection-get: connections and listeners. They share one range of numbers on a device. The
 * number of a listener is its index, which is less than max_listeners of the RNIC. The number of a
 * connection is its slot plus max_listeners.
 */
#include <linux/in.h>
#include <linux/in6.h>

#include "cm/cm.h"
#include "core/mpa_frame.h"
#include "core/setup.h"
#include "netlink/put.h"
#include "rdmap/inbound.h"
#include "rdmap/stream.h"

static_assert(XIW_QPS_COUNT - 1 == (int)XIW_NL_STREAM_STATE_MAX);
static_assert((int)XIW_NL_STREAM_STATE_ERROR == (int)XIW_QPS_ERROR);
static_assert((int)XIW_RTR_WRITE == (int)XIW_NL_RTR_WRITE);
static_assert((int)XIW_RTR_READ == (int)XIW_NL_RTR_READ);
static_assert((int)XIW_RTR_SEND == (int)XIW_NL_RTR_SEND);

/* State of a QP's stream. */
struct xiw_nl_stream {
	enum xiw_qps state;
	u32 bits;			/* enum xiw_stream_state */
	u32 term_sent, term_received;	/* as in struct xiw_qp */
	u32 ird_used, ord_used;
	bool parked;
};

static u32 xiw_nl_first_conn(const struct xiw_device *dev)
{
	return le32_to_cpu(dev->rnic.caps.max_listeners);
}

static void xiw_nl_stream(struct xiw_nl_stream *stream, struct xiw_qp *qp)
{
	unsigned long flags;

	memset(stream, 0, sizeof(*stream));
	stream->bits = xiw_stream_bits(qp);
	spin_lock_irqsave(&qp->lock, flags);
	stream->state = qp->state;
	stream->term_sent = qp->term_sent;
	stream->term_received = qp->term_received;
	spin_unlock_irqrestore(&qp->lock, flags);
	spin_lock_irqsave(&qp->sq_lock, flags);
	stream->ord_used = qp->orq.count;
	xiw_response_catch_up(qp);
	stream->ird_used = qp->inbound ? xiw_irrq_used(&qp->irrq) : 0;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	stream->parked = READ_ONCE(qp->ctx->rx_waiting);
}

/*
 * Get the state of MPA negotiation. Return: enum xiw_nl_mpa_state, or -1 if the state is unknown.
 * It is unknown during an active connect, because the RNIC reports only the outcome.
 */
static int xiw_nl_mpa_state(const struct xiw_startup *startup,
			    const struct xiw_nl_stream *stream)
{
	if (!startup->opened) {
		if (startup->outcome)
			return XIW_NL_MPA_STATE_CLOSED;
		return startup->initiator ? -1 : XIW_NL_MPA_STATE_ULP_DECIDE;
	}
	if (stream->bits & (XIW_ST_CLOSED | XIW_ST_LOST))
		return XIW_NL_MPA_STATE_CLOSED;
	if (stream->term_sent || stream->term_received || stream->state == XIW_QPS_TERMINATE)
		return XIW_NL_MPA_STATE_TERM;
	if (stream->bits & XIW_ST_PEER_CLOSED || stream->state >= XIW_QPS_CLOSING)
		return XIW_NL_MPA_STATE_CLOSING;
	return stream->state == XIW_QPS_RTR ? XIW_NL_MPA_STATE_WAIT_RTR :
					      XIW_NL_MPA_STATE_FULL;
}

/**
 * xiw_nl_put_address - put an address
 * @skb: message
 * @type: attribute
 * @ss: address; nothing is put if its family is not IP
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_put_address(struct sk_buff *skb, int type, const struct sockaddr_storage *ss)
{
	switch (ss->ss_family) {
	case AF_INET:
		return nla_put(skb, type, sizeof(struct sockaddr_in), ss);
	case AF_INET6:
		return nla_put(skb, type, sizeof(struct sockaddr_in6), ss);
	default:
		return 0;
	}
}

static int xiw_nl_put_addresses(struct sk_buff *skb, const struct xiw_conn *conn, bool outcome)
{
	/* acquire: pairs with xiw_cm_attach(), which writes the contents before the pointer */
	const struct iw_cm_id *cm_id = smp_load_acquire(&conn->cm_id);
	struct sockaddr_storage local, remote;

	if (READ_ONCE(conn->active) && !outcome) {
		if (!cm_id)
			return 0;
		local = cm_id->m_local_addr;
		remote = cm_id->m_remote_addr;
	} else {
		xiw_addr_to_sockaddr(&local, &conn->buf->local);
		xiw_addr_to_sockaddr(&remote, &conn->buf->remote);
	}
	return xiw_nl_put_address(skb, XIW_A_CONNECTION_LOCAL_ADDR, &local) ||
	       xiw_nl_put_address(skb, XIW_A_CONNECTION_REMOTE_ADDR, &remote);
}

static int xiw_nl_put_depth(struct sk_buff *skb, int type, __le16 depth)
{
	if (le16_to_cpu(depth) == XIW_MPA_DEPTH_NONE)
		return 0;
	return nla_put_u32(skb, type, le16_to_cpu(depth));
}

/*
 * Connection flags of the layers that encrypt, in the order of the bits of
 * XIW_A_CONNECTION_ENCRYPTION.
 */
static const u32 xiw_nl_layers[] = {
	XIW_CONNF_ESP, XIW_CONNF_WIREGUARD, XIW_CONNF_MACSEC, XIW_CONNF_TLS };

static int xiw_nl_put_encryption(struct sk_buff *skb, const struct xiw_device *dev, u32 flags)
{
	unsigned int i;
	u8 layers = 0;

	if (!(xiw_cap(dev) & XIW_CAP_ENCRYPTION))
		return 0;
	for (i = 0; i < ARRAY_SIZE(xiw_nl_layers); i++)
		if (flags & xiw_nl_layers[i])
			layers |= BIT(i);
	return nla_put_u8(skb, XIW_A_CONNECTION_ENCRYPTION, layers);
}

static int xiw_nl_put_agreed(struct sk_buff *skb, const struct xiw_device *dev,
			     const struct xiw_startup *startup)
{
	const struct xiw_conn_params *agreed = &startup->agreed;
	u32 flags = le32_to_cpu(agreed->flags);
	u8 rtr = flags & XIW_CONNF_P2P ? xiw_setup_rtr(flags) : 0;

	return nla_put_u8(skb, XIW_A_CONNECTION_MPA_REVISION, agreed->mpa_rev) ||
	       nla_put_u8(skb, XIW_A_CONNECTION_CRC, !!(flags & XIW_CONNF_CRC)) ||
	       nla_put_u8(skb, XIW_A_CONNECTION_MARKERS_TX, !!(flags & XIW_CONNF_TX_MARKERS)) ||
	       nla_put_u8(skb, XIW_A_CONNECTION_MARKERS_RX, !!(flags & XIW_CONNF_RX_MARKERS)) ||
	       /* Put no RTR form if several are agreed: the RNIC does not report which is used. */
	       (hweight8(rtr) == 1 && nla_put_u8(skb, XIW_A_CONNECTION_RTR, rtr)) ||
	       xiw_nl_put_encryption(skb, dev, flags) ||
	       (startup->mulpdu && nla_put_u32(skb, XIW_A_CONNECTION_MULPDU, startup->mulpdu)) ||
	       xiw_nl_put_depth(skb, XIW_A_CONNECTION_IRD, agreed->ird) ||
	       xiw_nl_put_depth(skb, XIW_A_CONNECTION_ORD, agreed->ord);
}

static int xiw_nl_put_terminate(struct sk_buff *skb, const struct xiw_nl_stream *stream)
{
	bool remote = !stream->term_sent;
	u32 term = remote ? stream->term_received : stream->term_sent;

	if (!term)
		return 0;
	return nla_put_u16(skb, XIW_A_CONNECTION_TERMINATE,
			   (term >> 16 & 0xf) << 12 | (term >> 8 & 0xf) << 8 | (term & 0xff)) ||
	       nla_put_u8(skb, XIW_A_CONNECTION_TERMINATE_ORIGIN,
			  remote ? XIW_NL_ORIGIN_REMOTE : XIW_NL_ORIGIN_LOCAL);
}

static int xiw_nl_put_traffic(struct sk_buff *skb, const struct xiw_qp *qp,
			      const struct xiw_nl_stream *stream)
{
	return nla_put_u32(skb, XIW_A_CONNECTION_IRD_USED, stream->ird_used) ||
	       nla_put_u32(skb, XIW_A_CONNECTION_ORD_USED, stream->ord_used) ||
	       nla_put_u64_64bit(skb, XIW_A_CONNECTION_TX_BYTES,
				 le64_to_cpu(READ_ONCE(qp->ctx->tx_octets)),
				 XIW_A_CONNECTION_PAD) ||
	       nla_put_u64_64bit(skb, XIW_A_CONNECTION_RX_BYTES,
				 le64_to_cpu(READ_ONCE(qp->ctx->rx_octets)),
				 XIW_A_CONNECTION_PAD) ||
	       (stream->parked && nla_put_flag(skb, XIW_A_CONNECTION_PARKED)) ||
	       xiw_nl_put_terminate(skb, stream);
}

/*
 * Check that a slot contains a connection. A slot that is or will be posted to a listener contains
 * none.
 */
static bool xiw_nl_conn_alive(const struct xiw_conn *conn)
{
	return !READ_ONCE(conn->listener) && refcount_read(&conn->refs) &&
	       (READ_ONCE(conn->active) || READ_ONCE(conn->qp) || conn->buf->peer_rev);
}

/* Put one connection. The lock of dev->conns is held. */
static int xiw_nl_put_connection(const struct xiw_nl_out *out, struct xiw_device *dev,
				 struct xiw_conn *conn)
{
	void *header = xiw_nl_start(out, dev);
	u32 peer_qpn = READ_ONCE(conn->peer_qpn);
	struct xiw_nl_stream stream = {};
	struct xiw_startup startup;
	struct sk_buff *skb = out->skb;
	struct xiw_qp *qp;
	int state;

	if (!header)
		return -EMSGSIZE;
	xiw_startup_read(&startup, conn);
	/*
	 * Read conn->qp after xiw_startup_read(), so that qp is not NULL if startup.opened is set.
	 */
	qp = READ_ONCE(conn->qp);
	if (qp)
		xiw_nl_stream(&stream, qp);
	state = xiw_nl_mpa_state(&startup, &stream);
	return xiw_nl_end(out, header,
			  (qp && nla_put_u32(skb, XIW_A_CONNECTION_QPN, qp->stream)) ||
			  nla_put_u32(skb, XIW_A_CONNECTION_CM_ID,
				      xiw_nl_first_conn(dev) + conn->slot) ||
			  nla_put_u8(skb, XIW_A_CONNECTION_ROLE,
				     startup.initiator ? XIW_NL_ROLE_INITIATOR :
						    XIW_NL_ROLE_RESPONDER) ||
			  (state >= 0 && nla_put_u8(skb, XIW_A_CONNECTION_MPA_STATE, state)) ||
			  (qp && nla_put_u8(skb, XIW_A_CONNECTION_STREAM_STATE, stream.state)) ||
			  xiw_nl_put_addresses(skb, conn, startup.outcome) ||
			  (startup.opened && xiw_nl_put_agreed(skb, dev, &startup)) ||
			  xiw_nl_put_frames(skb, &startup) ||
			  (peer_qpn && nla_put_u32(skb, XIW_A_CONNECTION_PEER_QPN, peer_qpn)) ||
			  (startup.opened && (xiw_nl_put_traffic(skb, qp, &stream) ||
					      xiw_nl_put_stream(skb, qp))));
}

static bool xiw_nl_listener_open(const struct xiw_listener *listener)
{
	/* acquire: pairs with xiw_listener_opened() */
	return smp_load_acquire(&listener->open);
}

/*
 * Check whether to report a listener. Programs connect to the listeners that are reported, so do
 * not report a listener before the RNIC has opened it. There is one exception: if a listener waits
 * because another socket has its port, report it with the flag XIW_A_CONNECTION_PORT_TAKEN.
 */
static bool xiw_nl_listener_shown(const struct xiw_listener *listener)
{
	return !READ_ONCE(listener->closing) &&
	       (xiw_nl_listener_open(listener) || READ_ONCE(listener->port_taken));
}

/* Put one listener. The lock of dev->listeners is held. */
static int xiw_nl_put_listener(const struct xiw_nl_out *out, struct xiw_device *dev,
			       const struct xiw_listener *listener)
{
	void *header = xiw_nl_start(out, dev);
	bool open = xiw_nl_listener_open(listener);
	struct sockaddr_storage local;

	if (!header)
		return -EMSGSIZE;
	/* If the listener is not open, the RNIC may own its buffer, so do not read the buffer. */
	if (open)
		xiw_addr_to_sockaddr(&local, &listener->buf->local);
	else
		local = listener->cm_id->m_local_addr;
	return xiw_nl_end(out, header,
			  nla_put_u32(out->skb, XIW_A_CONNECTION_CM_ID, listener->index) ||
			  nla_put_u8(out->skb, XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_LISTENER) ||
			  xiw_nl_put_address(out->skb, XIW_A_CONNECTION_LOCAL_ADDR, &local) ||
			  (!open && nla_put_flag(out->skb, XIW_A_CONNECTION_PORT_TAKEN)));
}

static int xiw_nl_put_by_id(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct genl_info *info = out->info;
	const struct nlattr *attr = info->attrs[XIW_A_CONNECTION_CM_ID];
	u32 first = xiw_nl_first_conn(dev), id;
	struct xiw_listener *listener;
	struct xiw_conn *conn;
	int err = -ENOENT;

	if (!attr) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, XIW_A_CONNECTION_CM_ID);
		NL_SET_ERR_MSG(info->extack, "The request has no endpoint number");
		return -EINVAL;
	}
	id = nla_get_u32(attr);
	if (id < first) {
		xa_lock_bh(&dev->listeners);
		listener = xa_load(&dev->listeners, id);
		if (listener && xiw_nl_listener_shown(listener))
			err = xiw_nl_put_listener(out, dev, listener);
		xa_unlock_bh(&dev->listeners);
	} else {
		xa_lock_bh(&dev->conns);
		conn = xa_load(&dev->conns, id - first);
		if (conn && xiw_nl_conn_alive(conn))
			err = xiw_nl_put_connection(out, dev, conn);
		xa_unlock_bh(&dev->conns);
	}
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "No endpoint with this number on the device");
	return err;
}

/*
 * A dump enables bottom halves again after it has visited about this number of slots. This number
 * includes the slots that are posted to a listener, although the dump contains nothing for them.
 */
#define XIW_NL_SLOTS_AT_ONCE 64

/*
 * Put some connections, from the cursor on. Return: 0 at the end; -EAGAIN if there may be more;
 * -EMSGSIZE if a connection does not fit.
 */
static int xiw_nl_put_some(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	u32 *object = &xiw_nl_cursor(out)->object;
	u32 first = xiw_nl_first_conn(dev);
	unsigned long index, begin = *object - first;
	struct xiw_conn *conn;
	int err = 0;

	xa_lock_bh(&dev->conns);
	xa_for_each_start(&dev->conns, index, conn, begin) {
		if (xiw_nl_conn_alive(conn))
			err = xiw_nl_put_connection(out, dev, conn);
		if (err)
			break;
		*object = first + index + 1;
		if (index >= begin + XIW_NL_SLOTS_AT_ONCE) {
			err = -EAGAIN;
			break;
		}
	}
	xa_unlock_bh(&dev->conns);
	return err;
}

static int xiw_nl_put_connections(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	u32 *object = &xiw_nl_cursor(out)->object;
	u32 first = xiw_nl_first_conn(dev);
	struct xiw_listener *listener;
	unsigned long index;
	int err = 0;

	if (*object < first) {
		xa_lock_bh(&dev->listeners);
		xa_for_each_start(&dev->listeners, index, listener, *object) {
			if (xiw_nl_listener_shown(listener))
				err = xiw_nl_put_listener(out, dev, listener);
			if (err)
				break;
			*object = index + 1;
		}
		xa_unlock_bh(&dev->listeners);
		if (err)
			return err;
		*object = first;
	}
	do {
		err = xiw_nl_put_some(out, dev);
		cond_resched();
	} while (err == -EAGAIN);
	return err;
}

int xiw_nl_connection_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_by_id);
}

int xiw_nl_connection_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (xiw_genl_dump_attrs(cb)[XIW_A_CONNECTION_CM_ID]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, xiw_genl_dump_attrs(cb)[XIW_A_CONNECTION_CM_ID],
				    "A dump cannot select an endpoint");
		return -EINVAL;
	}
	return xiw_nl_dump_objects(skb, cb, xiw_nl_put_connections);
}
