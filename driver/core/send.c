// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/send.h"
#include "core/atomic.h"

void xiw_send_init(struct xiw_sender *tx, u8 log2_units, u32 max_sges)
{
	int i;

	tx->mask = (1U << log2_units) - 1;
	tx->max_sges = max_sges;
	for (i = 0; i < XIW_QN_COUNT; i++)
		tx->msn[i] = XIW_DDP_FIRST_MSN;
}

static void pass(struct xiw_sender *tx, u8 queue, const struct xiw_tx_desc *desc)
{
	struct xiw_send_ring *ring = &tx->ring[queue];

	ring->head += desc->units;
	ring->built = ring->head;
}

/* The other ring is next, unless a chain continues with the next descriptor of this ring. */
void xiw_send_executed(struct xiw_sender *tx, u8 queue, const struct xiw_tx_desc *desc)
{
	tx->chained = desc->flags & XIW_TXF_CHAIN;
	tx->turn = tx->chained ? queue : queue ^ 1;
	pass(tx, queue, desc);
	if (!(desc->flags & XIW_TXF_QUIET))
		tx->ring[queue].signaled = tx->ring[queue].head;
}

u8 xiw_send_done(struct xiw_sender *tx, struct xiw_receiver *rx)
{
	const struct xiw_tx_desc *desc = tx->msg.desc;

	xiw_send_executed(tx, tx->msg.queue, desc);
	if (tx->msg.queue == XIW_TXQ_RESPONSE)
		xiw_ddp_rx_credit(&rx->ddp);
	tx->msg.desc = NULL;
	return desc->rdmap_ctrl & XIW_RDMAP_OPCODE_MASK;
}

void xiw_send_fail(struct xiw_sender *tx, u8 queue, enum xiw_status status, u32 done)
{
	tx->failed = true;
	tx->error_due = true;
	tx->error_queue = queue;
	tx->error_status = status;
	tx->error_index = tx->ring[queue].head;
	tx->error_done = done;
	tx->msg.desc = NULL;
}

static bool message_parts(struct xiw_send_message *msg, const struct xiw_tx_desc *desc,
			  u32 max_sges, const struct xiw_tx_sink **sink)
{
	u32 size = desc->units * XIW_TX_UNIT, at = sizeof(*desc);
	const u8 *base = (const u8 *)desc;

	*sink = NULL;
	if (desc->flags & (XIW_TXF_SOLICIT_TAGGED | XIW_TXF_SOLICIT_QUEUE3)) {
		*sink = (const struct xiw_tx_sink *)(base + at);
		at += sizeof(**sink);
	}
	msg->header = base + at;
	at += (desc->header_length + 15U) & ~15U;
	if (at > size)
		return false;
	if (desc->flags & XIW_TXF_INLINE) {
		msg->inline_data = base + at;
		return le32_to_cpu(desc->length) <= size - at;
	}
	msg->sge = (const struct xiw_sge *)(base + at);
	return desc->sges <= max_sges && desc->sges * sizeof(*msg->sge) <= size - at;
}

static bool solicit(struct xiw_solicited *fifo, const struct xiw_tx_desc *desc,
		    const struct xiw_tx_sink *sink)
{
	u32 stag = le32_to_cpu(sink->stag), length = le32_to_cpu(sink->length);
	u32 cookie = le32_to_cpu(desc->cookie);
	u64 to = le64_to_cpu(sink->to);

	if (!(desc->flags & XIW_TXF_SOLICIT_QUEUE3))
		return xiw_solicited_push_read(fifo, stag, to, length, cookie, desc->sink_flags);
	return !(desc->flags & XIW_TXF_SOLICIT_TAGGED) && length == sizeof(u64) &&
	       xiw_solicited_push_queue3(fifo, stag, to, cookie);
}

static bool message_start(struct xiw_sender *tx, struct xiw_solicited *fifo, u8 queue,
			  const struct xiw_tx_desc *desc)
{
	u32 length = le32_to_cpu(desc->length) + desc->header_length;
	struct xiw_send_message *msg = &tx->msg;
	const struct xiw_tx_sink *sink;

	memset(msg, 0, sizeof(*msg));
	msg->queue = queue;
	if (length < desc->header_length || desc->header_length > XIW_RDMAP_HDR_MAX ||
	    !message_parts(msg, desc, tx->max_sges, &sink))
		return false;
	if (desc->op == XIW_TX_TAGGED) {
		xiw_ddp_seg_tagged(&msg->seg, desc->rdmap_ctrl, le32_to_cpu(desc->stag),
				   le64_to_cpu(desc->to), length);
	} else {
		if (desc->queue >= XIW_QN_COUNT)
			return false;
		xiw_ddp_seg_untagged(&msg->seg, desc->rdmap_ctrl, le32_to_cpu(desc->stag),
				     desc->queue, tx->msn[desc->queue], length);
	}
	/* Add the FIFO entry before the request is sent: the response may arrive immediately. */
	if (sink && !solicit(fifo, desc, sink))
		return false;
	if (desc->op == XIW_TX_UNTAGGED)
		tx->msn[desc->queue]++;
	msg->desc = desc;
	return true;
}

static bool atomic_fits(const struct xiw_tx_desc *desc)
{
	const struct xiw_tx_atomic *atomic = (const struct xiw_tx_atomic *)desc;

	return desc->units >= sizeof(*atomic) / XIW_TX_UNIT && desc->queue < XIW_QN_COUNT &&
	       desc->header_length == XIW_TX_ANSWER_LEN &&
	       !xiw_atomic_supported(le32_to_cpu(atomic->aop));
}

void xiw_send_answer(struct xiw_sender *tx, u8 queue, const struct xiw_tx_desc *desc,
		     u64 original)
{
	const struct xiw_tx_atomic *atomic = (const struct xiw_tx_atomic *)desc;
	struct xiw_send_message *msg = &tx->msg;

	memset(msg, 0, sizeof(*msg));
	msg->queue = queue;
	memcpy(msg->answer, atomic->answer, sizeof(atomic->answer));
	put_unaligned_be64(original, msg->answer + sizeof(atomic->answer));
	msg->header = msg->answer;
	xiw_ddp_seg_untagged(&msg->seg, desc->rdmap_ctrl, 0, desc->queue,
			     tx->msn[desc->queue]++, sizeof(msg->answer));
	msg->desc = desc;
}

static bool entry_fits(const struct xiw_tx_desc *desc)
{
	return desc->units * XIW_TX_UNIT >= sizeof(*desc) + sizeof(struct xiw_stag_entry);
}

enum xiw_send_step xiw_send_next(struct xiw_sender *tx, struct xiw_solicited *fifo, u8 queue,
				 const struct xiw_tx_desc *desc)
{
	switch (desc->op) {
	case XIW_TX_UNTAGGED:
	case XIW_TX_TAGGED:
		if (likely(message_start(tx, fifo, queue, desc)))
			return XIW_SEND_MESSAGE;
		break;
	case XIW_TX_ATOMIC:
		if (atomic_fits(desc))
			return XIW_SEND_ATOMIC;
		break;
	case XIW_TX_NOP:		/* a NOP changes neither turn nor chained */
		pass(tx, queue, desc);
		return XIW_SEND_AGAIN;
	case XIW_TX_STAG_SET:
		if (entry_fits(desc))
			return XIW_SEND_STAG_SET;
		break;
	case XIW_TX_STAG_INVALIDATE:
		return XIW_SEND_STAG_INVALIDATE;
	}
	xiw_send_fail(tx, queue, XIW_ERR_INVALID, 0);
	return XIW_SEND_FAILED;
}
