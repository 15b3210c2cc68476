/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Parse and build MPA Request and Reply frames (RFC 5044 §7.1.1, RFC 6581 §6 and §9). */
#ifndef XIW_CORE_MPA_FRAME_H
#define XIW_CORE_MPA_FRAME_H

#include "core/wire.h"

/* Forms of the RTR FPDU (RFC 6581 §9.2), in order of preference (DEC-56). */
enum xiw_rtr {
	XIW_RTR_WRITE = 1 << 0,		/* C flag */
	XIW_RTR_READ = 1 << 1,		/* D flag */
	XIW_RTR_SEND = 1 << 2,		/* B flag */
	XIW_RTR_ALL = XIW_RTR_WRITE | XIW_RTR_READ | XIW_RTR_SEND,
};

enum xiw_mpa_kind {
	XIW_MPA_REQUEST,
	XIW_MPA_REPLY,
};

/**
 * struct xiw_mpa_frame - an MPA frame
 * @kind: enum xiw_mpa_kind
 * @rev: 1 or 2
 * @markers: M flag: the sender wants to receive markers
 * @crc: C flag
 * @reject: R flag, false in a Request
 * @enhanced: S flag, only with @rev 2 (DEC-52); if it is set, the next four members are valid
 * @p2p: A flag
 * @rtr: enum xiw_rtr bits, 0 if !@p2p
 * @ird: 14 bits; XIW_MPA_DEPTH_NONE: not negotiated
 * @ord: like @ird
 * @pd_len: octets of the ULP's private data
 * @pd_at: offset of the private data, 20 or 24 (set by xiw_mpa_parse())
 */
struct xiw_mpa_frame {
	u8 kind;
	u8 rev;
	bool markers;
	bool crc;
	bool reject;
	bool enhanced;
	bool p2p;
	u8 rtr;
	u16 ird;
	u16 ord;
	u16 pd_len;
	u16 pd_at;
};

enum xiw_mpa_verdict {
	XIW_MPA_NEED,			/* needs more octets */
	XIW_MPA_FRAME,			/* complete and valid */
	XIW_MPA_BAD,			/* invalid: close TCP, report 2/0/0x04 locally */
};

/**
 * xiw_mpa_parse - parse the MPA frame at the start of a stream
 * @frame: result
 * @kind: expected kind of frame
 * @buf: octets from the start of the stream
 * @have: number of octets in @buf
 * @total: result: with XIW_MPA_NEED, value of @have that the next call needs; with XIW_MPA_FRAME,
 *	length of the frame
 *
 * If the result is XIW_MPA_NEED, call the function again with more octets. Octets after a Request
 * are an error: the initiator must wait for the Reply. Octets after a Reply are ignored.
 *
 * Return: enum xiw_mpa_verdict.
 */
enum xiw_mpa_verdict xiw_mpa_parse(struct xiw_mpa_frame *frame, enum xiw_mpa_kind kind,
				   const u8 *buf, u32 have, u32 *total);

/**
 * xiw_mpa_build_header - build an MPA frame without its private data
 * @out: XIW_MPA_HDR_LEN + XIW_MPA_ENHANCED_LEN octets
 * @frame: as for xiw_mpa_build()
 *
 * Return: octets before the private data, 0 if the private data is too long.
 */
u32 xiw_mpa_build_header(u8 *out, const struct xiw_mpa_frame *frame);

/**
 * xiw_mpa_build - build an MPA frame
 * @out: XIW_MPA_FRAME_MAX octets
 * @frame: fields; pd_len is at most XIW_MPA_PD_MAX, or XIW_MPA_ENHANCED_PD_MAX if @frame->enhanced
 *	is set
 * @pd: private data of the ULP
 *
 * Return: length of the frame, 0 if the private data is too long.
 */
u32 xiw_mpa_build(u8 *out, const struct xiw_mpa_frame *frame, const u8 *pd);

#endif
