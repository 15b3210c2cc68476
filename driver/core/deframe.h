/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A stream in pieces of any size goes in, ULPDUs come out; every FPDU is staged. */
#ifndef XIW_CORE_DEFRAME_H
#define XIW_CORE_DEFRAME_H

#include "core/fpdu.h"

enum xiw_deframe_verdict {
	XIW_DEFRAME_NEED,		/* input used up, FPDU not complete */
	XIW_DEFRAME_ULPDU,		/* a ULPDU is there; call again for more */
	XIW_DEFRAME_FAULT,		/* stream is dead */
};

/**
 * struct xiw_deframer - one receiving direction with a staging buffer
 * @framing: direction; set it up before the first octet
 * @buf: staging buffer of the caller
 * @size: its octets; XIW_FPDU_WIRE_MAX takes every FPDU
 * @have: octets staged
 * @want: octets wanted before the next decision
 * @fault: why it stopped
 */
struct xiw_deframer {
	struct xiw_framing framing;
	u8 *buf;
	u32 size;
	u32 have;
	u32 want;
	enum xiw_fault fault;
};

/**
 * xiw_deframer_init - start at the first FPDU
 * @d: deframer
 * @crc: check CRCs
 * @markers: this direction carries markers
 * @buf: staging buffer
 * @size: octets, XIW_FPDU_MAX_HEAD at least
 */
void xiw_deframer_init(struct xiw_deframer *d, bool crc, bool markers, u8 *buf, u32 size);

/**
 * xiw_deframe_feed - take octets of the stream
 * @d: deframer
 * @in: input, moves past what was used
 * @ulpdu: the ULPDU, inside the staging buffer, until the next call
 *
 * Steps 1 to 3 of the receiver. Faults: LLP_CRC, LLP_MARKER, and SILENT if an FPDU
 * is longer than the staging buffer. After a fault every call answers the same.
 *
 * Return: XIW_DEFRAME_NEED means that @in is used up.
 */
enum xiw_deframe_verdict xiw_deframe_feed(struct xiw_deframer *d, struct xiw_span *in,
					  struct xiw_span *ulpdu);

/**
 * xiw_deframer_idle - is the stream between two FPDUs?
 * @d: deframer
 *
 * Return: true if so. A FIN is clean only here; elsewhere it is XIW_FAULT_LLP_LOST.
 */
static inline bool xiw_deframer_idle(const struct xiw_deframer *d)
{
	return !d->have;
}

#endif
