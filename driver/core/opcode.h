/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The sixteen RDMAP opcodes as rows of one table (RFC 5040 §4.3, RFC 7306 §4, DEC-18). */
#ifndef XIW_CORE_OPCODE_H
#define XIW_CORE_OPCODE_H

#include <rnic/xiw_rnic.h>
#include "core/wire.h"

enum xiw_opcode_class {
	XIW_CLASS_REFUSED = 0,		/* undefined opcode: Terminate 0/2/0x06 */
	XIW_CLASS_WRITE,		/* tagged, placed by STag */
	XIW_CLASS_SOLICITED_TAGGED,	/* Read Response */
	XIW_CLASS_DELIVER,		/* Send */
	XIW_CLASS_DELIVER_INVALIDATE,	/* Send that invalidates an STag */
	XIW_CLASS_DELIVER_IMM,		/* Immediate Data: uses a receive; data in completion */
	XIW_CLASS_REQUEST,		/* Read Request or Atomic Request, queue 1 */
	XIW_CLASS_RESPONSE,		/* Atomic Response, queue 3 */
	XIW_CLASS_TERMINATE,		/* queue 2, never answered */
};

enum xiw_opcode_flag {
	XIW_OPF_TAGGED = 1 << 0,	/* T bit */
	XIW_OPF_SINGLE = 1 << 1,	/* one segment per message; len_min and len_max apply */
	XIW_OPF_SOLICITED = 1 << 2,	/* the receiver raises a solicited event */
	XIW_OPF_INVALIDATE = 1 << 3,	/* RsvdULP contains an STag to invalidate */
};

/* All connection flags that rows of the table need. */
#define XIW_CONNF_OPCODES (XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE | XIW_CONNF_SEND_IMM)

/**
 * struct xiw_opcode_row - properties of an opcode
 * @name: name as in the RFC
 * @kind: enum xiw_opcode_class
 * @qn: queue number if untagged
 * @flags: enum xiw_opcode_flag
 * @len_min: XIW_OPF_SINGLE: minimum octets of the message after the DDP header
 * @len_max: XIW_OPF_SINGLE: maximum octets
 * @needs: enum xiw_conn_flag that a connection must have for this opcode; 0 for opcodes of RFC
 *	5040. In RFC 7306, atomics and Immediate Data are separate features.
 */
struct xiw_opcode_row {
	const char *name;
	u8 kind;
	u8 qn;
	u8 flags;
	u8 len_min;
	u8 len_max;
	u16 needs;
};

extern const struct xiw_opcode_row xiw_opcode_table[XIW_OP_COUNT];

/**
 * xiw_opcode_of - find the row of a control octet
 * @rdmap_ctrl: RDMAP control octet; only the opcode bits are used
 *
 * Return: row of the opcode; never NULL.
 */
static inline const struct xiw_opcode_row *xiw_opcode_of(u8 rdmap_ctrl)
{
	return &xiw_opcode_table[rdmap_ctrl & XIW_RDMAP_OPCODE_MASK];
}

/**
 * xiw_opcode_match - generate the match table of an RNIC
 * @rows: XIW_MATCH_ROWS rows, all written
 *
 * XIW_ADM_MATCH_LOAD loads the table into the RNIC. The table is the same for all connections, so
 * each row contains the connection flags that its opcode requires.
 */
void xiw_opcode_match(struct xiw_match_row *rows);

#endif
