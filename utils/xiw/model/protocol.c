// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/protocol.h"

#include "core/opcode.h"
#include "core/state.h"
#include "core/term.h"

const char *xiw_protocol_opcode(unsigned int opcode)
{
	if (opcode >= XIW_OP_COUNT || xiw_opcode_table[opcode].kind == XIW_CLASS_REFUSED)
		return NULL;
	return xiw_opcode_table[opcode].name;
}

const char *xiw_protocol_mpa_state(unsigned int state)
{
	return state < XIW_MPAS_COUNT ? xiw_mpas_name[state] : NULL;
}

const char *xiw_protocol_stream_state(unsigned int state)
{
	return state < XIW_QPS_COUNT ? xiw_qps_name[state] : NULL;
}

const char *xiw_protocol_terminate(unsigned int layer, unsigned int etype, unsigned int code,
				   const char **rfc)
{
	enum xiw_fault fault;

	if (layer > 0xf || etype > 0xf || code > 0xff)
		return NULL;
	fault = xiw_term_fault((u8)layer, (u8)etype, (u8)code);
	if (fault == XIW_FAULT_NONE)
		return NULL;
	*rfc = xiw_term_table[fault].rfc;
	return xiw_term_table[fault].words;
}
