// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/mpa_frame.h"

static const u8 request_key[XIW_MPA_KEY_LEN] __nonstring = "MPA ID Req Frame";
static const u8 reply_key[XIW_MPA_KEY_LEN] __nonstring = "MPA ID Rep Frame";

static const u8 *key_of(u8 kind)
{
	return kind == XIW_MPA_REPLY ? reply_key : request_key;
}

static void parse_enhanced(struct xiw_mpa_frame *frame, const u8 *word)
{
	u16 w1 = get_unaligned_be16(word), w2 = get_unaligned_be16(word + 2);

	frame->ird = w1 & XIW_MPA_DEPTH_MASK;
	frame->ord = w2 & XIW_MPA_DEPTH_MASK;
	frame->p2p = w1 & XIW_MPA_W1_P2P;
	if (!frame->p2p)
		return;
	if (w1 & XIW_MPA_W1_RTR_SEND)
		frame->rtr |= XIW_RTR_SEND;
	if (w2 & XIW_MPA_W2_RTR_WRITE)
		frame->rtr |= XIW_RTR_WRITE;
	if (w2 & XIW_MPA_W2_RTR_READ)
		frame->rtr |= XIW_RTR_READ;
}

enum xiw_mpa_verdict xiw_mpa_parse(struct xiw_mpa_frame *frame, enum xiw_mpa_kind kind,
				   const u8 *buf, u32 have, u32 *total)
{
	u32 pd_len;
	u8 flags;

	*total = XIW_MPA_HDR_LEN;
	if (have < XIW_MPA_HDR_LEN)
		return XIW_MPA_NEED;
	if (memcmp(buf, key_of(kind), XIW_MPA_KEY_LEN))
		return XIW_MPA_BAD;

	memset(frame, 0, sizeof(*frame));
	frame->kind = kind;
	frame->rev = buf[XIW_MPA_REV_AT];
	frame->ird = XIW_MPA_DEPTH_NONE;
	frame->ord = XIW_MPA_DEPTH_NONE;
	flags = buf[XIW_MPA_FLAGS_AT];
	frame->markers = flags & XIW_MPA_F_MARKERS;
	frame->crc = flags & XIW_MPA_F_CRC;
	frame->reject = kind == XIW_MPA_REPLY && flags & XIW_MPA_F_REJECT;
	frame->enhanced = frame->rev >= 2 && flags & XIW_MPA_F_ENHANCED;	/* DEC-52 */
	pd_len = get_unaligned_be16(buf + XIW_MPA_PD_LEN_AT);
	if (!frame->rev || frame->rev > XIW_MPA_REV_MAX || pd_len > XIW_MPA_PD_MAX ||
	    (frame->enhanced && pd_len < XIW_MPA_ENHANCED_LEN))
		return XIW_MPA_BAD;

	*total += pd_len;
	if (have < *total)
		return XIW_MPA_NEED;
	if (kind == XIW_MPA_REQUEST && have > *total)
		return XIW_MPA_BAD;
	frame->pd_at = XIW_MPA_HDR_LEN;
	frame->pd_len = pd_len;
	if (frame->enhanced) {
		parse_enhanced(frame, buf + XIW_MPA_HDR_LEN);
		frame->pd_at += XIW_MPA_ENHANCED_LEN;
		frame->pd_len -= XIW_MPA_ENHANCED_LEN;
	}
	return XIW_MPA_FRAME;
}

static void put_enhanced(u8 *word, const struct xiw_mpa_frame *frame)
{
	u8 rtr = frame->p2p ? frame->rtr : 0;
	u16 w1 = frame->ird & XIW_MPA_DEPTH_MASK;
	u16 w2 = frame->ord & XIW_MPA_DEPTH_MASK;

	if (frame->p2p)
		w1 |= XIW_MPA_W1_P2P;
	if (rtr & XIW_RTR_SEND)
		w1 |= XIW_MPA_W1_RTR_SEND;
	if (rtr & XIW_RTR_WRITE)
		w2 |= XIW_MPA_W2_RTR_WRITE;
	if (rtr & XIW_RTR_READ)
		w2 |= XIW_MPA_W2_RTR_READ;
	put_unaligned_be16(w1, word);
	put_unaligned_be16(w2, word + 2);
}

u32 xiw_mpa_build_header(u8 *out, const struct xiw_mpa_frame *frame)
{
	u32 word = frame->enhanced ? XIW_MPA_ENHANCED_LEN : 0;

	if (frame->pd_len > XIW_MPA_PD_MAX - word)
		return 0;
	memcpy(out, key_of(frame->kind), XIW_MPA_KEY_LEN);
	out[XIW_MPA_FLAGS_AT] = (frame->markers ? XIW_MPA_F_MARKERS : 0) |
				(frame->crc ? XIW_MPA_F_CRC : 0) |
				(frame->reject ? XIW_MPA_F_REJECT : 0) |
				(frame->enhanced ? XIW_MPA_F_ENHANCED : 0);
	out[XIW_MPA_REV_AT] = frame->rev;
	put_unaligned_be16(word + frame->pd_len, out + XIW_MPA_PD_LEN_AT);
	if (frame->enhanced)
		put_enhanced(out + XIW_MPA_HDR_LEN, frame);
	return XIW_MPA_HDR_LEN + word;
}

u32 xiw_mpa_build(u8 *out, const struct xiw_mpa_frame *frame, const u8 *pd)
{
	u32 at = xiw_mpa_build_header(out, frame);

	if (!at)
		return 0;
	if (frame->pd_len)
		memcpy(out + at, pd, frame->pd_len);
	return at + frame->pd_len;
}
