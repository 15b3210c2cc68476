/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Faults of a stream. term.c contains the table of faults with their texts. */
#ifndef XIW_CORE_FAULT_H
#define XIW_CORE_FAULT_H

#include "core/types.h"

/*
 * Faults of a stream, one value for each row of xiw_term_table. The comment of a value gives the
 * layer, error type and code of its Terminate.
 *
 * The checks of the core return these values. XIW_FAULT_SILENT means that the stream closes TCP
 * without a Terminate, because a Terminate of the peer is malformed (DEC-42), or because an FPDU is
 * longer than the staging buffer (deframe.h).
 */
enum xiw_fault {
	XIW_FAULT_NONE = 0,
	XIW_FAULT_SILENT,
	XIW_FAULT_RDMA_LOCAL,		/* 0/0/0x00 */
	XIW_FAULT_RDMA_STAG,		/* 0/1/0x00 */
	XIW_FAULT_RDMA_BOUNDS,		/* 0/1/0x01 */
	XIW_FAULT_RDMA_ACCESS,		/* 0/1/0x02 */
	XIW_FAULT_RDMA_NOT_ASSOCIATED,	/* 0/1/0x03 */
	XIW_FAULT_RDMA_WRAP,		/* 0/1/0x04 */
	XIW_FAULT_RDMA_INVALIDATE,	/* 0/1/0x09 */
	XIW_FAULT_RDMA_PROTECTION,	/* 0/1/0xff */
	XIW_FAULT_RDMA_VERSION,		/* 0/2/0x05 */
	XIW_FAULT_RDMA_OPCODE,		/* 0/2/0x06 */
	XIW_FAULT_RDMA_STREAM,		/* 0/2/0x07 */
	XIW_FAULT_RDMA_GLOBAL,		/* 0/2/0x08 */
	XIW_FAULT_RDMA_INVALIDATE_ALT,	/* 0/2/0x09: accepted, but never sent (DEC-31) */
	XIW_FAULT_RDMA_OPERATION,	/* 0/2/0xff */
	XIW_FAULT_DDP_LOCAL,		/* 1/0/0x00 */
	XIW_FAULT_DDP_STAG,		/* 1/1/0x00 */
	XIW_FAULT_DDP_BOUNDS,		/* 1/1/0x01 */
	XIW_FAULT_DDP_NOT_ASSOCIATED,	/* 1/1/0x02 */
	XIW_FAULT_DDP_WRAP,		/* 1/1/0x03 */
	XIW_FAULT_DDP_TAGGED_VERSION,	/* 1/1/0x04 */
	XIW_FAULT_DDP_QN,		/* 1/2/0x01 */
	XIW_FAULT_DDP_NO_BUFFER,	/* 1/2/0x02 */
	XIW_FAULT_DDP_MSN,		/* 1/2/0x03 */
	XIW_FAULT_DDP_MO,		/* 1/2/0x04 */
	XIW_FAULT_DDP_TOO_LONG,		/* 1/2/0x05 */
	XIW_FAULT_DDP_UNTAGGED_VERSION,	/* 1/2/0x06 */
	XIW_FAULT_LLP_LOST,		/* 2/0/0x01: reported locally */
	XIW_FAULT_LLP_CRC,		/* 2/0/0x02 */
	XIW_FAULT_LLP_MARKER,		/* 2/0/0x03 */
	XIW_FAULT_LLP_STARTUP,		/* 2/0/0x04: reported locally */
	XIW_FAULT_LLP_LOCAL,		/* 2/0/0x05 */
	XIW_FAULT_LLP_IRD,		/* 2/0/0x06 */
	XIW_FAULT_LLP_RTR,		/* 2/0/0x07 */
	XIW_FAULT_COUNT,
};

enum xiw_term_flag {
	XIW_TERM_M = 0x80,		/* DDP Segment Length valid */
	XIW_TERM_D = 0x40,		/* Terminated DDP Header included */
	XIW_TERM_R = 0x20,		/* Terminated RDMA Header included */
	XIW_TERM_SILENT = 0x01,		/* not a wire flag: close without a Terminate */
};

/* Layer, error type and code of a Terminate. flags: enum xiw_term_flag. */
struct xiw_term_code {
	u8 layer;
	u8 etype;
	u8 code;
	u8 flags;
};

#endif
