/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Constants of the wire protocols: RFC 5044, RFC 6581 (MPA), RFC 5041 (DDP), RFC 5040 and
 * RFC 7306 (RDMAP). Offsets named _AT count from the first octet of the part that their prefix
 * names.
 */
#ifndef XIW_CORE_WIRE_H
#define XIW_CORE_WIRE_H

#include "core/types.h"

/* MPA FPDU, RFC 5044 §4 */
enum xiw_fpdu_wire {
	XIW_FPDU_LEN_LEN = 2,		/* ULPDU Length field */
	XIW_FPDU_PAD_MAX = 3,
	XIW_CRC_LEN = 4,
	XIW_MARKER_LEN = 4,
	XIW_MARKER_PTR_AT = 2,
	XIW_MARKER_SPACING = 512,	/* from the start of a marker to the start of the next */
	XIW_MARKER_GAP = XIW_MARKER_SPACING - XIW_MARKER_LEN,
	XIW_FPDU_MAX_HEAD = XIW_MARKER_LEN + XIW_FPDU_LEN_LEN,
	XIW_FPDU_MAX_TRAILER = XIW_FPDU_PAD_MAX + XIW_CRC_LEN,
	XIW_MULPDU_MIN = 128,
	XIW_MULPDU_MAX = 64768,
	XIW_ULPDU_FIELD_MAX = 0xffff,
	/* the longest FPDU that a peer can announce, without and with markers */
	XIW_FPDU_PLAIN_MAX = ((XIW_FPDU_LEN_LEN + XIW_ULPDU_FIELD_MAX + 3) & ~3) + XIW_CRC_LEN,
	XIW_FPDU_WIRE_MAX = XIW_FPDU_PLAIN_MAX +
			    XIW_MARKER_LEN * (XIW_FPDU_PLAIN_MAX / XIW_MARKER_GAP + 1),
};

/* MPA Request and Reply, RFC 5044 §7.1.1, RFC 6581 §6 and §9 */
enum xiw_mpa_wire {
	XIW_MPA_KEY_LEN = 16,
	XIW_MPA_FLAGS_AT = 16,
	XIW_MPA_REV_AT = 17,
	XIW_MPA_PD_LEN_AT = 18,
	XIW_MPA_HDR_LEN = 20,
	XIW_MPA_ENHANCED_LEN = 4,
	XIW_MPA_PD_MAX = 512,
	XIW_MPA_ENHANCED_PD_MAX = XIW_MPA_PD_MAX - XIW_MPA_ENHANCED_LEN,
	XIW_MPA_FRAME_MAX = XIW_MPA_HDR_LEN + XIW_MPA_PD_MAX,
	XIW_MPA_F_MARKERS = 0x80,
	XIW_MPA_F_CRC = 0x40,
	XIW_MPA_F_REJECT = 0x20,
	XIW_MPA_F_ENHANCED = 0x10,
	XIW_MPA_W1_P2P = 0x8000,	/* A flag */
	XIW_MPA_W1_RTR_SEND = 0x4000,	/* B flag */
	XIW_MPA_W2_RTR_WRITE = 0x8000,	/* C flag */
	XIW_MPA_W2_RTR_READ = 0x4000,	/* D flag */
	XIW_MPA_DEPTH_MASK = 0x3fff,
	XIW_MPA_REV_MAX = 2,
	XIW_MPA_DEPTH_NONE = 0x3fff,	/* IRD or ORD is not negotiated */
};

/* DDP, RFC 5041 §4 */
enum xiw_ddp_wire {
	XIW_DDP_T = 0x80,
	XIW_DDP_L = 0x40,
	XIW_DDP_DV_MASK = 0x03,
	XIW_DDP_DV = 0x01,
	XIW_DDP_CTRL_AT = 0,
	XIW_DDP_RDMAP_CTRL_AT = 1,
	XIW_DDP_STAG_AT = 2,		/* tagged: STag; untagged: last 4 octets of RsvdULP */
	XIW_DDP_TO_AT = 6,
	XIW_DDP_QN_AT = 6,
	XIW_DDP_MSN_AT = 10,
	XIW_DDP_MO_AT = 14,
	XIW_DDP_TAGGED_LEN = 14,
	XIW_DDP_UNTAGGED_LEN = 18,
	XIW_DDP_HDR_MAX = XIW_DDP_UNTAGGED_LEN,
	XIW_DDP_FIRST_MSN = 1,
};

/* DDP queue numbers, RFC 5040 §4.3, RFC 7306 §4.1 */
enum xiw_qn {
	XIW_QN_SEND = 0,
	XIW_QN_REQUEST = 1,		/* Read and Atomic Requests, one MSN sequence */
	XIW_QN_TERMINATE = 2,
	XIW_QN_RESPONSE = 3,		/* Atomic Responses */
	XIW_QN_COUNT = 4,
};

/* RDMAP control octet, RFC 5040 §4.1, RFC 7306 §4.1 */
enum xiw_rdmap_wire {
	XIW_RDMAP_RV_MASK = 0xc0,
	XIW_RDMAP_RV = 0x40,
	XIW_RDMAP_OPCODE_MASK = 0x0f,
	/* Used only in Send with Immediate; in other messages, reserved and ignored. */
	XIW_RDMAP_SOLICITED = 0x10,
	XIW_RDMAP_RESERVED = 0x20,
};

enum xiw_opcode {
	XIW_OP_WRITE = 0x0,
	XIW_OP_READ_REQUEST = 0x1,
	XIW_OP_READ_RESPONSE = 0x2,
	XIW_OP_SEND = 0x3,
	XIW_OP_SEND_INV = 0x4,
	XIW_OP_SEND_SE = 0x5,
	XIW_OP_SEND_SE_INV = 0x6,
	XIW_OP_TERMINATE = 0x7,
	XIW_OP_IMM = 0x8,
	XIW_OP_IMM_SE = 0x9,
	XIW_OP_ATOMIC_REQUEST = 0xa,
	XIW_OP_ATOMIC_RESPONSE = 0xb,
	XIW_OP_SEND_IMM = 0xf,		/* an opcode for experiments (RFC 6580 §3.4, DEC-18) */
	XIW_OP_COUNT = 16,
};

/* RDMAP headers, RFC 5040 §4.4 and §4.8, RFC 7306 §5.2 and §6.2 */
enum xiw_rdmap_len {
	XIW_READ_REQ_LEN = 28,
	XIW_ATOMIC_REQ_LEN = 52,
	XIW_ATOMIC_RSP_LEN = 12,	/* DEC-01 */
	XIW_IMM_LEN = 8,
	XIW_TERM_LEN_MIN = 4,
	XIW_TERM_SEGLEN_LEN = 2,
	XIW_TERM_LEN_MAX = XIW_TERM_LEN_MIN + XIW_TERM_SEGLEN_LEN + XIW_DDP_UNTAGGED_LEN +
			   XIW_READ_REQ_LEN,
	XIW_RDMAP_HDR_MAX = XIW_ATOMIC_REQ_LEN,
};

/**
 * xiw_rdmap_ctrl - get the RDMAP control octet of an opcode
 * @opcode: enum xiw_opcode
 *
 * Return: the octet with RV = 01b and reserved bits zero (RFC 5040 §4.1).
 */
static inline u8 xiw_rdmap_ctrl(u8 opcode)
{
	return XIW_RDMAP_RV | (opcode & XIW_RDMAP_OPCODE_MASK);
}

#endif
