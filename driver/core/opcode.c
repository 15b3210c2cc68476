// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/opcode.h"

const struct xiw_opcode_row xiw_opcode_table[XIW_OP_COUNT] = {
	[XIW_OP_WRITE] = {
		.name = "RDMA Write", .kind = XIW_CLASS_WRITE,
		.flags = XIW_OPF_TAGGED,
	},
	[XIW_OP_READ_REQUEST] = {
		.name = "RDMA Read Request", .kind = XIW_CLASS_REQUEST, .qn = XIW_QN_REQUEST,
		.flags = XIW_OPF_SINGLE,
		.len_min = XIW_READ_REQ_LEN, .len_max = XIW_READ_REQ_LEN,
	},
	[XIW_OP_READ_RESPONSE] = {
		.name = "RDMA Read Response", .kind = XIW_CLASS_SOLICITED_TAGGED,
		.flags = XIW_OPF_TAGGED,
	},
	[XIW_OP_SEND] = {
		.name = "Send", .kind = XIW_CLASS_DELIVER, .qn = XIW_QN_SEND,
	},
	[XIW_OP_SEND_INV] = {
		.name = "Send with Invalidate", .kind = XIW_CLASS_DELIVER_INVALIDATE,
		.qn = XIW_QN_SEND, .flags = XIW_OPF_INVALIDATE,
	},
	[XIW_OP_SEND_SE] = {
		.name = "Send with Solicited Event", .kind = XIW_CLASS_DELIVER,
		.qn = XIW_QN_SEND, .flags = XIW_OPF_SOLICITED,
	},
	[XIW_OP_SEND_SE_INV] = {
		.name = "Send with Solicited Event and Invalidate",
		.kind = XIW_CLASS_DELIVER_INVALIDATE, .qn = XIW_QN_SEND,
		.flags = XIW_OPF_SOLICITED | XIW_OPF_INVALIDATE,
	},
	[XIW_OP_TERMINATE] = {
		.name = "Terminate", .kind = XIW_CLASS_TERMINATE, .qn = XIW_QN_TERMINATE,
		.flags = XIW_OPF_SINGLE,
		.len_min = XIW_TERM_LEN_MIN, .len_max = XIW_TERM_LEN_MAX,
	},
	[XIW_OP_IMM] = {
		.name = "Immediate Data", .kind = XIW_CLASS_DELIVER_IMM, .qn = XIW_QN_SEND,
		.flags = XIW_OPF_SINGLE,
		.len_min = XIW_IMM_LEN, .len_max = XIW_IMM_LEN, .needs = XIW_CONNF_IMMEDIATE,
	},
	[XIW_OP_IMM_SE] = {
		.name = "Immediate Data with Solicited Event", .kind = XIW_CLASS_DELIVER_IMM,
		.qn = XIW_QN_SEND,
		.flags = XIW_OPF_SINGLE | XIW_OPF_SOLICITED,
		.len_min = XIW_IMM_LEN, .len_max = XIW_IMM_LEN, .needs = XIW_CONNF_IMMEDIATE,
	},
	[XIW_OP_ATOMIC_REQUEST] = {
		.name = "Atomic Request", .kind = XIW_CLASS_REQUEST, .qn = XIW_QN_REQUEST,
		.flags = XIW_OPF_SINGLE, .needs = XIW_CONNF_ATOMICS,
		.len_min = XIW_ATOMIC_REQ_LEN, .len_max = XIW_ATOMIC_REQ_LEN,
	},
	[XIW_OP_ATOMIC_RESPONSE] = {
		.name = "Atomic Response", .kind = XIW_CLASS_RESPONSE, .qn = XIW_QN_RESPONSE,
		.flags = XIW_OPF_SINGLE, .needs = XIW_CONNF_ATOMICS,
		.len_min = XIW_ATOMIC_RSP_LEN, .len_max = XIW_ATOMIC_RSP_LEN,
	},
	[0xc] = { .name = "undefined (0xC)" },
	[0xd] = { .name = "undefined (0xD)" },
	[0xe] = { .name = "undefined (0xE)" },
	[XIW_OP_SEND_IMM] = {
		.name = "Send with Immediate", .kind = XIW_CLASS_DELIVER, .qn = XIW_QN_SEND,
		.needs = XIW_CONNF_SEND_IMM,
	},
};

/* The action of the RNIC for each class. The RNIC does not need the meaning of an opcode. */
static const u8 match_of_class[] = {
	[XIW_CLASS_REFUSED] = XIW_MATCH_REFUSED,
	[XIW_CLASS_WRITE] = XIW_MATCH_WRITE,
	[XIW_CLASS_SOLICITED_TAGGED] = XIW_MATCH_SOLICITED,
	[XIW_CLASS_DELIVER] = XIW_MATCH_DELIVER,
	[XIW_CLASS_DELIVER_INVALIDATE] = XIW_MATCH_DELIVER_INV,
	[XIW_CLASS_DELIVER_IMM] = XIW_MATCH_CONSUME,
	[XIW_CLASS_REQUEST] = XIW_MATCH_INLINE,
	[XIW_CLASS_RESPONSE] = XIW_MATCH_INLINE,
	[XIW_CLASS_TERMINATE] = XIW_MATCH_INLINE,
};

void xiw_opcode_match(struct xiw_match_row *rows)
{
	const struct xiw_opcode_row *op;
	int i;

	memset(rows, 0, XIW_MATCH_ROWS * sizeof(*rows));
	for (i = 0; i < XIW_OP_COUNT; i++) {
		op = &xiw_opcode_table[i];
		rows[i].kind = match_of_class[op->kind];
		rows[i].queue = op->qn;
		rows[i].length_min = op->len_min;
		rows[i].length_max = op->len_max;
		rows[i].silent = op->kind == XIW_CLASS_TERMINATE;
		rows[i].needs = cpu_to_le16(op->needs);
	}
}
