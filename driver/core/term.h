/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The Terminate message (RFC 5040 §4.8 and §7), and the table of its codes. */
#ifndef XIW_CORE_TERM_H
#define XIW_CORE_TERM_H

#include "core/fault.h"
#include "core/wire.h"

/* Completion status of the request to which a received Terminate refers. */
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
 * @code: layer, type, code, and the flags M, D and R that are sent (R only for a Read Request)
 * @status: enum xiw_term_status for a received code
 * @event: enum xiw_term_event for a received code
 * @words: error type and meaning as text
 * @rfc: section that defines the code
 */
struct xiw_term_row {
	struct xiw_term_code code;
	u8 status;
	u8 event;
	const char *words;
	const char *rfc;
};

/**
 * struct xiw_term_info - a received Terminate
 * @row: row of the code, after correction of swapped nibbles; for an undefined code, a row with a
 *	general text
 * @code: code as received; its flags name the parts that are present
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
 * xiw_fault_code - convert a fault to layer, type and code
 * @fault: any value except XIW_FAULT_NONE
 *
 * Return: layer, type, code and flags; the flags are XIW_TERM_SILENT for XIW_FAULT_SILENT.
 */
static inline struct xiw_term_code xiw_fault_code(enum xiw_fault fault)
{
	return xiw_term_table[fault].code;
}

/**
 * xiw_term_fault - convert layer, type and code to a fault
 * @layer: 0 to 15
 * @etype: 0 to 15
 * @code: error code
 *
 * Return: the fault; XIW_FAULT_NONE if the table does not contain the code.
 */
enum xiw_fault xiw_term_fault(u8 layer, u8 etype, u8 code);

/**
 * xiw_term_build - build a Terminate message (the payload after the DDP header)
 * @out: XIW_TERM_LEN_MAX octets
 * @code: layer, type and code to report; this function sets the flags M, D and R
 * @header: the segment that caused the error, beginning with its DDP control octet; may be NULL
 * @header_len: length of @header. If @header is shorter than a DDP header, it is ignored. Octets
 *	after the DDP header, or after the header of a Read Request, are ignored
 * @ulpdu_len: ULPDU length of this segment (DEC-37)
 *
 * The row of @code in xiw_term_table determines which of M, D and R may be set (RFC 5040 Figure 10,
 * DEC-09, DEC-33). M and D are set only if @header contains a DDP header. R is set only for Remote
 * Protection errors of a Read Request whose header is in @header.
 *
 * Return: length, XIW_TERM_LEN_MIN to XIW_TERM_LEN_MAX.
 */
u32 xiw_term_build(u8 *out, struct xiw_term_code code, const u8 *header, u32 header_len,
		   u32 ulpdu_len);

/**
 * xiw_term_advance - adjust the returned header of a Read Request that was partly answered
 * @read_hdr: XIW_READ_REQ_LEN octets, changed in place
 * @done: octets of the response that TCP has already accepted
 *
 * Increases SinkTO and SrcTO and decreases RDMARDSZ by @done.
 */
void xiw_term_advance(u8 *read_hdr, u32 done);

/**
 * xiw_term_parse - parse a received Terminate message
 * @info: result; its pointers point into @msg
 * @msg: message without the DDP header
 * @len: length of the message
 * @full: false if the message is the first FPDU that a responder receives; only such a Terminate
 *	can contain the codes 2/0/0x05 to 0x07 of the MPA negotiation
 *
 * Each of M, D and R announces a part of the message. If the message is too short for an announced
 * part, the flag of this part counts as clear. Octets after the announced parts are ignored
 * (DEC-09).
 *
 * Return: false if the message is shorter than XIW_TERM_LEN_MIN; the caller then closes the stream
 * without an answer (DEC-42).
 */
bool xiw_term_parse(struct xiw_term_info *info, const u8 *msg, u32 len, bool full);

#endif
