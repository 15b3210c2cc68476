/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * FPDUs made, checked and taken apart (RFC 5044 §4).
 *
 * RX without copies: show xiw_frame_peek() the first xiw_frame_head() octets, wait
 * for frame.wire_len octets, CRC over the first frame.crc_at of them where they
 * lie, then use the ULPDU that starts at frame.ulpdu_at (markers off), or stage the
 * FPDU in one piece and call xiw_frame_strip() (markers on); then
 * xiw_frame_done(). xiw_deframe_feed() does all that for callers without haste.
 */
#ifndef XIW_CORE_FPDU_H
#define XIW_CORE_FPDU_H

#include "core/crc32c.h"
#include "core/fault.h"
#include "core/frame.h"

/**
 * xiw_mulpdu - longest ULPDU to send
 * @emss: effective maximum segment size of TCP, octets
 * @markers: this direction carries markers
 *
 * RFC 5044 §4.5.
 *
 * Return: XIW_MULPDU_MIN to XIW_MULPDU_MAX.
 */
u32 xiw_mulpdu(u32 emss, bool markers);

/**
 * xiw_frame_strip - check the markers of a staged FPDU and close the gaps
 * @frame: its geometry, not changed
 * @framing: direction, not yet moved on
 * @fpdu: frame->wire_len octets in one piece; on success the FPDU without markers
 *	starts at @fpdu: ULPDU Length, ULPDU at offset 2, pad, CRC
 *
 * Call it after the CRC check. The low two bits of FPDUPTR are not looked at.
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_LLP_MARKER (contents then undefined).
 */
enum xiw_fault xiw_frame_strip(const struct xiw_frame *frame,
			       const struct xiw_framing *framing, u8 *fpdu);

/**
 * xiw_spans_crc - CRC over a range of scattered octets
 * @crc: register so far
 * @spans: pieces in stream order
 * @count: their number
 * @at: offset of the first octet to take
 * @len: octets to take; @at + @len must lie inside the spans
 *
 * Return: new register value.
 */
u32 xiw_spans_crc(u32 crc, const struct xiw_span *spans, u32 count, u32 at, u32 len);

/**
 * xiw_spans_copy - copy a range of scattered octets
 * @out: @len octets
 * @spans: pieces in stream order
 * @count: their number
 * @at: offset of the first octet
 * @len: octets; @at + @len must lie inside the spans
 */
void xiw_spans_copy(void *out, const struct xiw_span *spans, u32 count, u32 at, u32 len);

/**
 * xiw_fpdu_trailer - PAD and CRC of an FPDU without markers
 * @out: XIW_FPDU_MAX_TRAILER octets
 * @framing: direction
 * @crc: register after ULPDU Length and ULPDU (any value if CRCs are off)
 * @ulpdu_len: octets of the ULPDU
 *
 * Return: octets written, 4 to 7. With CRCs off the field is zero.
 */
static inline u32 xiw_fpdu_trailer(u8 *out, const struct xiw_framing *framing, u32 crc,
				   u32 ulpdu_len)
{
	u32 pad = xiw_fpdu_pad(ulpdu_len);

	memset(out, 0, pad + XIW_CRC_LEN);
	if (framing->crc)
		xiw_crc32c_put(out + pad, xiw_crc32c_update(crc, out, pad));
	return pad + XIW_CRC_LEN;
}

/**
 * xiw_fpdu_encode - a whole FPDU in one piece
 * @out: result, XIW_FPDU_WIRE_MAX octets or what xiw_frame_init() says
 * @framing: direction, moves on
 * @parts: the ULPDU in pieces, 65535 octets at most together
 * @count: number of pieces
 *
 * Return: octets written.
 */
u32 xiw_fpdu_encode(u8 *out, struct xiw_framing *framing, const struct xiw_span *parts,
		    u32 count);

#endif
