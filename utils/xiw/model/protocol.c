// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/protocol.h"

#include "core/opcode.h"
#include "core/term.h"

const char *xiw_protocol_opcode(unsigned int opcode)
{
	if (opcode >= XIW_OP_COUNT || xiw_opcode_table[opcode].kind == XIW_CLASS_REFUSED)
		return NULL;
	return xiw_opcode_table[opcode].name;
}

bool xiw_protocol_immediate(unsigned int opcode)
{
	return opcode == XIW_OP_SEND_IMM;
}

static const char *const statuses[] = {
	[XIW_TERM_REM_ACCESS] = "REM_ACCESS_ERR",
	[XIW_TERM_REM_INV_REQ] = "REM_INV_REQ_ERR",
	[XIW_TERM_REM_OP] = "REM_OP_ERR",
	[XIW_TERM_RNR] = "RNR_RETRY_EXC_ERR",
	[XIW_TERM_FATAL] = "FATAL_ERR",
};

static const char *const events[] = {
	[XIW_TERM_EV_FATAL] = "QP_FATAL",
	[XIW_TERM_EV_ACCESS] = "QP_ACCESS_ERR",
	[XIW_TERM_EV_REQ] = "QP_REQ_ERR",
};

static bool code_of(enum xiw_fault fault, struct xiw_protocol_code *out)
{
	const struct xiw_term_row *row = &xiw_term_table[fault];

	out->layer = row->code.layer;
	out->etype = row->code.etype;
	out->code = row->code.code;
	out->words = row->words;
	out->rfc = row->rfc;
	out->status = statuses[row->status];
	out->event = events[row->event];
	return true;
}

bool xiw_protocol_terminate(unsigned int layer, unsigned int etype, unsigned int code,
			    struct xiw_protocol_code *out)
{
	enum xiw_fault fault;

	if (layer > 0xf || etype > 0xf || code > 0xff)
		return false;
	fault = xiw_term_fault((u8)layer, (u8)etype, (u8)code);
	return fault != XIW_FAULT_NONE && code_of(fault, out);
}

bool xiw_protocol_terminate_row(unsigned int row, struct xiw_protocol_code *out)
{
	if (row >= XIW_FAULT_COUNT - XIW_FAULT_RDMA_LOCAL)
		return false;
	return code_of((enum xiw_fault)(XIW_FAULT_RDMA_LOCAL + row), out);
}
