// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/receive.h"

#include "core/fpdu.h"
#include "core/term.h"

static enum xiw_receive_step go(struct xiw_rx_segment *seg, enum xiw_receive_step step)
{
	seg->step = step;
	return step;
}

static enum xiw_receive_step refuse(struct xiw_rx_segment *seg, enum xiw_fault fault)
{
	seg->fault = fault;
	return go(seg, XIW_RECEIVE_FAULT);
}

static enum xiw_receive_step place_tagged(struct xiw_rx_segment *seg, u8 access)
{
	seg->stag = seg->h.stag;
	seg->to = seg->h.to;
	seg->access = access;
	return go(seg, XIW_RECEIVE_PLACE_TAGGED);
}

enum xiw_receive_step xiw_receive_header(const struct xiw_receiver *rx,
					 struct xiw_rx_segment *seg, const u8 *ulpdu,
					 u32 ulpdu_len)
{
	const struct xiw_ddp_header *h = &seg->h;
	enum xiw_fault fault;

	fault = xiw_ddp_rx_header(&rx->ddp, rx->match, ulpdu, ulpdu_len, &seg->h);
	seg->headed = fault != XIW_FAULT_DDP_LOCAL;
	if (unlikely(fault))
		return refuse(seg, fault);
	seg->fault = XIW_FAULT_NONE;
	seg->complete = false;
	seg->receive = false;
	seg->room = 0;
	seg->cookie = 0;
	seg->status = XIW_OK;
	seg->entry = NULL;
	switch (h->kind) {
	case XIW_MATCH_WRITE:
		return xiw_ddp_is_empty(h) ? go(seg, XIW_RECEIVE_CHECK) :
					     place_tagged(seg, XIW_ACCESS_REMOTE_WRITE);
	case XIW_MATCH_SOLICITED:
		return go(seg, XIW_RECEIVE_CHECK);
	default:
		seg->receive = h->qn == XIW_QN_SEND;
		return go(seg, seg->receive ? XIW_RECEIVE_TAKE : XIW_RECEIVE_CHECK);
	}
}

static enum xiw_receive_step invalidate(struct xiw_rx_segment *seg, u32 stag, bool remote)
{
	seg->stag = stag;
	seg->remote = remote;
	return go(seg, XIW_RECEIVE_INVALIDATE);
}

/*
 * Store in @rx->more the segment that is expected after the tagged segment @seg. Store none if @seg
 * is the last segment of its message, or if its step was not XIW_RECEIVE_PLACE_TAGGED. @left: max
 * payload of the expected segment.
 */
static void expect_more(struct xiw_receiver *rx, const struct xiw_rx_segment *seg, u32 left)
{
	const struct xiw_ddp_header *h = &seg->h;

	rx->more.ctrl = 0;
	if (xiw_ddp_is_last(h) || seg->step != XIW_RECEIVE_PLACE_TAGGED)
		return;
	rx->more = (struct xiw_receive_more){
		.ctrl = h->ddp_ctrl << 8 | h->rdmap_ctrl,
		.access = seg->access,
		.stag = h->stag,
		.left = left,
		.to = h->to + h->payload_len,
	};
}

void xiw_receive_continued(struct xiw_receiver *rx, u32 length)
{
	xiw_ddp_rx_length(&rx->ddp, length);
	rx->more.to += length;
	if (rx->more.access == XIW_ACCESS_REMOTE_WRITE) {
		rx->write_octets += length;
	} else {
		rx->more.left -= length;
		xiw_solicited_oldest(&rx->fifo)->received += length;
	}
}

static enum xiw_receive_step write_placed(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	rx->write_octets += seg->h.payload_len;
	seg->complete = xiw_ddp_rx_placed(&rx->ddp, &seg->h);
	rx->writes += seg->complete;
	expect_more(rx, seg, ~0U);
	return go(seg, XIW_RECEIVE_DONE);
}

static enum xiw_receive_step solicited_placed(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	const struct xiw_solicited_entry *e = xiw_solicited_oldest(&rx->fifo);

	seg->entry = xiw_solicited_placed(&rx->fifo, &seg->h);
	xiw_ddp_rx_placed(&rx->ddp, &seg->h);
	expect_more(rx, seg, e->length - e->received);
	if (!seg->entry)
		return go(seg, XIW_RECEIVE_DONE);
	seg->complete = true;
	return seg->entry->flags & XIW_SINK_INVALIDATE ?
		       invalidate(seg, seg->entry->stag, false) : go(seg, XIW_RECEIVE_DELIVER);
}

static enum xiw_receive_step message_placed(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	seg->complete = xiw_ddp_rx_placed(&rx->ddp, &seg->h);
	if (!seg->complete)
		return go(seg, XIW_RECEIVE_DONE);
	return seg->h.kind == XIW_MATCH_DELIVER_INV ? invalidate(seg, seg->h.stag, true) :
						      go(seg, XIW_RECEIVE_DELIVER);
}

static enum xiw_receive_step placed(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	switch (seg->h.kind) {
	case XIW_MATCH_WRITE:
		return write_placed(rx, seg);
	case XIW_MATCH_SOLICITED:
		return solicited_placed(rx, seg);
	default:
		return message_placed(rx, seg);
	}
}

static enum xiw_receive_step check_solicited(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	const struct xiw_ddp_header *h = &seg->h;
	enum xiw_fault fault = xiw_solicited_check(&rx->fifo, h);

	if (unlikely(fault))
		return refuse(seg, fault);
	if (!h->payload_len)
		return solicited_placed(rx, seg);
	if (h->stag != XIW_STAG_LOCAL_DMA)
		return place_tagged(seg, XIW_ACCESS_LOCAL_WRITE);
	/* With XIW_STAG_LOCAL_DMA, the TO of the sink is a bus address. */
	seg->to = h->to;
	return go(seg, XIW_RECEIVE_PLACE_BUS);
}

static enum xiw_receive_step check_untagged(struct xiw_receiver *rx, struct xiw_rx_segment *seg,
					    bool available)
{
	const struct xiw_ddp_header *h = &seg->h;
	enum xiw_fault fault;

	fault = xiw_ddp_rx_untagged(&rx->ddp, rx->match, h, available, seg->room);
	if (!fault && h->qn == XIW_QN_RESPONSE)
		fault = xiw_solicited_check(&rx->fifo, h);
	if (unlikely(fault))
		return refuse(seg, fault);
	if (h->kind == XIW_MATCH_DELIVER || h->kind == XIW_MATCH_DELIVER_INV)
		return go(seg, XIW_RECEIVE_PLACE_RECEIVE);
	if (h->qn != XIW_QN_RESPONSE)
		return message_placed(rx, seg);
	seg->entry = xiw_solicited_placed(&rx->fifo, h);
	seg->cookie = seg->entry->cookie;
	return go(seg, XIW_RECEIVE_PLACE_VALUE);
}

static enum xiw_receive_step check(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	switch (seg->h.kind) {
	case XIW_MATCH_WRITE:
		return write_placed(rx, seg);
	case XIW_MATCH_SOLICITED:
		return check_solicited(rx, seg);
	default:
		/*
		 * A message on queue 0 does not get here, because its step is XIW_RECEIVE_TAKE. Of
		 * the other queues, only queue 3 uses @available.
		 */
		return check_untagged(rx, seg, xiw_solicited_available(&rx->fifo));
	}
}

enum xiw_receive_step xiw_receive_next(struct xiw_receiver *rx, struct xiw_rx_segment *seg)
{
	switch (seg->step) {
	case XIW_RECEIVE_TAKE:
		return check_untagged(rx, seg, seg->available);
	case XIW_RECEIVE_CHECK:
		return check(rx, seg);
	case XIW_RECEIVE_PLACE_TAGGED:
	case XIW_RECEIVE_PLACE_BUS:
	case XIW_RECEIVE_PLACE_RECEIVE:
		return unlikely(seg->fault) ? refuse(seg, seg->fault) : placed(rx, seg);
	case XIW_RECEIVE_PLACE_VALUE:
		return message_placed(rx, seg);
	case XIW_RECEIVE_INVALIDATE:
		if (unlikely(seg->status && seg->remote))
			return refuse(seg, XIW_FAULT_RDMA_INVALIDATE);
		return go(seg, XIW_RECEIVE_DELIVER);
	default:
		return seg->step;
	}
}

/* Return: true if the event contains the payload of the segment. */
static bool carried(const struct xiw_ddp_header *h)
{
	return h->kind == XIW_MATCH_CONSUME || h->kind == XIW_MATCH_INLINE;
}

static u32 message_event(const struct xiw_receiver *rx, const struct xiw_rx_segment *seg,
			 struct xiw_event *ev)
{
	const struct xiw_ddp_header *h = &seg->h;
	u32 size = offsetof(struct xiw_event, message.data);

	ev->type = XIW_EV_MESSAGE;
	ev->status = seg->status;
	ev->message = (struct xiw_ev_message){
		.cookie = cpu_to_le32(seg->cookie),
		.length = cpu_to_le32(rx->ddp.length),
		.msn = cpu_to_le32(h->msn),
		.rsvdulp = cpu_to_le32(h->stag),
		.write_length = cpu_to_le32(rx->ddp.write_length),
		.queue = h->qn,
		.ddp_ctrl = h->ddp_ctrl,
		.rdmap_ctrl = h->rdmap_ctrl,
		.ulpdu_length = cpu_to_le16(h->ulpdu_len),
	};
	if (carried(h)) {
		ev->message.inline_length = min_t(u32, h->payload_len, sizeof(ev->message.data));
		xiw_spans_copy(ev->message.data, seg->spans, seg->count,
			       seg->at + h->header_len, ev->message.inline_length);
		size += ev->message.inline_length;
	}
	return size;
}

u32 xiw_receive_event(const struct xiw_receiver *rx, const struct xiw_rx_segment *seg,
		      u32 stream, struct xiw_event *ev)
{
	ev->queue = 0;
	ev->stream = cpu_to_le32(stream);
	ev->rsvd = 0;
	if (seg->h.kind != XIW_MATCH_SOLICITED)
		return message_event(rx, seg, ev);
	ev->type = XIW_EV_SOLICITED;
	ev->status = 0;
	ev->solicited = (struct xiw_ev_solicited){
		.cookie = cpu_to_le32(seg->entry->cookie),
		.length = cpu_to_le32(seg->entry->length),
		.status = seg->status,
	};
	return offsetof(struct xiw_event, solicited) + sizeof(ev->solicited);
}

u32 xiw_receive_fault(const struct xiw_rx_segment *seg, enum xiw_fault fault, u32 stream,
		      struct xiw_event *ev)
{
	struct xiw_term_code code = xiw_fault_code(fault);
	const struct xiw_ddp_header *h = &seg->h;
	u32 length;

	memset(ev, 0, sizeof(*ev));
	ev->type = XIW_EV_ERROR;
	ev->stream = cpu_to_le32(stream);
	ev->error.layer = code.layer;
	ev->error.etype = code.etype;
	ev->error.code = code.code;
	ev->error.silent = !!(code.flags & XIW_TERM_SILENT);
	if (seg->headed) {
		length = h->header_len;
		/* The Terminate of a Remote Protection error contains the Read Request (DEC-33). */
		if (h->qn == XIW_QN_REQUEST && h->payload_len == XIW_READ_REQ_LEN)
			length += XIW_READ_REQ_LEN;
		ev->error.header_length = length;
		ev->error.ulpdu_length = cpu_to_le16(h->ulpdu_len);
		xiw_spans_copy(ev->error.header, seg->spans, seg->count, seg->at, length);
	}
	return offsetof(struct xiw_event, error) + sizeof(ev->error);
}
