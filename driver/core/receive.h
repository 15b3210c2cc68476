/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The receiver of an RNIC. For the segment of each valid FPDU, the receiver determines the steps of
 * processing, in the order of RFC 5041 §7 and RFC 5040 §7 (docs/states.md). The caller manages
 * memory, posted receives, STags and the event ring, and does one step after the other:
 *
 *   step = xiw_receive_header()
 *   until the step is DELIVER, DONE or FAULT:
 *     do the step, and store its result in the segment
 *     step = xiw_receive_next()
 *
 * The receiver does not interpret opcodes. It uses the row of each opcode in the match table.
 */
#ifndef XIW_CORE_RECEIVE_H
#define XIW_CORE_RECEIVE_H

#include "core/ddp.h"
#include "core/solicited.h"

enum xiw_receive_step {
	XIW_RECEIVE_TAKE,		/* take a receive, unless the message already has one;
					 * result: @available, @room, @cookie. If no receive is
					 * posted, the caller may wait for a receive and then
					 * begin again with xiw_receive_header()
					 */
	XIW_RECEIVE_CHECK,		/* nothing to do before xiw_receive_next() */
	XIW_RECEIVE_PLACE_TAGGED,	/* place the payload at @stag and @to; result: @fault */
	XIW_RECEIVE_PLACE_BUS,		/* place the payload at bus address @to; result: @fault */
	XIW_RECEIVE_PLACE_RECEIVE,	/* append the payload to the receive; result: @fault */
	XIW_RECEIVE_PLACE_VALUE,	/* place the value of an Atomic Response; result: @status */
	XIW_RECEIVE_INVALIDATE,		/* invalidate @stag; result: @status */
	XIW_RECEIVE_DELIVER,		/* raise the event of xiw_receive_event() */
	XIW_RECEIVE_DONE,
	XIW_RECEIVE_FAULT,		/* raise the event of xiw_receive_fault() */
};

/**
 * struct xiw_receive_more - the expected next segment of a tagged message
 * @ctrl: DDP control octet (bits 15 to 8) and RDMAP control octet (bits 7 to 0) of the segment;
 *	0: xiw_receive_continues() returns false
 * @access: right that the segment requires, enum xiw_stag_access
 * @stag: STag
 * @left: max octets of payload
 * @to: TO
 */
struct xiw_receive_more {
	u16 ctrl;
	u8 access;
	u32 stag;
	u32 left;
	u64 to;
};

/**
 * struct xiw_receiver - receiver of a stream
 * @ddp: receive state of DDP
 * @more: expected next segment, for xiw_receive_continues()
 * @fifo: expected responses
 * @match: match table, XIW_MATCH_ROWS rows
 * @write_octets: octets of Writes so far
 * @writes: number of complete Writes
 */
struct xiw_receiver {
	struct xiw_ddp_rx ddp;
	struct xiw_receive_more more;
	struct xiw_solicited fifo;
	const struct xiw_match_row *match;
	u64 write_octets;
	u64 writes;
};

/**
 * struct xiw_rx_segment - segment that is being processed
 * @h: header of the segment, valid if @headed
 * @spans: octets that contain the ULPDU; set by the caller
 * @count: number of spans; set by the caller
 * @at: offset of the ULPDU in the spans; set by the caller
 * @step: next step
 * @fault: fault of XIW_RECEIVE_FAULT; also the result of a step
 * @headed: the segment has a whole header, which a Terminate can return
 * @complete: the segment ends a valid message
 * @receive: the message uses a receive
 * @available: result: a receive is posted
 * @room: result: octets of the receive
 * @cookie: result: cookie of the receive; for an Atomic Response: cookie of @entry
 * @stag: STag of the step
 * @to: TO of the step
 * @access: right that the step requires, enum xiw_stag_access
 * @remote: the peer requests the invalidation of the STag
 * @status: result, enum xiw_status
 * @entry: request whose response ends with the segment, or NULL
 */
struct xiw_rx_segment {
	struct xiw_ddp_header h;
	const struct xiw_span *spans;
	u32 count;
	u32 at;
	enum xiw_receive_step step;
	enum xiw_fault fault;
	bool headed;
	bool complete;
	bool receive;
	bool available;
	u32 room;
	u32 cookie;
	u32 stag;
	u64 to;
	u8 access;
	bool remote;
	u8 status;
	const struct xiw_solicited_entry *entry;
};

/**
 * xiw_receive_header - begin a segment: parse and check its header
 * @rx: receiver, not changed
 * @seg: result
 * @ulpdu: first XIW_DDP_HDR_MAX octets of the ULPDU, or the whole ULPDU if it is shorter
 * @ulpdu_len: octets of the whole ULPDU
 *
 * Return: first step.
 */
enum xiw_receive_step xiw_receive_header(const struct xiw_receiver *rx,
					 struct xiw_rx_segment *seg, const u8 *ulpdu,
					 u32 ulpdu_len);

/**
 * xiw_receive_next - continue after a step
 * @rx: receiver, advanced when the segment is placed
 * @seg: segment with the result of its step
 *
 * After a fault, the caller processes no more octets of this stream.
 *
 * Return: next step.
 */
enum xiw_receive_step xiw_receive_next(struct xiw_receiver *rx, struct xiw_rx_segment *seg);

/**
 * xiw_receive_continues - check whether a segment is the expected next segment of a tagged message
 * @rx: receiver
 * @ulpdu: first XIW_DDP_TAGGED_LEN octets of the ULPDU, or the whole ULPDU if it is shorter
 * @ulpdu_len: octets of the whole ULPDU
 *
 * This is a shortcut for most segments of a long Write or Read Response. If the function returns
 * true, the only step is to place the payload at the STag and TO of @rx->more. The caller may place
 * the payload without xiw_receive_header() and xiw_receive_next(), and then call
 * xiw_receive_continued().
 *
 * Return: false if the segment requires xiw_receive_header().
 */
static inline bool xiw_receive_continues(const struct xiw_receiver *rx, const u8 *ulpdu,
					 u32 ulpdu_len)
{
	const struct xiw_receive_more *more = &rx->more;

	return more->ctrl && ulpdu_len >= XIW_DDP_TAGGED_LEN &&
	       get_unaligned_be16(ulpdu + XIW_DDP_CTRL_AT) == more->ctrl &&
	       get_unaligned_be32(ulpdu + XIW_DDP_STAG_AT) == more->stag &&
	       get_unaligned_be64(ulpdu + XIW_DDP_TO_AT) == more->to &&
	       ulpdu_len - XIW_DDP_TAGGED_LEN <= more->left;
}

/**
 * xiw_receive_continued - advance after the segment of xiw_receive_continues() has been placed
 * @rx: receiver, advanced
 * @length: octets of the payload of the segment
 */
void xiw_receive_continued(struct xiw_receiver *rx, u32 length);

/**
 * xiw_receive_event - fill the event of XIW_RECEIVE_DELIVER
 * @rx: receiver
 * @seg: segment
 * @stream: index of the stream
 * @ev: result
 *
 * Return: octets of the event.
 */
u32 xiw_receive_event(const struct xiw_receiver *rx, const struct xiw_rx_segment *seg,
		      u32 stream, struct xiw_event *ev);

/**
 * xiw_receive_fault - fill the event of a fault
 * @seg: segment; @seg->headed is false if the segment has no whole header
 * @fault: fault
 * @stream: index of the stream
 * @ev: result
 *
 * Return: octets of the event.
 */
u32 xiw_receive_fault(const struct xiw_rx_segment *seg, enum xiw_fault fault, u32 stream,
		      struct xiw_event *ev);

#endif
