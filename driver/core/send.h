/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The sender of an RNIC. It converts TX descriptors to DDP messages. Requests and responses have
 * separate rings. The sender changes to the other ring after each descriptor, except after a NOP
 * and after a descriptor with XIW_TXF_CHAIN. So a request does not wait for all pending responses,
 * and a response does not wait for all pending requests.
 *
 * The caller manages the rings, memory, STags and the event ring, and calls:
 *
 *   xiw_send_other()	get the other ring, if the ring of xiw_sender.turn is empty
 *   xiw_send_fits()	check that the whole descriptor is posted
 *   xiw_send_next()	get the step that the head descriptor requires
 *   xiw_send_answer(), xiw_send_executed(), xiw_send_fail()	store the result of the step
 *   xiw_send_done()	finish the message, after its last octet has been copied into an FPDU
 *   xiw_send_publish(), xiw_send_report()	determine what to report to the driver
 */
#ifndef XIW_CORE_SEND_H
#define XIW_CORE_SEND_H

#include "core/receive.h"
#include "core/segment.h"

enum xiw_send_step {
	XIW_SEND_AGAIN,			/* nothing to do: continue with the next descriptor */
	XIW_SEND_MESSAGE,		/* send the message */
	XIW_SEND_ATOMIC,		/* execute; then xiw_send_answer() or xiw_send_fail() */
	XIW_SEND_STAG_SET,		/* execute; then xiw_send_executed() or xiw_send_fail() */
	XIW_SEND_STAG_INVALIDATE,	/* like STAG_SET; other streams may delay the execution */
	XIW_SEND_FAILED,		/* the descriptor is invalid; execute nothing more */
};

/**
 * struct xiw_send_ring - progress in a ring, in units since the creation of the ring
 * @head: next descriptor to execute
 * @built: end of the descriptors whose octets are copied into FPDUs; TCP may not have accepted all
 *	octets
 * @done: last value published in tx_head
 * @signaled: end of the last executed descriptor without XIW_TXF_QUIET
 * @reportable: value of @signaled when @done was set
 * @reported: value of @reportable when the last XIW_EV_TX_DONE was raised
 */
struct xiw_send_ring {
	u32 head;
	u32 built;
	u32 done;
	u32 signaled;
	u32 reportable;
	u32 reported;
};

/**
 * struct xiw_send_message - the current message, and the position in its gather list
 * @desc: descriptor, which stays until the message is done; NULL if there is no message
 * @header: RDMAP header
 * @answer: response of an atomic
 * @sge: gather list; NULL if the data is inline
 * @inline_data: data in the descriptor
 * @at: octets of the message that have been gathered
 * @sge_at: current entry of the gather list
 * @sge_off: octets of the current entry that have been gathered
 * @queue: ring of the message, enum xiw_tx_queue
 * @seg: state of the segmentation
 */
struct xiw_send_message {
	const struct xiw_tx_desc *desc;
	const u8 *header;
	u8 answer[XIW_TX_ANSWER_LEN];
	const struct xiw_sge *sge;
	const u8 *inline_data;
	u32 at;
	u32 sge_at;
	u32 sge_off;
	u8 queue;
	struct xiw_ddp_seg seg;
};

/**
 * struct xiw_sender - sender of a stream
 * @ring: progress in each ring, by enum xiw_tx_queue
 * @mask: mask of a ring's indexes, in units
 * @max_sges: max entries of a gather list
 * @msn: next MSN of each DDP queue
 * @turn: ring of the next message, unless this ring is empty and @chained is false
 * @chained: the next message must come from the ring of @turn
 * @failed: a descriptor failed: execute nothing more
 * @error_due: the event of the failure has not been raised yet
 * @error_queue: ring of the failed descriptor
 * @error_status: enum xiw_status of the failure
 * @error_index: index of the failed descriptor
 * @error_done: octets of the failed message that have been cut into segments
 * @msg: current message
 */
struct xiw_sender {
	struct xiw_send_ring ring[XIW_TXQ_COUNT];
	u32 mask;
	u32 max_sges;
	u32 msn[XIW_QN_COUNT];
	u8 turn;
	bool chained;
	bool failed;
	bool error_due;
	u8 error_queue;
	u8 error_status;
	u32 error_index;
	u32 error_done;
	struct xiw_send_message msg;
};

/**
 * xiw_send_init - initialize a sender with empty rings
 * @tx: result, zeroed by the caller
 * @log2_units: size of each ring, as log2 of the units
 * @max_sges: max entries of a gather list
 */
void xiw_send_init(struct xiw_sender *tx, u8 log2_units, u32 max_sges);

/**
 * xiw_send_other - get the ring that is not @tx->turn, if the next message may come from that ring
 * @tx: sender
 *
 * Call this function if the ring of @tx->turn is empty.
 *
 * Return: enum xiw_tx_queue; XIW_TXQ_COUNT if a chain is incomplete, so that the next message must
 * come from the ring of @tx->turn.
 */
static inline u8 xiw_send_other(const struct xiw_sender *tx)
{
	return tx->chained ? XIW_TXQ_COUNT : tx->turn ^ 1;
}

/**
 * xiw_send_fits - check that all units of a descriptor are posted, and are contiguous
 * @tx: sender
 * @queue: ring
 * @units: number of units that the head descriptor states
 * @tail: producer index of the ring
 *
 * Return: false if @units or @tail is invalid; the caller then calls xiw_send_fail() with
 * XIW_ERR_INVALID.
 */
static inline bool xiw_send_fits(const struct xiw_sender *tx, u8 queue, u32 units, u32 tail)
{
	u32 head = tx->ring[queue].head, there = tail - head;

	return units && units <= XIW_TX_MAX_UNITS && units <= there && there <= tx->mask + 1 &&
	       (head & tx->mask) + units <= tx->mask + 1;
}

/**
 * xiw_send_is_message - check whether a descriptor puts octets on the wire
 * @desc: descriptor
 *
 * Return: true if the descriptor sends a message.
 */
static inline bool xiw_send_is_message(const struct xiw_tx_desc *desc)
{
	return desc->op == XIW_TX_UNTAGGED || desc->op == XIW_TX_TAGGED ||
	       desc->op == XIW_TX_ATOMIC;
}

/**
 * xiw_send_next - begin the descriptor at the head of a ring
 * @tx: sender without a current message
 * @fifo: expected responses; the entry of a request is added before the request can be sent
 * @queue: ring
 * @desc: descriptor; all of its units are contiguous
 *
 * Return: the step that the descriptor requires.
 */
enum xiw_send_step xiw_send_next(struct xiw_sender *tx, struct xiw_solicited *fifo, u8 queue,
				 const struct xiw_tx_desc *desc);

/**
 * xiw_send_answer - begin the response of an executed atomic
 * @tx: sender, after XIW_SEND_ATOMIC
 * @queue: ring
 * @desc: struct xiw_tx_atomic
 * @original: value before the operation
 *
 * The response becomes the current message. While there is a current message, the caller does not
 * call xiw_send_next(), so the operation is executed only once (RFC 7306 §5.1).
 */
void xiw_send_answer(struct xiw_sender *tx, u8 queue, const struct xiw_tx_desc *desc,
		     u64 original);

/**
 * xiw_send_executed - finish a descriptor that is not a message
 * @tx: sender, after XIW_SEND_STAG_SET or XIW_SEND_STAG_INVALIDATE
 * @queue: ring
 * @desc: descriptor
 */
void xiw_send_executed(struct xiw_sender *tx, u8 queue, const struct xiw_tx_desc *desc);

/**
 * xiw_send_done - finish the current message after its last octet has been copied into an FPDU
 * @tx: sender
 * @rx: receiver; gets back the credit of the request if the message is a response
 *
 * Return: opcode of the message.
 */
u8 xiw_send_done(struct xiw_sender *tx, struct xiw_receiver *rx);

/**
 * xiw_send_fail - stop the sender at the head descriptor of a ring
 * @tx: sender
 * @queue: ring
 * @status: reason
 * @done: octets of the message that have been cut into segments
 *
 * The caller must send the octets of earlier descriptors before it raises the event of the failure.
 */
void xiw_send_fail(struct xiw_sender *tx, u8 queue, enum xiw_status status, u32 done);

/**
 * xiw_send_publish - advance @ring->done after TCP has accepted all copied octets
 * @ring: progress in the ring
 *
 * Return: true if the caller must write @ring->done to tx_head.
 */
static inline bool xiw_send_publish(struct xiw_send_ring *ring)
{
	if (ring->built == ring->done)
		return false;
	ring->done = ring->built;
	ring->reportable = ring->signaled;
	return true;
}

/**
 * xiw_send_report - check whether the driver waits for an event
 * @ring: progress in the ring
 *
 * Return: true if the caller must raise an XIW_EV_TX_DONE with the index @ring->done.
 */
static inline bool xiw_send_report(struct xiw_send_ring *ring)
{
	if (ring->reportable == ring->reported)
		return false;
	ring->reported = ring->reportable;
	return true;
}

#endif
