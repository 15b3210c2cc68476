// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * An RX pass processes the octets in TCP, one FPDU at a time. Without TLS, a pass runs when TCP
 * delivers octets (in softirq, or in the backlog of the socket's owner), and in the poll, for
 * example after a wait for a receive or for room in the event ring. With TLS, a pass runs in a work
 * item (records.h).
 *
 * FPDUs that cannot be processed yet stay in TCP, so the window of TCP closes and the peer waits.
 */
#include <linux/skbuff.h>
#include <net/tcp.h>

#include "soft/records.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"

/*
 * Position in an skb. The pieces of an skb are the linear part, the frags and the frag_list. Frags
 * that are contiguous in memory are one piece. IP reassembly may create a member of the frag_list
 * that has its own frag_list. The walk ends before such a member. The octets after this position
 * are staged, because skb_copy_bits() can read them.
 */
struct walk {
	const struct sk_buff *top, *skb;
	int piece;		/* index of the last frag of the piece; -1: linear part of skb */
	u32 base;		/* offset of the piece in top */
	u32 len;		/* octets of the piece */
	const u8 *data;
};

static void piece_enter(struct walk *w)
{
	const struct skb_shared_info *shared = skb_shinfo(w->skb);
	const skb_frag_t *frag;

	if (w->piece < 0) {
		w->len = skb_headlen(w->skb);
		w->data = w->skb->data;
		return;
	}
	frag = &shared->frags[w->piece];
	w->len = skb_frag_size(frag);
	w->data = skb_frag_address(frag);
	/* Join frags that are contiguous: TCP cuts a large page into frags of PAGE_SIZE. */
	while (w->piece + 1 < shared->nr_frags && skb_frag_address(++frag) == w->data + w->len) {
		w->len += skb_frag_size(frag);
		w->piece++;
	}
}

static bool piece_next(struct walk *w)
{
	if (!w->skb)
		return false;
	w->base += w->len;
	if (++w->piece >= skb_shinfo(w->skb)->nr_frags) {
		w->piece = -1;
		w->skb = w->skb == w->top ? skb_shinfo(w->top)->frag_list : w->skb->next;
		if (!w->skb || skb_has_frag_list(w->skb)) {
			w->skb = NULL;
			w->len = 0;
			return false;
		}
	}
	piece_enter(w);
	return true;
}

/* Move to the piece that contains the octet at @offset. Return: false if there is none. */
static bool walk_to(struct walk *w, u32 offset)
{
	while (offset - w->base >= w->len)
		if (!piece_next(w))
			return false;
	return true;
}

/*
 * Get the spans of @len octets at @offset, without moving @w. Return: number of spans; 0 if there
 * are too many spans, or too few octets.
 */
static u32 walk_spans(const struct walk *w, u32 offset, u32 len, struct xiw_span *spans)
{
	struct walk at = *w;
	u32 count = 0, n;

	do {
		n = min(len, at.base + at.len - offset);
		if (!n)
			continue;
		if (count == XIW_RX_SPANS)
			return 0;
		spans[count].p = at.data + (offset - at.base);
		spans[count++].len = n;
		offset += n;
		len -= n;
	} while (len && piece_next(&at));
	return len ? 0 : count;
}

/* ----------------------------------------------------------------- staging */

static void stage_free(struct xiw_soft_stream *s)
{
	struct xiw_soft_stage *stage = &s->rx.stage;
	u32 i;

	for (i = 0; i < XIW_RX_STAGE_PAGES && stage->page[i]; i++) {
		__free_page(stage->page[i]);
		stage->page[i] = NULL;
	}
	if (stage->granted)
		atomic_long_sub(stage->granted, &s->soft->staging);
	stage->have = 0;
	stage->need = 0;
	stage->granted = 0;
	stage->checked = false;
}

/*
 * Get the number of pages that are guaranteed to the stream: enough for an FPDU in one TCP segment
 * of the peer.
 */
static u32 stage_floor(const struct xiw_soft_stream *s)
{
	return max_t(u32, DIV_ROUND_UP(xiw_tcp_segment_max(s->sk), PAGE_SIZE), 1);
}

/*
 * Reserve the page at @index. At the first page beyond stage_floor(), reserve all further pages of
 * the FPDU. stage->need is known then, because the length of the FPDU is in the first page. Return:
 * false if the quota is used up.
 */
static bool stage_grant(struct xiw_soft_stream *s, u32 index)
{
	struct xiw_soft_stage *stage = &s->rx.stage;
	u32 floor = stage_floor(s), beyond;

	if (index < floor || stage->granted)
		return true;
	beyond = (DIV_ROUND_UP(stage->need, PAGE_SIZE) - index) * PAGE_SIZE;
	if (atomic_long_add_return(beyond, &s->soft->staging) > XIW_SOFT_STAGING_MAX) {
		atomic_long_sub(beyond, &s->soft->staging);
		return false;
	}
	stage->granted = beyond;
	return true;
}

/* Get the room for the next staged octets. Return: NULL if there is no memory or no quota. */
static u8 *stage_room(struct xiw_soft_stream *s, u32 *room)
{
	struct xiw_soft_stage *stage = &s->rx.stage;
	u32 i = stage->have / PAGE_SIZE, at = stage->have % PAGE_SIZE;

	if (stage->linear) {
		*room = XIW_FPDU_WIRE_MAX - stage->have;
		return stage->linear + stage->have;
	}
	if (!stage->page[i]) {
		if (!stage_grant(s, i))
			return NULL;
		stage->page[i] = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!stage->page[i])
			return NULL;
	}
	*room = PAGE_SIZE - at;
	return page_address(stage->page[i]) + at;
}

static u32 stage_spans(const struct xiw_soft_stage *stage, struct xiw_span *spans)
{
	u32 at, count = 0;

	if (stage->linear) {
		spans[0].p = stage->linear;
		spans[0].len = stage->need;
		return 1;
	}
	for (at = 0; at < stage->need; at += PAGE_SIZE) {
		spans[count].p = page_address(stage->page[count]);
		spans[count++].len = min_t(u32, stage->need - at, PAGE_SIZE);
	}
	return count;
}

static bool stage_whole(const struct xiw_soft_stage *stage)
{
	return stage->need && stage->have == stage->need;
}

/*
 * Start the time limit whole_ms for the rest of the FPDU. If the timer is still armed for an
 * earlier FPDU, do not change the timer: xiw_soft_rx_late() arms it again for this deadline.
 */
static void stage_bound(struct xiw_soft_stream *s)
{
	s->rx.stage.deadline = jiffies + msecs_to_jiffies(s->whole_ms);
	if (!timer_pending(&s->late) && !READ_ONCE(s->gone))
		mod_timer(&s->late, s->rx.stage.deadline);
}

/* Process the staged FPDU. Return: false if it stays staged. */
static bool stage_take(struct xiw_soft_stream *s)
{
	struct xiw_soft_stage *stage = &s->rx.stage;
	struct xiw_span spans[XIW_RX_SPANS];

	if (!xiw_soft_segment(s, spans, stage_spans(stage, spans), &stage->frame, true))
		return false;
	xiw_soft_count(s->soft, rx_staged, 1);
	stage_free(s);
	return true;
}

/*
 * Stage up to @len octets of an FPDU. Return: octets copied; 0 if there is no memory or no quota.
 */
static u32 stage_copy(struct xiw_soft_stream *s, const struct sk_buff *skb, u32 offset, u32 len)
{
	struct xiw_soft_stage *stage = &s->rx.stage;
	u32 head = xiw_frame_head(&s->rx.framing), room, n;
	u8 *to = stage_room(s, &room);

	/*
	 * Start the time limit of the FPDU at the first octet. If this end has no memory or no
	 * quota, restart the time limit, because the peer does not cause the delay.
	 */
	if (!to || !stage->have)
		stage_bound(s);
	if (!to)
		return 0;
	n = min3(len, room, (stage->need ?: head) - stage->have);
	if (WARN_ON_ONCE(skb_copy_bits(skb, offset, to, n)))
		return 0;
	stage->have += n;
	if (!stage->need && stage->have == head) {
		xiw_frame_peek(&stage->frame, &s->rx.framing,
			       stage->linear ?: page_address(stage->page[0]));
		stage->need = stage->frame.wire_len;
	}
	return n;
}

/* -------------------------------------------------------------------- pass */

/*
 * Process the FPDU at @offset of the skb, without staging. Return: octets of the FPDU; 0 if the
 * FPDU is not complete, must be staged, or must be processed again.
 */
static u32 in_place(struct xiw_soft_stream *s, struct walk *w, u32 offset, u32 len)
{
	struct xiw_span spans[XIW_RX_SPANS] __uninitialized;
	u8 split[XIW_FPDU_LEN_LEN];
	struct xiw_frame frame;
	const u8 *head;
	u32 count = 1;

	if (len < sizeof(split) || s->rx.framing.markers || !walk_to(w, offset))
		return 0;
	spans[0].p = w->data + (offset - w->base);
	spans[0].len = w->base + w->len - offset;
	head = spans[0].p;
	if (unlikely(spans[0].len < sizeof(split))) {
		count = walk_spans(w, offset, sizeof(split), spans);
		if (!count)
			return 0;
		xiw_spans_copy(split, spans, count, 0, sizeof(split));
		head = split;
	}
	xiw_frame_peek(&frame, &s->rx.framing, head);
	if (len < frame.wire_len)
		return 0;
	/* The FPDU is nearly always contiguous. */
	if (likely(spans[0].len >= frame.wire_len))
		spans[0].len = frame.wire_len;
	else
		count = walk_spans(w, offset, frame.wire_len, spans);
	if (!count || !xiw_soft_segment(s, spans, count, &frame, false))
		return 0;
	return frame.wire_len;
}

/* Return: true if the pass must end, so that other streams run. */
static bool pass_over(const struct xiw_soft_rx *rx)
{
	return rx->pass >= XIW_RX_PASS || rx->pass_fpdus >= XIW_RX_PASS_FPDUS;
}

static int receive(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset, size_t len)
{
	struct xiw_soft_stream *s = desc->arg.data;
	struct walk w = { .top = skb, .skb = skb, .piece = -1 };
	struct xiw_soft_rx *rx = &s->rx;
	u32 used = 0, n;

	/*
	 * If the skb has device memory, which the CPU cannot read, end the stream. Only an
	 * administrator can configure the interface to receive into device memory.
	 */
	if (unlikely(!skb_frags_readable(skb))) {
		rx->blocked = true;
		rx->unreadable = true;
		return 0;
	}
	piece_enter(&w);
	while (used < len && !rx->blocked) {
		if (rx->dead) {
			used = len;
			break;
		}
		if (pass_over(rx)) {
			rx->blocked = true;
			break;
		}
		n = rx->stage.have ? 0 : in_place(s, &w, offset + used, len - used);
		if (!n && !rx->blocked) {
			n = stage_copy(s, skb, offset + used, len - used);
			if (!n) {
				rx->blocked = true;
				xiw_soft_stream_retry_in(s, max(1, HZ / 100));
			} else if (stage_whole(&rx->stage)) {
				stage_take(s);
			}
		}
		used += n;
		rx->pass += n;
	}
	return used;
}

/* Return: true if the reason why the previous pass ended still exists. */
static bool still_blocked(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;

	if (rx->held) {
		if (!test_and_clear_bit(XIW_PEND_INV_RX, &s->pending))
			return true;
		rx->held = false;
		if (rx->event.type == XIW_EV_MESSAGE)
			rx->recv.taken = false;
		xiw_soft_event_commit(s->vec, &rx->event, sizeof(rx->event));
	}
	if (rx->parked) {
		/*
		 * If no receive is available, do not process the FPDU again, because this may
		 * compute its CRC again.
		 */
		if (rx->recv.taken || xiw_soft_receive_take(s))
			rx->park_over = false;
		else if (!rx->park_over)
			return true;
		rx->parked = false;
		WRITE_ONCE(s->ctx->rx_waiting, 0);
		timer_delete(&s->wait);
	}
	return false;
}

static void publish(struct xiw_soft_stream *s)
{
	const struct xiw_soft_rx *rx = &s->rx;

	WRITE_ONCE(s->ctx->rx_octets, cpu_to_le64(rx->octets));
	WRITE_ONCE(s->ctx->rx_writes, cpu_to_le64(rx->core.writes));
	WRITE_ONCE(s->ctx->rx_write_octets, cpu_to_le64(rx->core.write_octets));
}

static void account(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;

	if (rx->pass)
		xiw_soft_count(s->soft, rx_octets, rx->pass);
	s->turn_octets += rx->pass;
	s->turn_fpdus += rx->pass_fpdus;
	if (rx->pass_fpdus) {
		xiw_soft_count(s->soft, rx_fpdus, rx->pass_fpdus);
		if (!s->stopped)
			publish(s);
	}
	rx->pass_fpdus = 0;
	rx->pass = 0;
}

/**
 * xiw_soft_rx_run - run an RX pass
 * @s: stream, attached
 *
 * Context: socket lock, BH disabled. The pass may detach the stream from the socket.
 *
 * Return: true if there is more to do at once.
 */
bool xiw_soft_rx_run(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;
	read_descriptor_t desc = { .arg.data = s, .count = 1 };
	struct sock *sk = s->sk;
	bool more;
	int n = 1;

	s->now = 0;
	if (still_blocked(s))
		return false;
	/*
	 * After a fault, do not read until the driver orders the stream to end. Reading would open
	 * the TCP window of the peer. Before the Terminate arrives, the peer could then complete
	 * the work request to which the Terminate refers.
	 */
	if (rx->faulted && !s->stopped && !s->closing)
		return false;
	rx->blocked = false;
	if (!stage_whole(&rx->stage) || rx->dead || stage_take(s)) {
		if (unlikely(s->tls)) {
			n = xiw_soft_records_read(s, receive);
		} else {
			xiw_tcp_ignore_urgent(sk);
			tcp_read_sock(sk, &desc, receive);
		}
	}
	more = pass_over(rx) || rx->spent;
	rx->spent = false;
	xiw_soft_stag_put(s->soft, &rx->ref);
	if (rx->slot) {
		rx->slot = false;
		xiw_soft_event_cancel(s->vec, 1);
	}
	account(s);
	if (unlikely(rx->unreadable || n < 0)) {
		xiw_soft_stream_lost(s);
		return false;
	}

	/*
	 * Check SOCK_DONE, which only tcp_fin() sets, and not RCV_SHUTDOWN, which a reset also
	 * sets.
	 */
	if (!rx->blocked && !s->peer_fin && sock_flag(sk, SOCK_DONE) &&
	    (s->tls ? !n : skb_queue_empty(&sk->sk_receive_queue))) {
		if (rx->stage.have && !rx->dead)
			xiw_soft_stream_lost(s);
		else
			xiw_soft_stream_peer_closed(s);
	}
	return more;
}

bool xiw_soft_rx_waits(const struct xiw_soft_stream *s)
{
	/* tcp_fin() sets SOCK_DONE, and a reset sets sk_err. */
	return s->rx.blocked && sock_flag(s->sk, SOCK_DONE) && !s->sk->sk_err;
}

/*
 * The late timer has expired, for the staged FPDU or for an earlier FPDU. If the deadline of the
 * staged FPDU has passed, end the stream.
 */
void xiw_soft_rx_late(struct xiw_soft_stream *s)
{
	const struct xiw_soft_stage *stage = &s->rx.stage;

	if (!s->attached || s->rx.dead || !stage->have || stage_whole(stage))
		return;
	if (time_before(jiffies, stage->deadline)) {
		if (!READ_ONCE(s->gone))
			mod_timer(&s->late, stage->deadline);
		return;
	}
	xiw_soft_count(s->soft, framing_errors, 1);
	xiw_soft_count(s->soft, rx_dropped, 1);
	xiw_soft_stream_lost(s);
}

/* Stop accessing buffers, rings and STags. Afterwards, RX only discards octets. */
void xiw_soft_rx_stop(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;

	rx->dead = true;
	if (rx->parked)
		WRITE_ONCE(s->ctx->rx_waiting, 0);
	rx->parked = false;
	if (rx->held) {
		rx->held = false;
		xiw_soft_event_cancel(s->vec, 1);
		xiw_soft_stag_forget(s, rx->inv_stag);
	}
	xiw_soft_stag_put(s->soft, &rx->ref);
}

void xiw_soft_rx_drop(struct xiw_soft_stream *s)
{
	stage_free(s);
}
