/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* MPA Request and Reply frames, read and written (RFC 5044 §7.1.1, RFC 6581 §6 and §9). */
#ifndef XIW_CORE_MPA_FRAME_H
#define XIW_CORE_MPA_FRAME_H

#include "core/wire.h"

/* Ready-to-receive FPDUs (RFC 6581 §9.2); in order of preference, DEC-56. */
enum xiw_rtr {
	XIW_RTR_WRITE = 1 << 0,		/* C */
	XIW_RTR_READ = 1 << 1,		/* D */
	XIW_RTR_SEND = 1 << 2,		/* B */
	XIW_RTR_ALL = XIW_RTR_WRITE | XIW_RTR_READ | XIW_RTR_SEND,
};

enum xiw_mpa_kind {
	XIW_MPA_REQUEST,
	XIW_MPA_REPLY,
};

/**
 * struct xiw_mpa_frame - a startup frame
 * @kind: enum xiw_mpa_kind
 * @rev: 1 or 2
 * @markers: M: its sender wants markers in what it receives
 * @crc: C
 * @reject: R, false in a Request
 * @enhanced: S, only with rev 2 (DEC-52); the next four are valid then
 * @p2p: A
 * @rtr: enum xiw_rtr bits, 0 if !@p2p
 * @ird: 14 bits, XIW_MPA_DEPTH_NONE: not negotiated
 * @ord: the same
 * @pd_len: octets of private data that belong to the ULP
 * @pd_at: their offset in the frame, 20 or 24 (set by xiw_mpa_parse())
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
	XIW_MPA_NEED,			/* more octets */
	XIW_MPA_FRAME,			/* whole and good */
	XIW_MPA_BAD,			/* close TCP, 2/0/0x04 as local report */
};

/**
 * xiw_mpa_parse - look at the start of the stream
 * @frame: result
 * @kind: what is awaited
 * @buf: octets from the first of the stream on
 * @have: their number
 * @total: XIW_MPA_NEED: octets needed now; XIW_MPA_FRAME: length of the frame
 *
 * Call it anew with more octets until it decides. Octets behind a Request are
 * an error (the initiator must wait for the Reply), behind a Reply they are not
 * looked at.
 *
 * Return: what to do.
 */
enum xiw_mpa_verdict xiw_mpa_parse(struct xiw_mpa_frame *frame, enum xiw_mpa_kind kind,
				   const u8 *buf, u32 have, u32 *total);

/**
 * xiw_mpa_build - write a startup frame
 * @out: XIW_MPA_FRAME_MAX octets
 * @frame: @frame->pd_len octets of @pd follow; XIW_MPA_PD_MAX at most, or
 *	XIW_MPA_ENHANCED_PD_MAX if enhanced
 * @pd: private data of the ULP
 *
 * Return: octets, 0 if the private data is too long.
 */
u32 xiw_mpa_build(u8 *out, const struct xiw_mpa_frame *frame, const u8 *pd);

#endif
