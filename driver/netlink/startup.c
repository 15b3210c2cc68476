// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The MPA startup frames of a connection and what came of them, for netlink. */
#include "cm/cm.h"
#include "core/mpa.h"
#include "netlink/put.h"
#include "rdmap/stream.h"

static_assert((int)XIW_RTR_WRITE == (int)XIW_NL_RTR_WRITE);
static_assert((int)XIW_RTR_READ == (int)XIW_NL_RTR_READ);
static_assert((int)XIW_RTR_SEND == (int)XIW_NL_RTR_SEND);

/**
 * xiw_nl_startup - look at the startup of a connection
 * @startup: result
 * @conn: connection; the caller keeps it from being freed
 *
 * Its buffer is the RNIC's from a command to the event that answers it; what that
 * may write is not looked at.
 *
 * Context: any but with CONN.lock held.
 */
void xiw_nl_startup(struct xiw_nl_startup *startup, struct xiw_conn *conn)
{
	const struct xiw_conn_buf *buf = conn->buf;
	struct xiw_qp *qp = READ_ONCE(conn->qp);
	bool active = READ_ONCE(conn->active), answered, open;
	unsigned long flags;

	memset(startup, 0, sizeof(*startup));
	/* what came before OPEN is to be seen with it */
	open = qp && xiw_stream_bits(qp) & XIW_ST_OPEN;
	spin_lock_irqsave(&conn->lock, flags);
	startup->outcome = conn->news & XIW_NEWS_OUTCOME;
	answered = startup->outcome || !active;
	startup->heard = answered && buf->peer_rev;
	startup->opened = open && startup->outcome && !(active && conn->status);
	startup->said = startup->opened || (active && startup->heard);
	startup->offered = conn->offered;
	if (startup->said)
		startup->private_sent = conn->private_sent;
	if (startup->opened) {
		startup->agreed = buf->params;
		startup->mulpdu = le32_to_cpu(READ_ONCE(qp->ctx->mulpdu)) ?:
				  le32_to_cpu(buf->mulpdu);
	}
	startup->initiator = active;
	if (startup->heard) {
		startup->peer_flags = buf->peer_flags;
		startup->peer_rev = buf->peer_rev;
		startup->peer_offer = le16_to_cpu(buf->peer_offer);
		startup->peer_ird = le16_to_cpu(buf->peer_ird);
		startup->peer_ord = le16_to_cpu(buf->peer_ord);
		/* pairs with xiw_cm_request() and xiw_cm_reply() */
		startup->private_received = READ_ONCE(conn->private_received);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * xiw_nl_rtr - RTR forms
 * @conn_flags: XIW_CONNF_RTR_*
 *
 * Return: XIW_NL_RTR_* (and enum xiw_rtr).
 */
u8 xiw_nl_rtr(u32 conn_flags)
{
	return (conn_flags & XIW_CONNF_RTR_WRITE ? XIW_NL_RTR_WRITE : 0) |
	       (conn_flags & XIW_CONNF_RTR_READ ? XIW_NL_RTR_READ : 0) |
	       (conn_flags & XIW_CONNF_RTR_SEND ? XIW_NL_RTR_SEND : 0);
}

static void xiw_nl_word(struct xiw_mpa_frame *frame, u32 conn_flags, u16 ird, u16 ord)
{
	frame->enhanced = true;
	frame->p2p = conn_flags & XIW_CONNF_P2P;
	frame->rtr = frame->p2p ? xiw_nl_rtr(conn_flags) : 0;
	frame->ird = ird;
	frame->ord = ord;
}

static void xiw_nl_frame_received(struct xiw_mpa_frame *frame, const struct xiw_nl_startup *s)
{
	*frame = (struct xiw_mpa_frame){
		.rev = s->peer_rev,
		.markers = s->peer_flags & XIW_MPA_F_MARKERS,
		.crc = s->peer_flags & XIW_MPA_F_CRC,
		.reject = s->peer_flags & XIW_MPA_F_REJECT,
		.pd_len = s->private_received,
	};
	if (s->peer_offer & XIW_CONNF_ENHANCED)
		xiw_nl_word(frame, s->peer_offer, s->peer_ird, s->peer_ord);
}

/* A Request states the wishes, a Reply what was agreed (RFC 6581 §9.1). */
static void xiw_nl_frame_sent(struct xiw_mpa_frame *frame, const struct xiw_nl_startup *s)
{
	const struct xiw_conn_params *params = s->initiator ? &s->offered : &s->agreed;
	u32 flags = le32_to_cpu(params->flags);
	u16 ird = le16_to_cpu(params->ird);
	u16 ord = le16_to_cpu(params->ord);

	*frame = (struct xiw_mpa_frame){
		.rev = params->mpa_rev,
		.markers = flags & XIW_CONNF_RX_MARKERS,
		.crc = flags & XIW_CONNF_CRC,
		.pd_len = s->private_sent,
	};
	if (s->initiator && params->mpa_rev >= 2)
		xiw_nl_word(frame, flags, ird, ord);
	else if (flags & XIW_CONNF_ENHANCED)
		xiw_nl_word(frame, flags,
			    s->peer_ord == XIW_MPA_DEPTH_NONE ? XIW_MPA_DEPTH_NONE : ird,
			    s->peer_ird == XIW_MPA_DEPTH_NONE ? XIW_MPA_DEPTH_NONE : ord);
}

static u16 xiw_nl_frame_flags(const struct xiw_mpa_frame *frame)
{
	return (frame->markers ? XIW_NL_MPA_FLAG_MARKERS : 0) |
	       (frame->crc ? XIW_NL_MPA_FLAG_CRC : 0) |
	       (frame->reject ? XIW_NL_MPA_FLAG_REJECT : 0) |
	       (frame->enhanced ? XIW_NL_MPA_FLAG_ENHANCED : 0) |
	       (frame->p2p ? XIW_NL_MPA_FLAG_PEER_TO_PEER : 0) |
	       (frame->rtr & XIW_RTR_SEND ? XIW_NL_MPA_FLAG_RTR_SEND : 0) |
	       (frame->rtr & XIW_RTR_WRITE ? XIW_NL_MPA_FLAG_RTR_WRITE : 0) |
	       (frame->rtr & XIW_RTR_READ ? XIW_NL_MPA_FLAG_RTR_READ : 0);
}

static int xiw_nl_put_frame(struct sk_buff *skb, int type, const struct xiw_mpa_frame *frame)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    nla_put_u8(skb, XIW_A_MPA_FRAME_REVISION, frame->rev) ||
	    nla_put_u16(skb, XIW_A_MPA_FRAME_FLAGS, xiw_nl_frame_flags(frame)) ||
	    (frame->enhanced && nla_put_u16(skb, XIW_A_MPA_FRAME_IRD, frame->ird)) ||
	    (frame->enhanced && nla_put_u16(skb, XIW_A_MPA_FRAME_ORD, frame->ord)) ||
	    nla_put_u16(skb, XIW_A_MPA_FRAME_PRIVATE_LENGTH, frame->pd_len))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * xiw_nl_put_frames - put both startup frames into the message of a connection
 * @skb: message
 * @startup: of the connection
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_put_frames(struct sk_buff *skb, const struct xiw_nl_startup *startup)
{
	struct xiw_mpa_frame frame;

	if (startup->said) {
		xiw_nl_frame_sent(&frame, startup);
		if (xiw_nl_put_frame(skb, XIW_A_CONNECTION_FRAME_SENT, &frame))
			return -EMSGSIZE;
	}
	if (startup->heard) {
		xiw_nl_frame_received(&frame, startup);
		if (xiw_nl_put_frame(skb, XIW_A_CONNECTION_FRAME_RECEIVED, &frame))
			return -EMSGSIZE;
	}
	return 0;
}
