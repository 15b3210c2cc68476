// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Process one received FPDU: check the FPDU (RFC 5044 §6), then do the steps of core/receive.h.
 *
 * Room for one event is reserved while a segment is processed, so that any result can be reported.
 * Exception: continued() raises no event, and needs no room.
 */
#include "diag/capture.h"
#include "diag/trace.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"

enum step {
	STEP_DONE,		/* consumed */
	STEP_KEEP,		/* process the segment again later, as if it were new */
};

struct segment {
	struct xiw_rx_segment core;
	struct xiw_soft_source from;
};

static void commit(struct xiw_soft_stream *s, const struct xiw_event *ev, size_t size)
{
	s->rx.slot = false;
	xiw_soft_event_commit(s->vec, ev, size);
}

/* Report the first fault of the stream. RX places nothing afterwards. */
static enum step fault_found(struct xiw_soft_stream *s, const struct segment *seg,
			     enum xiw_fault fault)
{
	struct xiw_event ev;

	s->rx.dead = true;
	s->rx.faulted = true;
	s->rx.blocked = true;
	xiw_soft_count(s->soft, rx_dropped, 1);
	/* The stream takes no more receives, so leave its claimed receive to the next stream. */
	xiw_soft_receive_unpark(s);
	commit(s, &ev, xiw_receive_fault(&seg->core, fault, s->index, &ev));
	return STEP_DONE;
}

/*
 * Record the segment before its event is raised, because the consumer of the event may read the
 * recorder. A segment may be processed again later, so record and capture it only once.
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

/* Return: XIW_OK, an error, or -EINPROGRESS if XIW_PEND_INV_RX is set later. */
static int invalidate(struct xiw_soft_stream *s, u32 stag, bool remote)
{
	xiw_soft_stag_put(s->soft, &s->rx.ref);
	clear_bit(XIW_PEND_INV_RX, &s->pending);
	s->rx.inv_stag = stag;
	return xiw_soft_stag_invalidate(s, stag, remote, XIW_PEND_INV_RX);
}

/* Raise the event of the segment. With @wait, hold the event until the invalidation is complete. */
static enum step deliver(struct xiw_soft_stream *s, const struct segment *seg, bool wait)
{
	const struct xiw_rx_segment *core = &seg->core;
	struct xiw_event ev;
	u32 size = xiw_receive_event(&s->rx.core, core, s->index, &ev);

	/* A Terminate ends the stream: ignore all later octets. */
	if (core->h.qn == XIW_QN_TERMINATE)
		s->rx.dead = true;
	if (wait) {
		memcpy(&s->rx.event, &ev, size);
		s->rx.slot = false;	/* the held event keeps the room */
		s->rx.held = true;
		s->rx.blocked = true;
		return STEP_DONE;
	}
	if (core->receive)
		s->rx.recv.taken = false;
	commit(s, &ev, size);
	return STEP_DONE;
}

/* No receive is posted: the receive direction of the stream waits for a limited time (DEC-62). */
static enum step park(struct xiw_soft_stream *s)
{
	if (!s->rx.parked) {
		s->rx.parked = true;
		/* pairs with READ_ONCE() in the driver: netlink, restrack, rdmap/stream.c */
		WRITE_ONCE(s->ctx->parked, cpu_to_le32(le32_to_cpu(s->ctx->parked) + 1));
		WRITE_ONCE(s->ctx->rx_waiting, cpu_to_le32(1));
		xiw_soft_count(s->soft, rx_parked, 1);
		clear_bit(XIW_PEND_WAIT_OVER, &s->pending);
		xiw_soft_stream_wait(s, s->park_ms);
	}
	return STEP_KEEP;
}

/*
 * Handle the end of rtr_ms or park_ms. If the timer is pending, ignore XIW_PEND_WAIT_OVER, because
 * this bit comes from an earlier wait. The timer's callback was running when the earlier wait
 * ended, and set the bit after park() had cleared it.
 */
void xiw_soft_rx_wait_over(struct xiw_soft_stream *s)
{
	if (!s->attached || timer_pending(&s->wait))
		return;
	if (!s->rx.first_seen) {
		xiw_soft_count(s->soft, startup_timeouts, 1);
		xiw_soft_stream_state(s, XIW_ST_RTR_TIMEOUT);
	} else if (s->rx.parked) {
		s->rx.park_over = true;
	}
}

/* Take a receive for the message. Return: false if the stream must wait for a receive. */
static bool take(struct xiw_soft_stream *s, struct xiw_rx_segment *core)
{
	struct xiw_soft_rx *rx = &s->rx;

	core->available = rx->recv.taken || xiw_soft_receive_take(s);
	/* A later message that finds no receive may wait for the full park_ms. */
	if (likely(core->available))
		rx->park_over = false;
	core->room = rx->recv.room;
	core->cookie = rx->recv.cookie;
	return likely(core->available) || !s->park_ms || rx->park_over;
}

static enum step process(struct xiw_soft_stream *s, struct segment *seg)
{
	struct xiw_rx_segment *core = &seg->core;
	enum xiw_receive_step step = core->step;
	int status = XIW_OK;

	while (step < XIW_RECEIVE_DELIVER) {
		switch (step) {
		case XIW_RECEIVE_TAKE:
			if (unlikely(!take(s, core)))
				return park(s);
			break;
		case XIW_RECEIVE_PLACE_TAGGED:
			core->fault = xiw_soft_place_tagged(s, &seg->from, core->stag, core->to,
							    core->access);
			break;
		case XIW_RECEIVE_PLACE_BUS:
			xiw_soft_place_bus(&seg->from, core->to);
			break;
		case XIW_RECEIVE_PLACE_RECEIVE:
			core->fault = xiw_soft_place_receive(s, &seg->from);
			break;
		case XIW_RECEIVE_PLACE_VALUE:
			core->status = xiw_soft_place_value(s, &seg->from, core->entry);
			break;
		case XIW_RECEIVE_INVALIDATE:
			status = invalidate(s, core->stag, core->remote);
			core->status = max(status, 0);
			break;
		default:
			break;
		}
		step = xiw_receive_next(&s->rx.core, core);
	}
	if (core->complete)
		xiw_soft_count(s->soft, rx_messages[xiw_ddp_opcode(&core->h)], 1);
	if (step == XIW_RECEIVE_DELIVER)
		return deliver(s, seg, status < 0);
	return likely(step == XIW_RECEIVE_DONE) ? STEP_DONE : fault_found(s, seg, core->fault);
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
 * Handle the first FPDU at the passive side. The peer has the Reply, so this end may send (RFC 5044
 * §7.1.3). The driver must see the state event before the event of the segment, so the state event
 * uses the reserved room. A Terminate shows that the peer refuses the Reply (RFC 6581 §9). In this
 * case, XIW_ST_FIRST_FPDU is not reported, and this end sends nothing but a FIN. Return: true if
 * there is room for another event.
 */
static bool first_fpdu(struct xiw_soft_stream *s, const struct xiw_ddp_header *h)
{
	s->rx.first_seen = true;
	timer_delete(&s->wait);
	clear_bit(XIW_PEND_WAIT_OVER, &s->pending);
	if (!xiw_ddp_is_tagged(h) && h->qn == XIW_QN_TERMINATE)
		return true;
	s->tx.held = false;
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
	return likely(crc == XIW_CRC32C_RESIDUE);
}

/*
 * Process the usual FPDU of a long Write or Read Response. It is contiguous, and contains the next
 * segment, which is not the last of the message. Return: false if the FPDU is of another kind or
 * invalid. In this case, nothing has changed, and examine() must process the FPDU.
 */
static bool continued(struct xiw_soft_stream *s, const struct xiw_span *fpdu,
		      const struct xiw_frame *frame)
{
	const u8 *ulpdu = fpdu->p + XIW_FPDU_LEN_LEN;
	struct xiw_receiver *core = &s->rx.core;
	struct xiw_soft_source from = { .spans = fpdu, .count = 1 };

	if (fpdu->len < frame->wire_len || XIW_SOFT_INJECT_KINDS || xiw_capturing(s->soft->rnic))
		return false;
	if (!xiw_receive_continues(core, ulpdu, frame->ulpdu_len) ||
	    !crc_good(s, fpdu, 1, frame))
		return false;
	from.at = XIW_FPDU_LEN_LEN + XIW_DDP_TAGGED_LEN;
	from.len = frame->ulpdu_len - XIW_DDP_TAGGED_LEN;
	if (xiw_soft_place_tagged(s, &from, core->more.stag, core->more.to, core->more.access))
		return false;
	trace_xiw_fpdu_rx(s->index, ulpdu, frame->ulpdu_len, false);
	xiw_record_fill(&s->recorder, xiw_soft_now(s), 0, ulpdu, XIW_DDP_TAGGED_LEN, from.len);
	xiw_record_done(&s->recorder);
	xiw_receive_continued(core, from.len);
	s->rx.octets += from.len;
	return true;
}

/* Handle an FPDU that is damaged, or too short for its header. */
static enum step unreadable(struct xiw_soft_stream *s, const struct segment *seg,
			    const struct xiw_frame *frame, enum xiw_fault fault)
{
	record(s, seg, NULL, 0, frame->ulpdu_len);
	return fault_found(s, seg, fault);
}

static enum step examine(struct xiw_soft_stream *s, struct segment *seg,
			 const struct xiw_frame *frame, bool staged)
{
	struct xiw_rx_segment *core = &seg->core;
	enum xiw_fault fault = XIW_FAULT_NONE;
	u8 copy[XIW_DDP_HDR_MAX];
	enum xiw_receive_step step;
	const u8 *ulpdu;
	u32 head;

	s->rx.arrived = true;
	if (!s->rx.stage.checked) {
		if (!crc_good(s, seg->from.spans, seg->from.count, frame)) {
			xiw_soft_count(s->soft, crc_errors, 1);
			return unreadable(s, seg, frame, XIW_FAULT_LLP_CRC);
		}
		if (frame->markers) {
			/* An FPDU with markers is staged contiguously, see rx.c. */
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
	if (likely(!s->rx.recorded))
		trace_xiw_fpdu_rx(s->index, ulpdu, frame->ulpdu_len, staged);
	step = xiw_receive_header(&s->rx.core, core, ulpdu, frame->ulpdu_len);
	if (unlikely(!core->headed)) {
		xiw_soft_count(s->soft, framing_errors, 1);
		return unreadable(s, seg, frame, core->fault);
	}
	record(s, seg, ulpdu, core->h.header_len, core->h.payload_len);
	seg->from.at = XIW_FPDU_LEN_LEN + core->h.header_len;
	seg->from.len = core->h.payload_len;
	if (step == XIW_RECEIVE_FAULT)
		fault = core->fault;
	else
		fault = xiw_soft_inject_header(s, ulpdu, frame->ulpdu_len, &core->h);
	if (unlikely(fault))
		return fault_found(s, seg, fault);
	if (unlikely(!s->rx.first_seen) && !first_fpdu(s, &core->h))
		return STEP_KEEP;
	return process(s, seg);
}

/**
 * xiw_soft_segment - process a complete FPDU
 * @s: stream
 * @spans: octets of the FPDU
 * @count: number of spans
 * @frame: geometry of the FPDU
 * @staged: whether the FPDU is in the staging buffer
 *
 * Return: false if the FPDU must be processed again later: no receive is posted, or there is no
 * room for an event.
 */
bool xiw_soft_segment(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		      const struct xiw_frame *frame, bool staged)
{
	struct segment seg __uninitialized;
	struct xiw_soft_rx *rx = &s->rx;

	if (!staged && continued(s, spans, frame)) {
		rx->pass_fpdus++;
		return true;
	}
	seg.core.spans = spans;
	seg.core.count = count;
	seg.core.at = XIW_FPDU_LEN_LEN;
	seg.core.headed = false;
	seg.from = (struct xiw_soft_source){ .spans = spans, .count = count };

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
