// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/setup.h"

#include "core/ddp_header.h"
#include "core/fpdu.h"
#include "core/opcode.h"
#include "core/term.h"

static const struct {
	u32 flag;
	u8 rtr;
} rtr_flags[] = {
	{ XIW_CONNF_RTR_SEND, XIW_RTR_SEND },
	{ XIW_CONNF_RTR_WRITE, XIW_RTR_WRITE },
	{ XIW_CONNF_RTR_READ, XIW_RTR_READ },
};

/* Flags that are not negotiated. xiw_setup_agree() keeps the values that the driver has set. */
#define OWN_FLAGS (XIW_CONNF_OPCODES | XIW_CONNF_V6ONLY | XIW_CONNF_TOS | XIW_CONNF_ENCRYPT)

u8 xiw_setup_rtr(u32 flags)
{
	u8 rtr = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(rtr_flags); i++)
		if (flags & rtr_flags[i].flag)
			rtr |= rtr_flags[i].rtr;
	return rtr;
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

static u16 depth(__le16 value)
{
	return min_t(u16, le16_to_cpu(value), XIW_MPA_DEPTH_NONE);
}

static void wish_for(struct xiw_setup *s, const struct xiw_conn_params *params)
{
	u32 flags = le32_to_cpu(params->flags);
	struct xiw_mpa_config *wish = &s->wish;

	memset(wish, 0, sizeof(*wish));
	wish->rev = params->mpa_rev ? params->mpa_rev : XIW_MPA_REV_MAX;
	wish->crc = flags & XIW_CONNF_CRC;
	wish->markers = flags & XIW_CONNF_RX_MARKERS;
	wish->p2p = flags & XIW_CONNF_P2P;
	wish->ird = depth(params->ird);
	wish->ord = depth(params->ord);
	wish->max_ird = s->max_ird;
	wish->rtr = xiw_setup_rtr(flags);
}

static bool build(struct xiw_setup *s, struct xiw_mpa_frame *frame, const u8 *pd, u16 pd_len,
		  enum xiw_setup_phase phase)
{
	frame->pd_len = pd_len;
	s->tx_at = 0;
	s->tx_len = xiw_mpa_build(s->tx, frame, pd);
	s->phase = phase;
	return s->tx_len;
}

bool xiw_setup_initiate(struct xiw_setup *s, const struct xiw_conn_params *params,
			u16 max_ird, const u8 *pd, u16 pd_len)
{
	s->max_ird = max_ird;
	s->rx_len = 0;
	wish_for(s, params);
	xiw_mpa_request(&s->request, &s->wish);
	return build(s, &s->request, pd, pd_len, XIW_SETUP_SEND_REQUEST);
}

void xiw_setup_await(struct xiw_setup *s, u8 rev, u16 max_ird)
{
	s->max_ird = max_ird;
	s->rev = rev ? rev : XIW_MPA_REV_MAX;
	s->rx_len = 0;
	s->phase = XIW_SETUP_AWAIT_REQUEST;
}

/* Parse a frame. If octets are missing, set rx_want so that no octets after the frame are read. */
static enum xiw_mpa_verdict parse(struct xiw_setup *s, enum xiw_mpa_kind kind,
				  struct xiw_mpa_frame *frame)
{
	enum xiw_mpa_verdict verdict;
	u32 total = 0;

	verdict = xiw_mpa_parse(frame, kind, s->rx, s->rx_len, &total);
	if (verdict == XIW_MPA_NEED)
		s->rx_want = total - s->rx_len;
	return verdict;
}

static enum xiw_setup_step await_request(struct xiw_setup *s)
{
	switch (parse(s, XIW_MPA_REQUEST, &s->request)) {
	case XIW_MPA_NEED:
		return XIW_SETUP_RECEIVE;
	case XIW_MPA_FRAME:
		/* Send no Reply. The peer may then try a lower revision (RFC 6581 §10). */
		if (s->request.rev > s->rev)
			return XIW_SETUP_UNFIT;
		s->phase = XIW_SETUP_ULP;
		return XIW_SETUP_DECIDE;
	default:
		return XIW_SETUP_BAD;
	}
}

void xiw_setup_refuse(struct xiw_setup *s, enum xiw_fault fault)
{
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
	s->phase = XIW_SETUP_SEND_LAST;
}

static enum xiw_setup_step conclude(struct xiw_setup *s)
{
	enum xiw_fault fault;

	switch (xiw_mpa_conclude(&s->agreed, &fault, &s->request, &s->reply, &s->wish)) {
	case XIW_MPA_OPEN:
		return XIW_SETUP_OPEN;
	case XIW_MPA_REJECTED:
		return XIW_SETUP_REJECTED;
	case XIW_MPA_TERMINATE:
		xiw_setup_refuse(s, fault);
		return XIW_SETUP_UNABLE;
	default:
		return XIW_SETUP_UNFIT;
	}
}

static enum xiw_setup_step await_reply(struct xiw_setup *s)
{
	switch (parse(s, XIW_MPA_REPLY, &s->reply)) {
	case XIW_MPA_NEED:
		return XIW_SETUP_RECEIVE;
	case XIW_MPA_FRAME:
		return conclude(s);
	default:
		return XIW_SETUP_BAD;
	}
}

enum xiw_setup_step xiw_setup_next(struct xiw_setup *s)
{
	bool sent = s->tx_at == s->tx_len;

	switch (s->phase) {
	case XIW_SETUP_AWAIT_REQUEST:
		return await_request(s);
	case XIW_SETUP_ULP:
		return XIW_SETUP_DECIDE;
	case XIW_SETUP_SEND_REPLY:
		return sent ? XIW_SETUP_OPEN : XIW_SETUP_SEND;
	case XIW_SETUP_SEND_REQUEST:
		if (!sent)
			return XIW_SETUP_SEND;
		s->phase = XIW_SETUP_AWAIT_REPLY;
		return await_reply(s);
	case XIW_SETUP_AWAIT_REPLY:
		return await_reply(s);
	default:
		return sent ? XIW_SETUP_CLOSE : XIW_SETUP_SEND;
	}
}

bool xiw_setup_fits(const struct xiw_setup *s, u16 pd_len)
{
	return pd_len <= (s->request.enhanced ? XIW_MPA_ENHANCED_PD_MAX : XIW_MPA_PD_MAX);
}

/*
 * Set s->wish for a responder. If the driver requests no form of RTR, accept a Write and a Read,
 * because a responder must accept at least one form (RFC 6581 §9.2).
 */
static void respond_with(struct xiw_setup *s, const struct xiw_conn_params *params)
{
	wish_for(s, params);
	if (!s->wish.rtr)
		s->wish.rtr = XIW_RTR_WRITE | XIW_RTR_READ;
}

bool xiw_setup_accept(struct xiw_setup *s, const struct xiw_conn_params *params,
		      const u8 *pd, u16 pd_len)
{
	respond_with(s, params);
	if (xiw_mpa_respond(&s->reply, &s->agreed, &s->request, &s->wish) != XIW_MPA_OPEN)
		return false;
	return build(s, &s->reply, pd, pd_len, XIW_SETUP_SEND_REPLY);
}

void xiw_setup_reject(struct xiw_setup *s, const struct xiw_conn_params *params,
		      const u8 *pd, u16 pd_len)
{
	respond_with(s, params);
	xiw_mpa_reject(&s->reply, &s->request, &s->wish);
	build(s, &s->reply, pd, pd_len, XIW_SETUP_SEND_LAST);
}

u32 xiw_setup_offer(const struct xiw_mpa_frame *frame)
{
	if (!frame->enhanced)
		return 0;
	if (!frame->p2p)
		return XIW_CONNF_ENHANCED;
	return XIW_CONNF_ENHANCED | XIW_CONNF_P2P | rtr_to_flags(frame->rtr);
}

void xiw_setup_describe(const struct xiw_setup *s, const struct xiw_mpa_frame *frame,
			struct xiw_conn_buf *buf)
{
	buf->peer_flags = s->rx[XIW_MPA_FLAGS_AT];
	buf->peer_rev = s->rx[XIW_MPA_REV_AT];
	buf->peer_ird = cpu_to_le16(frame->ird);
	buf->peer_ord = cpu_to_le16(frame->ord);
	buf->peer_offer = cpu_to_le16(xiw_setup_offer(frame));
	buf->private_length = cpu_to_le16(frame->pd_len);
	memcpy(buf->private_data, s->rx + frame->pd_at, frame->pd_len);
}

void xiw_setup_agree(const struct xiw_setup *s, struct xiw_conn_params *params)
{
	const struct xiw_mpa_agreed *agreed = &s->agreed;
	u32 flags = le32_to_cpu(params->flags) & OWN_FLAGS;

	if (agreed->crc)
		flags |= XIW_CONNF_CRC;
	if (agreed->rx_markers)
		flags |= XIW_CONNF_RX_MARKERS;
	if (agreed->tx_markers)
		flags |= XIW_CONNF_TX_MARKERS;
	if (agreed->enhanced)
		flags |= XIW_CONNF_ENHANCED;
	if (agreed->p2p)
		flags |= XIW_CONNF_P2P | rtr_to_flags(agreed->rtr);
	if (s->phase == XIW_SETUP_AWAIT_REPLY)
		flags |= XIW_CONNF_INITIATOR;
	params->flags = cpu_to_le32(flags);
	params->mpa_rev = agreed->rev;
	params->ird = cpu_to_le16(agreed->ird);
	params->ord = cpu_to_le16(agreed->ord);
}
