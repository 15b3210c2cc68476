/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Build, check and parse FPDUs (RFC 5044 §4).
 *
 * Steps of a receiver that copies only FPDUs with markers:
 *
 * 1. Pass the first xiw_frame_head() octets to xiw_frame_peek().
 * 2. Wait for frame.wire_len octets.
 * 3. Compute the CRC of the first frame.crc_at octets in place.
 * 4. Without markers, use the ULPDU at frame.ulpdu_at. With markers, copy the FPDU into a
 *    contiguous buffer and call xiw_frame_strip().
 * 5. Call xiw_frame_done().
 *
 * xiw_deframe_feed() does all these steps, and copies every FPDU.
 */
#ifndef XIW_CORE_FPDU_H
#define XIW_CORE_FPDU_H

#include "core/crc32c.h"
#include "core/fault.h"
#include "core/frame.h"

/**
 * xiw_mulpdu - compute the longest ULPDU to send
 * @emss: effective maximum segment size of TCP, in octets
 * @markers: this direction carries markers
 *
 * Implements RFC 5044 §4.5.
 *
 * Return: XIW_MULPDU_MIN to XIW_MULPDU_MAX.
 */
u32 xiw_mulpdu(u32 emss, bool markers);

/**
 * xiw_frame_strip - check and remove the markers of a staged FPDU
 * @frame: geometry of the FPDU, not changed
 * @framing: framing of this direction, before xiw_frame_done() advances its pos
 * @fpdu: frame->wire_len contiguous octets. On success, the FPDU without markers starts at @fpdu:
 *	ULPDU Length, ULPDU (at offset 2), pad and CRC
 *
 * Call this function after the CRC check. Ignores the low two bits of FPDUPTR.
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_LLP_MARKER. After the fault, the contents of @fpdu are
 * undefined.
 */
enum xiw_fault xiw_frame_strip(const struct xiw_frame *frame,
			       const struct xiw_framing *framing, u8 *fpdu);

/**
 * xiw_spans_crc - compute the CRC of a range of scattered octets
 * @crc: register value before these octets
 * @spans: pieces in stream order
 * @count: number of pieces
 * @at: offset of the range in the spans
 * @len: number of octets; @at + @len must be inside the spans
 *
 * Return: new register value.
 */
u32 xiw_spans_crc(u32 crc, const struct xiw_span *spans, u32 count, u32 at, u32 len);

/**
 * xiw_spans_copy - copy a range of scattered octets
 * @out: @len octets
 * @spans: pieces in stream order
 * @count: number of pieces
 * @at: offset of the range in the spans
 * @len: number of octets; @at + @len must be inside the spans
 */
void xiw_spans_copy(void *out, const struct xiw_span *spans, u32 count, u32 at, u32 len);

/**
 * xiw_fpdu_trailer - write PAD and CRC of an FPDU without markers
 * @out: XIW_FPDU_MAX_TRAILER octets
 * @framing: direction
 * @crc: register after ULPDU Length and ULPDU (any value if CRCs are off)
 * @ulpdu_len: octets of the ULPDU
 *
 * Return: octets written, 4 to 7. If CRCs are off, the CRC field is zero.
 */
static inline u32 xiw_fpdu_trailer(u8 *out, const struct xiw_framing *framing, u32 crc,
				   u32 ulpdu_len)
{
	u32 pad = xiw_fpdu_pad(ulpdu_len);

	put_unaligned_le32(0, out);
	if (framing->crc)
		xiw_crc32c_put(out + pad, xiw_crc32c_update(crc, out, pad));
	else
		put_unaligned_le32(0, out + pad);
	return pad + XIW_CRC_LEN;
}

/**
 * xiw_fpdu_encode - encode a whole FPDU into a contiguous buffer
 * @out: result; the buffer must have XIW_FPDU_WIRE_MAX octets, or at least the wire_len that
 *	xiw_frame_init() computes
 * @framing: framing of this direction; its pos is advanced past the FPDU
 * @parts: pieces of the ULPDU, at most 65535 octets in total
 * @count: number of pieces
 *
 * Return: octets written.
 */
u32 xiw_fpdu_encode(u8 *out, struct xiw_framing *framing, const struct xiw_span *parts,
		    u32 count);

#endif
