/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The sixteen RDMAP opcodes as rows of one table (RFC 5040 §4.3, RFC 7306 §4). */
#ifndef XIW_CORE_OPCODE_H
#define XIW_CORE_OPCODE_H

#include <rnic/xiw_rnic.h>
#include "core/wire.h"

enum xiw_opcode_class {
	XIW_CLASS_REFUSED = 0,		/* undefined opcode: 0/2/0x06 */
	XIW_CLASS_WRITE,		/* tagged, placed by STag */
	XIW_CLASS_SOLICITED_TAGGED,	/* Read Response */
	XIW_CLASS_DELIVER,		/* Send */
	XIW_CLASS_DELIVER_INVALIDATE,	/* Send that invalidates an STag */
	XIW_CLASS_DELIVER_IMM,		/* takes a receive; the data is in the completion */
	XIW_CLASS_REQUEST,		/* queue 1 */
	XIW_CLASS_RESPONSE,		/* queue 3 */
	XIW_CLASS_TERMINATE,		/* queue 2, never answered */
};

enum xiw_opcode_flag {
	XIW_OPF_TAGGED = 1 << 0,	/* T bit */
	XIW_OPF_SINGLE = 1 << 1,	/* whole message in one segment, fixed lengths */
	XIW_OPF_SOLICITED = 1 << 2,	/* solicited event */
	XIW_OPF_INVALIDATE = 1 << 3,	/* RsvdULP carries an STag */
	XIW_OPF_ATOMIC = 1 << 4,	/* needs XIW_FEATURE_ATOMIC */
	XIW_OPF_IMM = 1 << 5,		/* needs XIW_FEATURE_IMM */
};

/* RFC 7306 makes atomics one feature, and Immediate Data a separate one. */
enum xiw_feature {
	XIW_FEATURE_ATOMIC = XIW_OPF_ATOMIC,
	XIW_FEATURE_IMM = XIW_OPF_IMM,
	XIW_FEATURE_ALL = XIW_FEATURE_ATOMIC | XIW_FEATURE_IMM,
};

/**
 * struct xiw_opcode_row - properties of an opcode
 * @name: name as in the RFC
 * @kind: enum xiw_opcode_class
 * @qn: queue number if untagged
 * @flags: enum xiw_opcode_flag
 * @len_min: XIW_OPF_SINGLE: minimum octets of the message after the DDP header
 * @len_max: XIW_OPF_SINGLE: maximum octets
 */
struct xiw_opcode_row {
	const char *name;
	u8 kind;
	u8 qn;
	u8 flags;
	u8 len_min;
	u8 len_max;
};

extern const struct xiw_opcode_row xiw_opcode_table[XIW_OP_COUNT];

/**
 * xiw_opcode_of - find the row of a control octet
 * @rdmap_ctrl: RDMAP control octet; only the opcode bits are used
 *
 * Return: never NULL.
 */
static inline const struct xiw_opcode_row *xiw_opcode_of(u8 rdmap_ctrl)
{
	return &xiw_opcode_table[rdmap_ctrl & XIW_RDMAP_OPCODE_MASK];
}

/**
 * xiw_opcode_features - get the features that an opcode requires
 * @rdmap_ctrl: RDMAP control octet
 *
 * Return: enum xiw_feature bits; 0 for opcodes of RFC 5040.
 */
static inline u8 xiw_opcode_features(u8 rdmap_ctrl)
{
	return xiw_opcode_of(rdmap_ctrl)->flags & XIW_FEATURE_ALL;
}

/**
 * xiw_opcode_match - generate the match table of an RNIC
 * @rows: XIW_MATCH_ROWS rows, all written
 *
 * XIW_ADM_MATCH_LOAD loads it. The table contains all defined opcodes, because each stream has
 * features of its own (struct xiw_ddp_rx).
 */
void xiw_opcode_match(struct xiw_match_row *rows);

#endif
