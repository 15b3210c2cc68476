/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Segmentation of DDP messages (RFC 5041 §5.1). */
#ifndef XIW_CORE_SEGMENT_H
#define XIW_CORE_SEGMENT_H

#include "core/ddp_header.h"

/**
 * struct xiw_ddp_seg - a message being sent
 * @rdmap_ctrl: RDMAP control octet
 * @tagged: tagged message
 * @done: the whole message has been cut into segments
 * @stag: STag if tagged, else RsvdULP
 * @qn: queue number
 * @msn: message sequence number
 * @to: TO of the first octet of the message
 * @length: octets of the message, including the RDMAP header
 * @offset: octets already cut into segments
 */
struct xiw_ddp_seg {
	u8 rdmap_ctrl;
	bool tagged;
	bool done;
	u32 stag;
	u32 qn;
	u32 msn;
	u64 to;
	u32 length;
	u32 offset;
};

static inline void xiw_ddp_seg_tagged(struct xiw_ddp_seg *seg, u8 rdmap_ctrl, u32 stag, u64 to,
				      u32 length)
{
	memset(seg, 0, sizeof(*seg));
	seg->rdmap_ctrl = rdmap_ctrl;
	seg->tagged = true;
	seg->stag = stag;
	seg->to = to;
	seg->length = length;
}

static inline void xiw_ddp_seg_untagged(struct xiw_ddp_seg *seg, u8 rdmap_ctrl, u32 rsvdulp,
					u32 qn, u32 msn, u32 length)
{
	memset(seg, 0, sizeof(*seg));
	seg->rdmap_ctrl = rdmap_ctrl;
	seg->stag = rsvdulp;
	seg->qn = qn;
	seg->msn = msn;
	seg->length = length;
}

static inline u32 xiw_ddp_seg_header_len(const struct xiw_ddp_seg *seg)
{
	return seg->tagged ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN;
}

/**
 * xiw_ddp_seg_ulpdu_len - get the length of the ULPDU that xiw_ddp_seg_next() will cut
 * @seg: message, not done
 * @mulpdu: longest ULPDU
 *
 * Return: number of octets, including the DDP header.
 */
static inline u32 xiw_ddp_seg_ulpdu_len(const struct xiw_ddp_seg *seg, u32 mulpdu)
{
	u32 header = xiw_ddp_seg_header_len(seg);

	/*
	 * A Read Response may be 2^32 - 1 octets long, so the sum of its length and the header
	 * length could wrap. Therefore, limit the length before the addition.
	 */
	return header + min_t(u32, seg->length - seg->offset, mulpdu - header);
}

/**
 * struct xiw_ddp_piece - one segment of a message
 * @header_len: octets of the DDP header
 * @offset: offset of the segment in the message
 * @len: octets of the message in the segment
 * @last: the segment ends the message
 */
struct xiw_ddp_piece {
	u32 header_len;
	u32 offset;
	u32 len;
	bool last;
};

/**
 * xiw_ddp_seg_next - cut the next segment
 * @seg: message that is not done; the function advances it
 * @mulpdu: longest ULPDU, at least XIW_MULPDU_MIN; may differ between calls
 * @header: result: DDP header; a buffer of XIW_DDP_HDR_MAX octets
 * @piece: result: the part of the message that follows the header
 *
 * A message of length 0 has one segment without payload.
 */
static inline void xiw_ddp_seg_next(struct xiw_ddp_seg *seg, u32 mulpdu, u8 *header,
				    struct xiw_ddp_piece *piece)
{
	piece->header_len = xiw_ddp_seg_header_len(seg);
	piece->offset = seg->offset;
	piece->len = min_t(u32, seg->length - seg->offset, mulpdu - piece->header_len);
	seg->offset += piece->len;
	piece->last = seg->offset == seg->length;
	seg->done = piece->last;
	if (seg->tagged)
		xiw_ddp_put_tagged(header, seg->rdmap_ctrl, piece->last, seg->stag,
				   seg->to + piece->offset);
	else
		xiw_ddp_put_untagged(header, seg->rdmap_ctrl, piece->last, seg->stag, seg->qn,
				     seg->msn, piece->offset);
}

#endif
