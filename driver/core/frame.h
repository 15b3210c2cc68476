/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Geometry of FPDUs and markers (RFC 5044 §4.1 and §4.3).
 *
 * struct xiw_framing describes one direction. Both ends count octets from the first FPDU, so the
 * count alone determines the positions of markers. Stream positions are kept modulo
 * XIW_MARKER_SPACING, so they never overflow.
 */
#ifndef XIW_CORE_FRAME_H
#define XIW_CORE_FRAME_H

#include "core/wire.h"

/**
 * struct xiw_framing - one direction of a connection
 * @pos: position of the next FPDU (or its leading marker), 0 to 511, multiple of 4
 * @crc: CRCs are on
 * @markers: markers are on
 */
struct xiw_framing {
	u16 pos;
	bool crc;
	bool markers;
};

/**
 * struct xiw_frame - geometry of one FPDU
 * @wire_len: octets on the wire, from a leading marker to the CRC
 * @crc_at: offset of the CRC field; the CRC covers all octets before it
 * @ulpdu_at: offset of the ULPDU, which is contiguous only if it contains no marker
 * @ulpdu_len: octets of the ULPDU
 * @markers: number of markers, including a leading one
 */
struct xiw_frame {
	u32 wire_len;
	u32 crc_at;
	u16 ulpdu_at;
	u16 ulpdu_len;
	u16 markers;
};

/**
 * xiw_fpdu_pad - get the number of PAD octets
 * @ulpdu_len: octets of the ULPDU, 0 to 65535
 *
 * Return: 0 to 3.
 */
static inline u32 xiw_fpdu_pad(u32 ulpdu_len)
{
	return -(XIW_FPDU_LEN_LEN + ulpdu_len) & 3;
}

/**
 * xiw_fpdu_size - get the size of an FPDU without markers
 * @ulpdu_len: octets of the ULPDU, 0 to 65535
 *
 * Return: multiple of 4.
 */
static inline u32 xiw_fpdu_size(u32 ulpdu_len)
{
	return XIW_FPDU_LEN_LEN + ulpdu_len + xiw_fpdu_pad(ulpdu_len) + XIW_CRC_LEN;
}

/**
 * xiw_marker_next - count the octets from a position to the next marker
 * @pos: stream position, 0 to 511
 *
 * Return: 0 (the marker is next) to 511.
 */
static inline u32 xiw_marker_next(u32 pos)
{
	return -pos & (XIW_MARKER_SPACING - 1);
}

/**
 * xiw_marker_count - count the markers within an FPDU
 * @pos: stream position at which the FPDU starts
 * @plain: size of the FPDU without markers, at least 1
 *
 * Counts a marker before ULPDU Length, but not one after the CRC.
 *
 * Return: number of markers.
 */
static inline u32 xiw_marker_count(u32 pos, u32 plain)
{
	u32 first = xiw_marker_next(pos);

	return plain > first ? (plain - first - 1) / XIW_MARKER_GAP + 1 : 0;
}

/**
 * xiw_frame_init - compute the geometry of an FPDU that starts at framing->pos
 * @frame: result
 * @framing: direction; not changed
 * @ulpdu_len: octets of the ULPDU, 0 to 65535
 */
static inline void xiw_frame_init(struct xiw_frame *frame, const struct xiw_framing *framing,
				  u32 ulpdu_len)
{
	u32 plain = xiw_fpdu_size(ulpdu_len);
	u32 lead = framing->markers && !framing->pos ? XIW_MARKER_LEN : 0;

	frame->markers = framing->markers ? xiw_marker_count(framing->pos, plain) : 0;
	frame->wire_len = plain + frame->markers * XIW_MARKER_LEN;
	frame->crc_at = frame->wire_len - XIW_CRC_LEN;
	frame->ulpdu_at = lead + XIW_FPDU_LEN_LEN;
	frame->ulpdu_len = ulpdu_len;
}

/**
 * xiw_frame_head - get the number of octets that xiw_frame_peek() needs
 * @framing: direction
 *
 * Return: 2, or 6 with a leading marker.
 */
static inline u32 xiw_frame_head(const struct xiw_framing *framing)
{
	return XIW_FPDU_LEN_LEN + (framing->markers && !framing->pos ? XIW_MARKER_LEN : 0);
}

/**
 * xiw_frame_peek - compute the geometry of a received FPDU from its first octets
 * @frame: result
 * @framing: direction; not changed
 * @head: xiw_frame_head() octets
 *
 * Accepts any ULPDU Length. Short lengths, including 0, fail later with 1/0/0x00 (DEC-38).
 */
static inline void xiw_frame_peek(struct xiw_frame *frame, const struct xiw_framing *framing,
				  const u8 *head)
{
	xiw_frame_init(frame, framing,
		       get_unaligned_be16(head + xiw_frame_head(framing) - XIW_FPDU_LEN_LEN));
}

/**
 * xiw_frame_done - advance past an FPDU that has been sent or consumed
 * @framing: framing of this direction; its pos is advanced past the FPDU
 * @frame: the FPDU
 */
static inline void xiw_frame_done(struct xiw_framing *framing, const struct xiw_frame *frame)
{
	framing->pos = (framing->pos + frame->wire_len) % XIW_MARKER_SPACING;
}

#endif
