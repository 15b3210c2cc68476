// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Process one received FPDU: check it in the order of RFC 5044 §6, RFC 5041 §7 and RFC 5040
 * §7, place it, and deliver it. Only RDMAP knows the meaning of opcodes; this file uses
 * their classes.
 *
 * Room for one event is reserved while a segment is processed, so that any result can be
 * reported.
 */
#include "core/term.h"
#include "diag/capture.h"
#include "diag/trace.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"

enum step {
	STEP_DONE,		/* consumed */
	STEP_KEEP,		/* keep it, as if it had not been processed */
};

struct segment {
	struct xiw_ddp_header h;
	struct xiw_soft_source from;
	const u8 *ulpdu;	/* its headers, contiguous */
};

static void commit(struct xiw_soft_stream *s, const struct xiw_event *ev, size_t size)
{
	s->rx.slot = false;
	xiw_soft_event_commit(s->vec, ev, size);
}

/* Report the first error of a stream, once. Nothing is placed afterwards. */
static enum step fault_found(struct xiw_soft_stream *s, const struct segment *seg,
			     enum xiw_fault fault)
{
	struct xiw_term_code code = xiw_fault_code(fault);
	struct xiw_event ev = {
		.type = XIW_EV_ERROR,
		.stream = cpu_to_le32(s->index),
		.error.layer = code.layer,
		.error.etype = code.etype,
		.error.code = code.code,
		.error.silent = !!(code.flags & XIW_TERM_SILENT),
	};
	const struct xiw_ddp_header *h = &seg->h;
	u8 length;

	if (seg->ulpdu && fault != XIW_FAULT_DDP_LOCAL) {
		length = h->header_len;
		/* Include all of a Read Request, in case the fault is one of RDMAP. */
		if (!xiw_ddp_is_tagged(h) && h->qn == XIW_QN_REQUEST &&
		    h->payload_len == XIW_READ_REQ_LEN)
			length += XIW_READ_REQ_LEN;
		ev.error.header_length = length;
		ev.error.ulpdu_length = cpu_to_le16(h->ulpdu_len);
		xiw_spans_copy(ev.error.header, seg->from.spans, seg->from.count,
			       seg->from.at - h->header_len, length);
	}
	s->rx.dead = true;
	s->rx.faulted = true;
	s->rx.blocked = true;
	xiw_soft_count(s->soft, rx_dropped, 1);
	commit(s, &ev, offsetof(struct xiw_event, error) + sizeof(ev.error));
	return STEP_DONE;
}

/*
 * Record the segment before raising its event, because the consumer of the event may read the
 * recorder. A segment that is kept is processed again, so record it only once.
 */
static void record(struct xiw_soft_stream *s, const struct segment *seg, const u8 *header,
		   u32 header_length, u32 length)
{
	if (s->rx.recorded)
		return;
	s->rx.recorded = true;
	if (xiw_capturing(s->soft->rnic))
		xiw_capture_segment(s->soft->rnic, s->index,
				    header ? 0 : XIW_NL_SEGMENT_FLAG_DAMAGED, seg->from.spans,
				    seg->from.count, XIW_FPDU_LEN_LEN, header_length + length);
	xiw_record_fill(&s->recorder, xiw_soft_now(s), 0, header, header_length, length);
	xiw_record_done(&s->recorder);
}

static void count_message(struct xiw_soft_stream *s, const struct xiw_ddp_header *h)
{
	xiw_soft_count(s->soft, rx_messages[xiw_ddp_opcode(h)], 1);
}

/* The event is complete, but may have to wait for an invalidation. */
static enum step deliver(struct xiw_soft_stream *s, const struct xiw_event *ev, size_t size,
			 bool wait)
{
	if (!wait) {
		commit(s, ev, size);
		return STEP_DONE;
	}
	s->rx.event = *ev;
	s->rx.slot = false;	/* used by the event */
	s->rx.held = true;
	s->rx.blocked = true;
	return STEP_DONE;
}

/* Returns XIW_OK, an error, or -EINPROGRESS: PEND_INV_RX follows. */
static int invalidate(struct xiw_soft_stream *s, u32 stag, bool remote)
{
	xiw_soft_stag_put(s->soft, &s->rx.ref);
	clear_bit(XIW_PEND_INV_RX, &s->pending);
	s->rx.inv_stag = stag;
	return xiw_soft_stag_invalidate(s, stag, remote, XIW_PEND_INV_RX);
}

static enum step deliver_message(struct xiw_soft_stream *s, const struct segment *seg, u32 cookie,
				 u8 placed)
{
	const struct xiw_ddp_header *h = &seg->h;
	bool carried = h->kind == XIW_MATCH_CONSUME || h->kind == XIW_MATCH_INLINE;
	struct xiw_event ev;
	int status = XIW_OK;
	size_t size;

	if (h->kind == XIW_MATCH_DELIVER_INV) {
		status = invalidate(s, h->stag, true);
		if (status > 0)
			return fault_found(s, seg, XIW_FAULT_RDMA_INVALIDATE);
	}
	ev.type = XIW_EV_MESSAGE;
	ev.status = placed;
	ev.queue = 0;
	ev.stream = cpu_to_le32(s->index);
	ev.rsvd = 0;
	ev.message = (struct xiw_ev_message){
		.cookie = cpu_to_le32(cookie),
		.length = cpu_to_le32(s->rx.ddp.length),
		.msn = cpu_to_le32(h->msn),
		.rsvdulp = cpu_to_le32(h->stag),
		.write_length = cpu_to_le32(s->rx.ddp.write_length),
		.queue = h->qn,
		.ddp_ctrl = h->ddp_ctrl,
		.rdmap_ctrl = h->rdmap_ctrl,
		.ulpdu_length = cpu_to_le16(h->ulpdu_len),
	};
	size = offsetof(struct xiw_event, message.data);
	if (carried) {
		ev.message.inline_length = min_t(u32, h->payload_len, sizeof(ev.message.data));
		xiw_spans_copy(ev.message.data, seg->from.spans, seg->from.count, seg->from.at,
			       ev.message.inline_length);
		size += ev.message.inline_length;
	}
	if (h->qn == XIW_QN_SEND && status == XIW_OK)
		s->rx.recv.taken = false;
	/* A Terminate ends the stream: ignore everything after it. */
	if (h->qn == XIW_QN_TERMINATE)
		s->rx.dead = true;
	return deliver(s, &ev, size, status < 0);
}

/* No receive is posted: RX of the whole stream waits for a limited time (DEC-62). */
static enum step park(struct xiw_soft_stream *s)
{
	if (!s->rx.parked) {
		s->rx.parked = true;
		/* pairs with the readers in the driver: netlink, xiw_stream_terminate() */
		WRITE_ONCE(s->ctx->parked, cpu_to_le32(le32_to_cpu(s->ctx->parked) + 1));
		WRITE_ONCE(s->ctx->rx_waiting, cpu_to_le32(1));
		xiw_soft_count(s->soft, rx_parked, 1);
		clear_bit(XIW_PEND_WAIT_OVER, &s->pending);
		xiw_soft_stream_wait(s, s->park_ms);
	}
	return STEP_KEEP;
}

static enum step untagged(struct xiw_soft_stream *s, const struct segment *seg)
{
	const struct xiw_ddp_header *h = &seg->h;
	struct xiw_soft_rx *rx = &s->rx;
	struct xiw_solicited_entry *entry;
	u32 cookie = rx->recv.cookie;
	enum xiw_fault fault;
	u8 placed = XIW_OK;
	bool available;

	if (h->qn == XIW_QN_SEND) {
		available = rx->recv.taken || xiw_soft_receive_take(s);
		cookie = rx->recv.cookie;
		if (unlikely(!available) && s->park_ms && !rx->park_over)
			return park(s);
	} else {
		available = h->qn == XIW_QN_RESPONSE && xiw_solicited_available(&rx->fifo);
	}
	fault = xiw_ddp_rx_untagged(&rx->ddp, s->soft->match, h, available, rx->recv.room);
	if (!fault && h->qn == XIW_QN_RESPONSE)
		fault = xiw_solicited_check(&rx->fifo, h);
	if (!fault && (h->kind == XIW_MATCH_DELIVER || h->kind == XIW_MATCH_DELIVER_INV))
		fault = xiw_soft_place_receive(s, &seg->from);
	if (unlikely(fault))
		return fault_found(s, seg, fault);
	if (h->qn == XIW_QN_RESPONSE) {
		entry = xiw_solicited_placed(&rx->fifo, h);
		cookie = entry ? entry->cookie : 0;
		if (entry)
			placed = xiw_soft_place_value(s, &seg->from, entry);
	}
	if (!xiw_ddp_rx_placed(&rx->ddp, h))
		return STEP_DONE;
	count_message(s, h);
	return deliver_message(s, seg, cookie, placed);
}

static enum step write(struct xiw_soft_stream *s, const struct segment *seg)
{
	const struct xiw_ddp_header *h = &seg->h;
	enum xiw_fault fault = XIW_FAULT_NONE;

	if (!xiw_ddp_is_empty(h))
		fault = xiw_soft_place_tagged(s, &seg->from, h->stag, h->to,
					      XIW_ACCESS_REMOTE_WRITE);
	if (unlikely(fault))
		return fault_found(s, seg, fault);
	s->rx.write_octets += h->payload_len;
	if (xiw_ddp_rx_placed(&s->rx.ddp, h)) {
		s->rx.writes++;
		count_message(s, h);
	}
	return STEP_DONE;
}

static enum step solicited(struct xiw_soft_stream *s, const struct segment *seg)
{
	const struct xiw_ddp_header *h = &seg->h;
	struct xiw_solicited_entry *entry;
	struct xiw_event ev = {
		.type = XIW_EV_SOLICITED,
		.stream = cpu_to_le32(s->index),
	};
	enum xiw_fault fault;
	int status = XIW_OK;

	fault = xiw_solicited_check(&s->rx.fifo, h);
	if (!fault && h->payload_len) {
		if (h->stag == XIW_STAG_LOCAL_DMA)
			xiw_soft_place_bus(&seg->from, h->to);
		else
			fault = xiw_soft_place_tagged(s, &seg->from, h->stag, h->to,
						      XIW_ACCESS_LOCAL_WRITE);
	}
	if (unlikely(fault))
		return fault_found(s, seg, fault);
	entry = xiw_solicited_placed(&s->rx.fifo, h);
	xiw_ddp_rx_placed(&s->rx.ddp, h);
	if (!entry)
		return STEP_DONE;
	count_message(s, h);
	if (entry->flags & XIW_SINK_INVALIDATE)
		status = invalidate(s, entry->stag, false);
	ev.solicited.cookie = cpu_to_le32(entry->cookie);
	ev.solicited.length = cpu_to_le32(entry->length);
	ev.solicited.status = status > 0 ? status : XIW_OK;
	return deliver(s, &ev, offsetof(struct xiw_event, solicited) + sizeof(ev.solicited),
		       status < 0);
}

static bool reserve_slot(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;

	if (!rx->slot) {
		rx->slot = xiw_soft_event_reserve(s->vec, 1);
		if (unlikely(!rx->slot))
			xiw_soft_event_stall(s->vec, s, 1);
	}
	return rx->slot;
}

/*
 * Passive side: the peer has the Reply and has sent an FPDU, so this end may send (RFC 5044
 * §7.1.3). The driver must see the state before the event of the segment, so the state
 * takes the reserved room. Return: true if there is room for another event.
 */
static bool first_fpdu(struct xiw_soft_stream *s)
{
	s->rx.first_seen = true;
	s->tx.held = false;
	timer_delete(&s->wait);
	clear_bit(XIW_PEND_WAIT_OVER, &s->pending);
	s->rx.slot = false;
	xiw_soft_stream_state_reserved(s, XIW_ST_FIRST_FPDU);
	xiw_soft_stream_defer(s, XIW_PEND_RUN);
	return reserve_slot(s);
}

static bool crc_good(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		     const struct xiw_frame *frame)
{
	u32 crc = xiw_crc32c_begin();

	if (!s->rx.framing.crc)
		return true;
	if (likely(spans[0].len >= frame->wire_len))
		crc = xiw_crc32c_update(crc, spans[0].p, frame->wire_len);
	else
		crc = xiw_spans_crc(crc, spans, count, 0, frame->wire_len);
	if (likely(crc == XIW_CRC32C_RESIDUE))
		return true;
	xiw_soft_count(s->soft, crc_errors, 1);
	return false;
}

/* An FPDU whose header cannot be parsed. */
static enum step unreadable(struct xiw_soft_stream *s, const struct segment *seg,
			    const struct xiw_frame *frame, enum xiw_fault fault)
{
	record(s, seg, NULL, 0, frame->ulpdu_len);
	return fault_found(s, seg, fault);
}

static enum step examine(struct xiw_soft_stream *s, struct segment *seg,
			 const struct xiw_frame *frame, bool staged)
{
	u8 copy[XIW_DDP_HDR_MAX];
	const u8 *ulpdu;
	enum xiw_fault fault;
	u32 head;

	s->rx.arrived = true;
	if (!s->rx.stage.checked) {
		if (!crc_good(s, seg->from.spans, seg->from.count, frame))
			return unreadable(s, seg, frame, XIW_FAULT_LLP_CRC);
		if (frame->markers) {
			/* Staged contiguously, see rx.c. */
			fault = xiw_frame_strip(frame, &s->rx.framing, s->rx.stage.linear);
			if (fault) {
				xiw_soft_count(s->soft, framing_errors, 1);
				return unreadable(s, seg, frame, fault);
			}
		}
		s->rx.stage.checked = staged;
	}
	head = min_t(u32, frame->ulpdu_len, XIW_DDP_HDR_MAX);
	ulpdu = seg->from.spans[0].p + XIW_FPDU_LEN_LEN;
	if (unlikely(seg->from.spans[0].len < XIW_FPDU_LEN_LEN + head)) {
		xiw_spans_copy(copy, seg->from.spans, seg->from.count, XIW_FPDU_LEN_LEN, head);
		ulpdu = copy;
	}
	trace_xiw_fpdu_rx(s->index, ulpdu, frame->ulpdu_len, staged);
	fault = xiw_ddp_rx_header(&s->rx.ddp, s->soft->match, ulpdu, frame->ulpdu_len, &seg->h);
	if (unlikely(fault == XIW_FAULT_DDP_LOCAL)) {
		xiw_soft_count(s->soft, framing_errors, 1);
		return unreadable(s, seg, frame, fault);
	}
	record(s, seg, ulpdu, seg->h.header_len, seg->h.payload_len);
	seg->ulpdu = ulpdu;
	seg->from.at = XIW_FPDU_LEN_LEN + seg->h.header_len;
	seg->from.len = seg->h.payload_len;
	if (!fault)
		fault = xiw_soft_inject_header(s, ulpdu, frame->ulpdu_len, &seg->h);
	if (unlikely(fault))
		return fault_found(s, seg, fault);
	if (unlikely(!s->rx.first_seen) && !first_fpdu(s))
		return STEP_KEEP;

	switch (seg->h.kind) {
	case XIW_MATCH_WRITE:
		return write(s, seg);
	case XIW_MATCH_SOLICITED:
		return solicited(s, seg);
	default:
		return untagged(s, seg);
	}
}

/**
 * xiw_soft_segment - process a complete FPDU
 * @s: stream
 * @spans: its octets
 * @count: number of spans
 * @frame: its geometry
 * @staged: it is in the staging buffer
 *
 * Return: false if it must be kept: no receive posted, or no room for an event.
 */
bool xiw_soft_segment(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		      const struct xiw_frame *frame, bool staged)
{
	struct segment seg = { .from.spans = spans, .from.count = count };
	struct xiw_soft_rx *rx = &s->rx;

	if (unlikely(!reserve_slot(s)) ||
	    unlikely(examine(s, &seg, frame, staged) == STEP_KEEP)) {
		rx->blocked = true;
		return false;
	}
	rx->recorded = false;
	xiw_frame_done(&rx->framing, frame);
	if (likely(!rx->faulted))
		rx->octets += seg.from.len;
	rx->pass_fpdus++;
	return true;
}
