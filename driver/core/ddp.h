/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The DDP receiver (RFC 5041), and the order of its checks. For each ULPDU, the caller does these
 * steps:
 *
 *   xiw_ddp_rx_header()		checks header, versions, queue, opcode and MSN
 *   untagged: xiw_ddp_rx_untagged()	checks buffer, MO and lengths
 *   Write: check the STag (stag.h), unless xiw_ddp_is_empty()
 *   Read or Atomic Response: xiw_solicited_check() (solicited.h)
 *   place the payload
 *   xiw_ddp_rx_placed()		returns true if the message is delivered
 *
 * After a fault, the caller places nothing more on this stream. Exception: the receiver may wait
 * for a receive and then continue (xiw_ddp_rx_untagged()).
 */
#ifndef XIW_CORE_DDP_H
#define XIW_CORE_DDP_H

#include "core/ddp_header.h"
#include "core/fault.h"
#include "core/opcode.h"
#include "core/segment.h"

/**
 * struct xiw_ddp_rx - receive state of a stream
 * @msn: next expected MSN of each queue
 * @length: octets of the message so far; after the last segment, the length of the message
 * @write_length: octets of a Write that directly precedes the message (DEC-17), else 0
 * @requests: number of free inbound request entries (IRD)
 * @conn_flags: enum xiw_conn_flag
 * @open: a message is incomplete; its last segment has not arrived
 * @open_ctrl: DDP T bit and RDMAP opcode of the incomplete message
 * @terminated: a Terminate has arrived
 * @after_write: the last complete message was a Write
 */
struct xiw_ddp_rx {
	u32 msn[XIW_QN_COUNT];
	u32 length;
	u32 write_length;
	u16 requests;
	u32 conn_flags;
	bool open;
	u8 open_ctrl;
	bool terminated;
	bool after_write;
};

/**
 * xiw_ddp_rx_init - initialize the state for the first FPDU
 * @rx: state
 * @ird: limit of concurrent inbound Read and Atomic Requests (DEC-10)
 * @conn_flags: enum xiw_conn_flag; without ATOMICS, queue 3 does not exist (DEC-41)
 */
void xiw_ddp_rx_init(struct xiw_ddp_rx *rx, u16 ird, u32 conn_flags);

/**
 * xiw_ddp_rx_header - parse and check a header
 * @rx: state, not changed
 * @match: match table, XIW_MATCH_ROWS rows
 * @ulpdu: first XIW_DDP_HDR_MAX octets of the ULPDU, or the whole ULPDU if it is shorter
 * @ulpdu_len: octets of the whole ULPDU
 * @h: result; valid unless the function returns XIW_FAULT_DDP_LOCAL
 *
 * Checks length, DDP version, queue, RDMAP version, opcode and MSN, in this order (docs/states.md).
 *
 * Return: XIW_FAULT_NONE or the fault. A fault in the header of a Terminate on queue 2 is
 * XIW_FAULT_SILENT (DEC-42).
 */
enum xiw_fault xiw_ddp_rx_header(const struct xiw_ddp_rx *rx, const struct xiw_match_row *match,
				 const u8 *ulpdu, u32 ulpdu_len, struct xiw_ddp_header *h);

/**
 * xiw_ddp_rx_untagged - check an untagged segment: buffer, MO and lengths (docs/states.md)
 * @rx: state, not changed
 * @match: match table, XIW_MATCH_ROWS rows
 * @h: from xiw_ddp_rx_header()
 * @available: queue 0: the message has a receive, or a receive is posted; queue 3: the solicited
 *	FIFO expects a message; other queues: ignored
 * @buffer_len: octets of the receive; used only for XIW_MATCH_DELIVER and XIW_MATCH_DELIVER_INV
 *
 * Return: XIW_FAULT_NONE or the fault. After XIW_FAULT_DDP_NO_BUFFER on queue 0, the receiver may
 * wait for a receive and call this function again (DEC-62).
 */
enum xiw_fault xiw_ddp_rx_untagged(const struct xiw_ddp_rx *rx,
				   const struct xiw_match_row *match,
				   const struct xiw_ddp_header *h, bool available,
				   u64 buffer_len);

/**
 * xiw_ddp_rx_length - add a segment to the length of the message
 * @rx: state, updated
 * @payload_len: octets of the segment
 *
 * The length saturates at 2^32 - 1, because a Write may be longer. The receive, the sink or the
 * match table limits the length of all other messages.
 */
static inline void xiw_ddp_rx_length(struct xiw_ddp_rx *rx, u32 payload_len)
{
	rx->length = payload_len > ~rx->length ? ~0U : rx->length + payload_len;
}

/**
 * xiw_ddp_rx_placed - advance after a valid segment has been placed
 * @rx: state, updated
 * @h: header of the segment
 *
 * Return: true for the last segment of a message. The message is then delivered: rx->length is its
 * length, rx->write_length is the length of the Write before it, and a message on queue 1 has used
 * an inbound request entry.
 */
bool xiw_ddp_rx_placed(struct xiw_ddp_rx *rx, const struct xiw_ddp_header *h);

/**
 * xiw_ddp_rx_credit - free an inbound request entry
 * @rx: state, updated
 *
 * Call this function when the last octet of a response has been copied into an FPDU. TCP may accept
 * this octet later.
 */
static inline void xiw_ddp_rx_credit(struct xiw_ddp_rx *rx)
{
	rx->requests++;
}

#endif
