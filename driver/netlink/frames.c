// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The MPA frames of a connection, for netlink, without their private data. An RNIC reports the
 * fields of a frame, but not its octets. So this file builds the frames from the fields.
 */
#include "cm/cm.h"
#include "core/setup.h"
#include "netlink/put.h"

static void xiw_nl_word(struct xiw_mpa_frame *frame, u32 conn_flags, u16 ird, u16 ord)
{
	frame->enhanced = true;
	frame->p2p = conn_flags & XIW_CONNF_P2P;
	frame->rtr = frame->p2p ? xiw_setup_rtr(conn_flags) : 0;
	frame->ird = ird;
	frame->ord = ord;
}

static void xiw_nl_frame_received(struct xiw_mpa_frame *frame, const struct xiw_startup *s)
{
	*frame = (struct xiw_mpa_frame){
		.kind = s->initiator ? XIW_MPA_REPLY : XIW_MPA_REQUEST,
		.rev = s->peer_rev,
		.markers = s->peer_flags & XIW_MPA_F_MARKERS,
		.crc = s->peer_flags & XIW_MPA_F_CRC,
		.reject = s->peer_flags & XIW_MPA_F_REJECT,
		.pd_len = s->private_received,
	};
	if (s->peer_offer & XIW_CONNF_ENHANCED)
		xiw_nl_word(frame, s->peer_offer, s->peer_ird, s->peer_ord);
}

/* A Request contains the requested values, and a Reply the agreed values (RFC 6581 §9.1). */
static void xiw_nl_frame_sent(struct xiw_mpa_frame *frame, const struct xiw_startup *s)
{
	const struct xiw_conn_params *params = s->initiator ? &s->offered : &s->agreed;
	u32 flags = le32_to_cpu(params->flags);
	u16 ird = le16_to_cpu(params->ird);
	u16 ord = le16_to_cpu(params->ord);

	*frame = (struct xiw_mpa_frame){
		.kind = s->initiator ? XIW_MPA_REQUEST : XIW_MPA_REPLY,
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

static int xiw_nl_put_frame(struct sk_buff *skb, int type, const struct xiw_mpa_frame *frame)
{
	u8 octets[XIW_MPA_HDR_LEN + XIW_MPA_ENHANCED_LEN];

	return nla_put(skb, type, xiw_mpa_build_header(octets, frame), octets);
}

/**
 * xiw_nl_put_frames - put the MPA frames that were sent and received
 * @skb: message about a connection
 * @startup: setup of the connection
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
