// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/ddp.h"

/* Get the control bits that must not change within a message. */
static u8 open_ctrl(const struct xiw_ddp_header *h)
{
	return (h->ddp_ctrl & XIW_DDP_T) | xiw_ddp_opcode(h);
}

void xiw_ddp_rx_init(struct xiw_ddp_rx *rx, u16 ird, u32 conn_flags)
{
	int i;

	memset(rx, 0, sizeof(*rx));
	for (i = 0; i < XIW_QN_COUNT; i++)
		rx->msn[i] = XIW_DDP_FIRST_MSN;
	rx->requests = ird;
	rx->conn_flags = conn_flags;
}

/* Get the fault to report. An error in a Terminate is never answered (DEC-42). */
static enum xiw_fault answer(const struct xiw_match_row *row, const struct xiw_ddp_header *h,
			     enum xiw_fault fault)
{
	return row->silent && !xiw_ddp_is_tagged(h) && h->qn == row->queue ?
		       XIW_FAULT_SILENT : fault;
}

static bool expects_tagged(const struct xiw_match_row *row)
{
	return row->kind == XIW_MATCH_WRITE || row->kind == XIW_MATCH_SOLICITED;
}

/* Check the opcode. The caller has checked that the queue exists. */
static bool opcode_fits(const struct xiw_ddp_rx *rx, const struct xiw_match_row *row,
			const struct xiw_ddp_header *h)
{
	if (row->kind == XIW_MATCH_REFUSED || le16_to_cpu(row->needs) & ~rx->conn_flags)
		return false;
	if (xiw_ddp_is_tagged(h)) {
		if (!expects_tagged(row))
			return false;
	} else if (expects_tagged(row) || h->qn != row->queue) {
		return false;
	}
	/* all segments of a message have the same opcode, which determines the queue */
	return h->first || rx->open_ctrl == open_ctrl(h);
}

enum xiw_fault xiw_ddp_rx_header(const struct xiw_ddp_rx *rx, const struct xiw_match_row *match,
				 const u8 *ulpdu, u32 ulpdu_len, struct xiw_ddp_header *h)
{
	const struct xiw_match_row *row;
	bool tagged;

	if (unlikely(!xiw_ddp_parse(h, ulpdu, ulpdu_len)))
		return XIW_FAULT_DDP_LOCAL;
	row = &match[xiw_ddp_opcode(h)];
	tagged = xiw_ddp_is_tagged(h);
	h->kind = row->kind;
	/*
	 * A sender that fails may send a Terminate in the middle of another message. So a Terminate
	 * always starts a message.
	 */
	h->first = !rx->open || row->silent;

	if (unlikely((h->ddp_ctrl & XIW_DDP_DV_MASK) != XIW_DDP_DV))
		return tagged ? XIW_FAULT_DDP_TAGGED_VERSION :
				answer(row, h, XIW_FAULT_DDP_UNTAGGED_VERSION);
	if (!tagged && unlikely(h->qn >= XIW_QN_COUNT ||
				(h->qn == XIW_QN_RESPONSE &&
				 !(rx->conn_flags & XIW_CONNF_ATOMICS))))
		return XIW_FAULT_DDP_QN;
	if (unlikely((h->rdmap_ctrl & XIW_RDMAP_RV_MASK) != XIW_RDMAP_RV))
		return answer(row, h, XIW_FAULT_RDMA_VERSION);
	if (unlikely(!opcode_fits(rx, row, h)))
		return answer(row, h, XIW_FAULT_RDMA_OPCODE);
	if (!tagged && unlikely(h->msn != rx->msn[h->qn]))
		return answer(row, h, XIW_FAULT_DDP_MSN);
	return XIW_FAULT_NONE;
}

/* Get the length of the longest message on a queue without receive buffers (DEC-14). */
static u32 queue_room(const struct xiw_match_row *match, u32 qn)
{
	u32 room = 0;
	int i;

	for (i = 0; i < XIW_MATCH_ROWS; i++)
		if (match[i].kind == XIW_MATCH_INLINE && match[i].queue == qn)
			room = max_t(u32, room, match[i].length_max);
	return room;
}

static bool slot_free(const struct xiw_ddp_rx *rx, u32 qn, bool available)
{
	switch (qn) {
	case XIW_QN_REQUEST:
		return rx->requests;
	case XIW_QN_TERMINATE:
		return !rx->terminated;
	default:
		return available;
	}
}

enum xiw_fault xiw_ddp_rx_untagged(const struct xiw_ddp_rx *rx,
				   const struct xiw_match_row *match,
				   const struct xiw_ddp_header *h, bool available,
				   u64 buffer_len)
{
	const struct xiw_match_row *row = &match[xiw_ddp_opcode(h)];
	bool deliver = row->kind == XIW_MATCH_DELIVER || row->kind == XIW_MATCH_DELIVER_INV;

	if (unlikely(!slot_free(rx, h->qn, available)))
		return answer(row, h, XIW_FAULT_DDP_NO_BUFFER);
	if (unlikely(h->mo != (h->first ? 0 : rx->length)))
		return answer(row, h, XIW_FAULT_DDP_MO);
	if (deliver)
		return (u64)h->mo + h->payload_len > buffer_len ? XIW_FAULT_DDP_TOO_LONG :
								  XIW_FAULT_NONE;
	if (unlikely(row->kind == XIW_MATCH_INLINE &&
		     h->payload_len > row->length_max &&
		     h->payload_len > queue_room(match, h->qn)))
		return answer(row, h, XIW_FAULT_DDP_TOO_LONG);
	if (unlikely(!xiw_ddp_is_last(h) || h->payload_len < row->length_min ||
		     h->payload_len > row->length_max))
		return answer(row, h, XIW_FAULT_RDMA_STREAM);
	return XIW_FAULT_NONE;
}

bool xiw_ddp_rx_placed(struct xiw_ddp_rx *rx, const struct xiw_ddp_header *h)
{
	if (h->first) {
		/* store the length of the previous message if it was a Write */
		rx->write_length = rx->after_write ? rx->length : 0;
		rx->length = 0;
	}
	xiw_ddp_rx_length(rx, h->payload_len);
	if (!xiw_ddp_is_last(h)) {
		rx->open = true;
		rx->open_ctrl = open_ctrl(h);
		return false;
	}
	rx->open = false;
	rx->after_write = h->kind == XIW_MATCH_WRITE;
	if (!xiw_ddp_is_tagged(h)) {
		rx->msn[h->qn]++;
		if (h->qn == XIW_QN_REQUEST)
			rx->requests--;
		else if (h->qn == XIW_QN_TERMINATE)
			rx->terminated = true;
	}
	return true;
}
