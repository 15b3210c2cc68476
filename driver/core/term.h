/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The Terminate message (RFC 5040 §4.8, §7) and the one table of its codes. */
#ifndef XIW_CORE_TERM_H
#define XIW_CORE_TERM_H

#include "core/fault.h"
#include "core/wire.h"

/* Work completion status that a received Terminate gives to the request it names. */
enum xiw_term_status {
	XIW_TERM_REM_ACCESS,		/* IB_WC_REM_ACCESS_ERR */
	XIW_TERM_REM_INV_REQ,		/* IB_WC_REM_INV_REQ_ERR */
	XIW_TERM_REM_OP,		/* IB_WC_REM_OP_ERR */
	XIW_TERM_RNR,			/* IB_WC_RNR_RETRY_EXC_ERR */
	XIW_TERM_FATAL,			/* IB_WC_FATAL_ERR */
};

enum xiw_term_event {
	XIW_TERM_EV_FATAL,		/* IB_EVENT_QP_FATAL */
	XIW_TERM_EV_ACCESS,		/* IB_EVENT_QP_ACCESS_ERR */
	XIW_TERM_EV_REQ,		/* IB_EVENT_QP_REQ_ERR */
};

/**
 * struct xiw_term_row - one terminate code
 * @code: layer, type, code, and M D R as sent (R only for a Read Request)
 * @status: enum xiw_term_status, when received
 * @event: enum xiw_term_event, when received
 * @words: error type and meaning in plain words
 * @rfc: where it is defined
 */
struct xiw_term_row {
	struct xiw_term_code code;
	u8 status;
	u8 event;
	const char *words;
	const char *rfc;
};

/**
 * struct xiw_term_info - a Terminate as received
 * @row: what the code means; deployed peers' exchanged nibbles are put right;
 *	an unknown code has the row of its layer and type with general words
 * @code: as received; flags tell which parts are there
 * @seg_len: DDP Segment Length, valid if code.flags & XIW_TERM_M
 * @ddp_hdr: Terminated DDP Header inside the message, NULL if absent
 * @ddp_hdr_len: XIW_DDP_TAGGED_LEN or XIW_DDP_UNTAGGED_LEN, 0 if absent
 * @read_hdr: Terminated RDMA Header (XIW_READ_REQ_LEN octets), NULL if absent
 */
struct xiw_term_info {
	const struct xiw_term_row *row;
	struct xiw_term_code code;
	u16 seg_len;
	const u8 *ddp_hdr;
	u8 ddp_hdr_len;
	const u8 *read_hdr;
};

extern const struct xiw_term_row xiw_term_table[XIW_FAULT_COUNT];

/**
 * xiw_fault_code - the triple of a fault
 * @fault: any value but XIW_FAULT_NONE
 *
 * Return: layer, type, code, flags; flags is XIW_TERM_SILENT for XIW_FAULT_SILENT.
 */
static inline struct xiw_term_code xiw_fault_code(enum xiw_fault fault)
{
	return xiw_term_table[fault].code;
}

/**
 * xiw_term_fault - which fault a triple is
 * @layer: 0 to 15
 * @etype: 0 to 15
 * @code: error code
 *
 * Return: the fault, XIW_FAULT_NONE if the triple is not in the table.
 */
enum xiw_fault xiw_term_fault(u8 layer, u8 etype, u8 code);

/**
 * xiw_term_build - make the Terminate message (the payload behind the DDP header)
 * @out: XIW_TERM_LEN_MAX octets
 * @code: triple to report; M D R are chosen here, see below
 * @header: offending segment from its DDP control octet on, may be NULL
 * @header_len: octets there; shorter than the DDP header counts as none, more
 *	than the DDP header and a Read Request header is not looked at
 * @ulpdu_len: ULPDU length of the offending segment (DEC-37)
 *
 * Layer, type and code decide M D R (RFC 5040 Figure 10, DEC-09, DEC-33): headers
 * only where the table has them; R only for Remote Protection errors of a Read
 * Request whose header is there.
 *
 * Return: octets, XIW_TERM_LEN_MIN to XIW_TERM_LEN_MAX.
 */
u32 xiw_term_build(u8 *out, struct xiw_term_code code, const u8 *header, u32 header_len,
		   u32 ulpdu_len);

/**
 * xiw_term_advance - returned Read Request header of a half served read
 * @read_hdr: XIW_READ_REQ_LEN octets, changed in place
 * @done: octets of the response already handed to TCP
 *
 * SinkTO and SrcTO go up, RDMARDSZ goes down by @done.
 */
void xiw_term_advance(u8 *read_hdr, u32 done);

/**
 * xiw_term_parse - read a received Terminate message
 * @info: result; its pointers point into @msg
 * @msg: message, without DDP header
 * @len: octets
 * @full: false if it is the first FPDU of a responder: only then codes 2/0/0x05 to
 *	0x07 mean the startup
 *
 * Parts that M, D, R announce but that are not there count as absent; what follows
 * the announced parts is ignored (DEC-09).
 *
 * Return: false if shorter than XIW_TERM_LEN_MIN: close without an answer (DEC-42).
 */
bool xiw_term_parse(struct xiw_term_info *info, const u8 *msg, u32 len, bool full);

#endif
