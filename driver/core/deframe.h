/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Extract ULPDUs from a stream that arrives in pieces of any size. Every FPDU is copied to a
 * staging buffer.
 */
#ifndef XIW_CORE_DEFRAME_H
#define XIW_CORE_DEFRAME_H

#include "core/fpdu.h"

enum xiw_deframe_verdict {
	XIW_DEFRAME_NEED,		/* the input is used up, and the FPDU is not complete */
	XIW_DEFRAME_ULPDU,		/* a ULPDU is complete; call again for more */
	XIW_DEFRAME_FAULT,		/* the stream cannot continue */
};

/**
 * struct xiw_deframer - receive direction with a staging buffer
 * @framing: framing of this direction
 * @buf: staging buffer of the caller
 * @size: size of the buffer; XIW_FPDU_WIRE_MAX is enough for every FPDU
 * @have: staged octets
 * @want: octets to stage before the next step
 * @fault: fault that has ended the stream
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
 * xiw_deframer_init - prepare for the first FPDU
 * @d: deframer
 * @crc: check CRCs
 * @markers: this direction carries markers
 * @buf: staging buffer
 * @size: size of the buffer, at least XIW_FPDU_MAX_HEAD
 */
void xiw_deframer_init(struct xiw_deframer *d, bool crc, bool markers, u8 *buf, u32 size);

/**
 * xiw_deframe_feed - process octets of the stream
 * @d: deframer
 * @in: input; the function advances @in past the octets that it has used
 * @ulpdu: the ULPDU, in the staging buffer, valid until the next call
 *
 * Stages the FPDU, and checks CRC and markers. If the result is XIW_DEFRAME_FAULT, @d->fault is
 * XIW_FAULT_LLP_CRC, XIW_FAULT_LLP_MARKER, or, if an FPDU is longer than the staging buffer,
 * XIW_FAULT_SILENT. After a fault, every call returns XIW_DEFRAME_FAULT.
 *
 * Return: enum xiw_deframe_verdict; XIW_DEFRAME_NEED means that @in is used up.
 */
enum xiw_deframe_verdict xiw_deframe_feed(struct xiw_deframer *d, struct xiw_span *in,
					  struct xiw_span *ulpdu);

/**
 * xiw_deframer_idle - check whether the stream is between two FPDUs
 * @d: deframer
 *
 * If a FIN arrives inside an FPDU, the caller reports XIW_FAULT_LLP_LOST.
 *
 * Return: true between two FPDUs, and before the first FPDU.
 */
static inline bool xiw_deframer_idle(const struct xiw_deframer *d)
{
	return !d->have;
}

#endif
