/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Parse and build DDP segment headers (RFC 5041 §4). */
#ifndef XIW_CORE_DDP_HEADER_H
#define XIW_CORE_DDP_HEADER_H

#include <rnic/xiw_rnic.h>

#include "core/wire.h"

/**
 * struct xiw_ddp_header - a DDP segment header, host order
 * @ddp_ctrl: as received
 * @rdmap_ctrl: as received
 * @kind: enum xiw_match_class, set by xiw_ddp_rx_header()
 * @first: the segment starts a message; set by xiw_ddp_rx_header()
 * @header_len: XIW_DDP_TAGGED_LEN or XIW_DDP_UNTAGGED_LEN
 * @ulpdu_len: octets of the ULPDU
 * @payload_len: octets that follow the DDP header
 * @stag: tagged: STag; untagged: RsvdULP octets 1 to 4 (Invalidate STag, immediate value)
 * @to: tagged: TO
 * @qn: untagged: QN
 * @msn: untagged: MSN
 * @mo: untagged: MO
 */
struct xiw_ddp_header {
	u8 ddp_ctrl;
	u8 rdmap_ctrl;
	u8 kind;
	bool first;
	u16 header_len;
	u16 ulpdu_len;
	u32 payload_len;
	u32 stag;
	u64 to;
	u32 qn;
	u32 msn;
	u32 mo;
};

static inline bool xiw_ddp_is_tagged(const struct xiw_ddp_header *h)
{
	return h->ddp_ctrl & XIW_DDP_T;
}

static inline bool xiw_ddp_is_last(const struct xiw_ddp_header *h)
{
	return h->ddp_ctrl & XIW_DDP_L;
}

static inline u8 xiw_ddp_opcode(const struct xiw_ddp_header *h)
{
	return h->rdmap_ctrl & XIW_RDMAP_OPCODE_MASK;
}

/*
 * Return: true if the segment is a whole message without payload. If such a message is tagged, its
 * STag, TO and rights are not checked (DEC-46).
 */
static inline bool xiw_ddp_is_empty(const struct xiw_ddp_header *h)
{
	return !h->payload_len && h->first && xiw_ddp_is_last(h);
}

/**
 * xiw_ddp_parse - parse a DDP header
 * @h: result; @kind and @first are not set
 * @ulpdu: the ULPDU; its first XIW_DDP_HDR_MAX octets, or all if it is shorter, must be contiguous
 * @ulpdu_len: octets of the ULPDU, 0 to 65535
 *
 * Checks only the length.
 *
 * Return: false if the ULPDU is shorter than its header (DEC-38).
 */
static inline bool xiw_ddp_parse(struct xiw_ddp_header *h, const u8 *ulpdu, u32 ulpdu_len)
{
	if (unlikely(ulpdu_len < XIW_DDP_TAGGED_LEN))
		return false;
	h->ddp_ctrl = ulpdu[XIW_DDP_CTRL_AT];
	h->rdmap_ctrl = ulpdu[XIW_DDP_RDMAP_CTRL_AT];
	h->stag = get_unaligned_be32(ulpdu + XIW_DDP_STAG_AT);
	h->ulpdu_len = ulpdu_len;
	if (xiw_ddp_is_tagged(h)) {
		h->header_len = XIW_DDP_TAGGED_LEN;
		h->to = get_unaligned_be64(ulpdu + XIW_DDP_TO_AT);
		h->qn = 0;
		h->msn = 0;
		h->mo = 0;
	} else {
		if (unlikely(ulpdu_len < XIW_DDP_UNTAGGED_LEN))
			return false;
		h->header_len = XIW_DDP_UNTAGGED_LEN;
		h->to = 0;
		h->qn = get_unaligned_be32(ulpdu + XIW_DDP_QN_AT);
		h->msn = get_unaligned_be32(ulpdu + XIW_DDP_MSN_AT);
		h->mo = get_unaligned_be32(ulpdu + XIW_DDP_MO_AT);
	}
	h->payload_len = ulpdu_len - h->header_len;
	return true;
}

/**
 * xiw_ddp_put_tagged - write a tagged header
 * @out: XIW_DDP_TAGGED_LEN octets
 * @rdmap_ctrl: RDMAP control octet
 * @last: L bit
 * @stag: STag
 * @to: TO of the first payload octet
 */
static inline void xiw_ddp_put_tagged(u8 *out, u8 rdmap_ctrl, bool last, u32 stag, u64 to)
{
	out[XIW_DDP_CTRL_AT] = XIW_DDP_T | (last ? XIW_DDP_L : 0) | XIW_DDP_DV;
	out[XIW_DDP_RDMAP_CTRL_AT] = rdmap_ctrl;
	put_unaligned_be32(stag, out + XIW_DDP_STAG_AT);
	put_unaligned_be64(to, out + XIW_DDP_TO_AT);
}

/**
 * xiw_ddp_put_untagged - write an untagged header
 * @out: XIW_DDP_UNTAGGED_LEN octets
 * @rdmap_ctrl: RDMAP control octet
 * @last: L bit
 * @rsvdulp: Invalidate STag, immediate value, or 0
 * @qn: queue number
 * @msn: message sequence number
 * @mo: message offset
 */
static inline void xiw_ddp_put_untagged(u8 *out, u8 rdmap_ctrl, bool last, u32 rsvdulp, u32 qn,
					u32 msn, u32 mo)
{
	out[XIW_DDP_CTRL_AT] = (last ? XIW_DDP_L : 0) | XIW_DDP_DV;
	out[XIW_DDP_RDMAP_CTRL_AT] = rdmap_ctrl;
	put_unaligned_be32(rsvdulp, out + XIW_DDP_STAG_AT);
	put_unaligned_be32(qn, out + XIW_DDP_QN_AT);
	put_unaligned_be32(msn, out + XIW_DDP_MSN_AT);
	put_unaligned_be32(mo, out + XIW_DDP_MO_AT);
}

/**
 * xiw_ddp_put_message - write the header of an untagged message that has arrived
 * @out: XIW_DDP_UNTAGGED_LEN octets
 * @msg: event of the message
 *
 * The event does not contain the message offset, so the header gets the offset 0.
 */
static inline void xiw_ddp_put_message(u8 *out, const struct xiw_ev_message *msg)
{
	xiw_ddp_put_untagged(out, msg->rdmap_ctrl, false, le32_to_cpu(msg->rsvdulp), msg->queue,
			     le32_to_cpu(msg->msn), 0);
	out[XIW_DDP_CTRL_AT] = msg->ddp_ctrl;
}

#endif
