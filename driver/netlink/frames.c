// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The MPA frames of a connection, for netlink. */
#include "cm/cm.h"
#include "core/mpa.h"
#include "netlink/put.h"

static_assert((int)XIW_RTR_WRITE == (int)XIW_NL_RTR_WRITE);
static_assert((int)XIW_RTR_READ == (int)XIW_NL_RTR_READ);
static_assert((int)XIW_RTR_SEND == (int)XIW_NL_RTR_SEND);

static void xiw_nl_word(struct xiw_mpa_frame *frame, u32 conn_flags, u16 ird, u16 ord)
{
	frame->enhanced = true;
	frame->p2p = conn_flags & XIW_CONNF_P2P;
	frame->rtr = frame->p2p ? xiw_startup_rtr(conn_flags) : 0;
	frame->ird = ird;
	frame->ord = ord;
}

static void xiw_nl_frame_received(struct xiw_mpa_frame *frame, const struct xiw_startup *s)
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

/* A Request has the wishes, a Reply the agreed values (RFC 6581 §9.1). */
static void xiw_nl_frame_sent(struct xiw_mpa_frame *frame, const struct xiw_startup *s)
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
 * xiw_nl_put_frames - put both MPA frames into the message of a connection
 * @skb: message
 * @startup: state of the connection
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_put_frames(struct sk_buff *skb, const struct xiw_startup *startup)
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
