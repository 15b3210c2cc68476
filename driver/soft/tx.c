// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A TX pass builds a batch, passes it to TCP and returns the finished units of the TX rings to the
 * driver. The pass repeats these steps until no data is left, TCP is full, or the quantum is used
 * up.
 *
 * Within an skb, an FPDU starts at every multiple of the MSS. If the last FPDU of a message does
 * not fill its TCP segment, the next message begins in this segment. If the first FPDU of that
 * message is too long for the rest of the segment, TX shortens the FPDU. If too little of the
 * segment is left, EOR closes the segment and a new skb begins. If the MSS is not a multiple of
 * four, no FPDU can fill a segment, and each segment gets its own skb. With markers, TX shortens no
 * FPDU, and each segment gets its own skb.
 *
 * If the peer's window ends within an skb, TCP splits the skb at this position. Up to the end of
 * the skb, FPDUs and segments are then not aligned. They are aligned again in the next skb.
 */
#include <net/tcp.h>

#include "diag/trace.h"
#include "soft/stream.h"
#include "soft/tls.h"

/* Set the length of FPDUs, which follows the path MTU (RFC 5044 §4.5). */
void xiw_soft_tx_mtu(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	u32 mss = xiw_soft_segment_size(s->sk, s->tls), mulpdu;

	if (likely(mss == tx->mss))
		return;
	tx->mss = mss;
	mulpdu = xiw_mulpdu(mss, tx->framing.markers);
	if (s->mulpdu_max)
		mulpdu = min_t(u32, mulpdu, max_t(u32, s->mulpdu_max, XIW_MULPDU_MIN));
	if (tx->framing.markers)
		mulpdu = min_t(u32, mulpdu, XIW_TX_LINEAR - 2 * XIW_TX_FILL_MIN);
	tx->mulpdu = mulpdu;
	if (!s->stopped)
		WRITE_ONCE(s->ctx->mulpdu, cpu_to_le32(mulpdu));
}

static u32 segment_size(const struct xiw_soft_tx *tx)
{
	return tx->mss & ~3U;
}

/* Return: true if one skb may hold several segments. */
static bool segments_join(const struct xiw_soft_tx *tx)
{
	return !(tx->mss & 3) && !tx->framing.markers;
}

/* Make the next octets begin a new skb, which starts with an FPDU. */
static void tail_close(struct xiw_soft_stream *s, struct sk_buff *tail)
{
	if (tail)
		xiw_tcp_close_segment(tail);
	s->tx.in_step = tcp_sk(s->sk)->write_seq;
}

/*
 * Get the number of octets in the last segment of the unsent skb to which TCP appends; 0 if TCP
 * begins a new skb. Sets @limit to the max octets of the next batch.
 */
static u32 tail_fill(struct xiw_soft_stream *s, u32 *limit)
{
	struct sk_buff *tail;
	u32 frags;

	*limit = XIW_TX_BATCH;
	/* With TLS, each batch begins a new record. */
	if (s->tls)
		return 0;
	tail = tcp_write_queue_tail(s->sk);
	if (!tail || !tail->len || !tcp_skb_can_collapse_to(tail)) {
		tail_close(s, NULL);
		return 0;
	}
	/*
	 * Close an skb that has little room for fragments. Otherwise, TCP would begin the next skb
	 * at any position, even inside an FPDU.
	 */
	frags = skb_shinfo(tail)->nr_frags;
	if (!segments_join(&s->tx) || frags > MAX_SKB_FRAGS / 2 ||
	    (TCP_SKB_CB(tail)->seq - s->tx.in_step) % segment_size(&s->tx)) {
		tail_close(s, tail);
		return 0;
	}
	*limit = min_t(u32, XIW_TX_BATCH, (MAX_SKB_FRAGS - 2 - frags) * PAGE_SIZE);
	return tail->len % segment_size(&s->tx);
}

/*
 * Get the MULPDU for the next FPDU. The TCP segment already has @fill octets. Return: 0 if
 * this segment must be closed first. A MULPDU is never below 128 (RFC 5044 §4.5).
 */
static u32 mulpdu_next(const struct xiw_soft_tx *tx, u32 fill)
{
	u32 ulpdu = xiw_ddp_seg_ulpdu_len(&tx->core.msg.seg, tx->mulpdu);
	u32 room = segment_size(tx) - fill;
	struct xiw_frame frame;

	if (!fill)
		return tx->mulpdu;
	xiw_frame_init(&frame, &tx->framing, ulpdu);
	if (frame.wire_len <= room)
		return tx->mulpdu;
	if (room < XIW_TX_FILL_MIN || tx->framing.markers)
		return 0;
	return min(tx->mulpdu, xiw_mulpdu(room, false));
}

static void fail_build(struct xiw_soft_stream *s, int err, u8 status)
{
	if (err == -EIO)
		xiw_send_fail(&s->tx.core, s->tx.core.msg.queue, status, s->tx.core.msg.seg.offset);
	else if (!s->tx.batch.len)
		xiw_soft_stream_retry_in(s, max(1, HZ / 100));
}

/* Fill the batch from the rings. Return: true if the rings contain nothing more to send now. */
static bool batch_build(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	struct xiw_soft_batch *batch = &tx->batch;
	u32 room = s->tls ? XIW_TX_BATCH : max(sk_stream_wspace(s->sk), 0);
	u32 fill, limit, mulpdu;
	u8 status = 0;
	int err;

	xiw_soft_tx_mtu(s);
	fill = tail_fill(s, &limit);
	limit = min(limit, room);
	xiw_soft_pages_rewind(s->soft->pages);
	for (;;) {
		if (!tx->core.msg.desc && !xiw_soft_tx_next(s))
			return true;
		mulpdu = mulpdu_next(tx, fill);
		if (!mulpdu) {
			if (batch->len) {
				batch->eor = true;
				return false;
			}
			tail_close(s, tcp_write_queue_tail(s->sk));
			fill = 0;
			limit = min_t(u32, XIW_TX_BATCH, room);
			mulpdu = tx->mulpdu;
		}
		if (batch->fpdus == XIW_TX_BATCH_FPDUS ||
		    (batch->len && batch->len + XIW_TX_FILL_MIN + mulpdu > limit)) {
			batch->more = true;
			return false;
		}
		err = xiw_soft_fpdu_build(s, mulpdu, &status);
		if (unlikely(err)) {
			fail_build(s, err, status);
			return false;
		}
		if (tx->core.msg.seg.done)
			xiw_soft_tx_message_done(s);
		fill += batch->end[batch->fpdus - 1] -
			(batch->fpdus > 1 ? batch->end[batch->fpdus - 2] : 0);
		if (fill < segment_size(tx))
			continue;
		if (!segments_join(tx)) {
			batch->eor = true;
			return false;
		}
		fill %= segment_size(tx);
	}
}

/* Return all units before ring->built to the driver, because TCP has accepted them. */
static void publish(struct xiw_soft_stream *s)
{
	struct xiw_send_ring *ring = s->tx.core.ring;
	int i;

	if (s->stopped)
		return;
	for (i = 0; i < XIW_TXQ_COUNT; i++)
		if (xiw_send_publish(&ring[i]))
			/* release: the units are read before the driver may reuse them */
			smp_store_release(&s->ctx->tx_head[i], cpu_to_le32(ring[i].done));
	WRITE_ONCE(s->ctx->tx_octets, cpu_to_le64(s->tx.octets));
}

/* Raise the events of a pass. Room for them was reserved at the start of the pass. */
static void report(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	struct xiw_event ev __uninitialized;
	size_t size = offsetof(struct xiw_event, tx) + sizeof(ev.tx);
	unsigned int unused = XIW_TX_PASS_EVENTS;

	memset(&ev, 0, size);
	ev.type = XIW_EV_TX_DONE;
	ev.stream = cpu_to_le32(s->index);
	for (ev.queue = 0; ev.queue < XIW_TXQ_COUNT && !s->stopped; ev.queue++) {
		if (!xiw_send_report(&tx->core.ring[ev.queue]))
			continue;
		ev.tx.index = cpu_to_le32(tx->core.ring[ev.queue].done);
		xiw_soft_event_commit(s->vec, &ev, size);
		unused--;
	}
	if (tx->core.error_due && !tx->batch.len && !s->stopped) {
		tx->core.error_due = false;
		ev.type = XIW_EV_TX_ERROR;
		ev.status = tx->core.error_status;
		ev.queue = tx->core.error_queue;
		ev.tx.index = cpu_to_le32(tx->core.error_index);
		ev.tx.done = cpu_to_le32(tx->core.error_done);
		xiw_soft_event_commit(s->vec, &ev, size);
		unused--;
	}
	xiw_soft_event_cancel(s->vec, unused);
}

static bool anything(struct xiw_soft_stream *s)
{
	const struct xiw_soft_tx *tx = &s->tx;

	if (tx->batch.len || tx->term_due || tx->core.error_due)
		return true;
	return !s->stopped && !tx->held && !tx->core.failed &&
	       (tx->core.msg.desc || xiw_soft_tx_pending(s));
}

/*
 * Pass the batch to TCP. Return: 1 if TCP has the whole batch; 0 if TCP does not have all of it;
 * negative if the connection is lost.
 */
static int flush(struct xiw_soft_stream *s)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	u32 octets = batch->len, fpdus = batch->fpdus;
	int ret;

	if (!batch->len)
		return 1;
	ret = xiw_soft_batch_send(s);
	if (ret > 0) {
		s->turn_octets += octets;
		s->turn_fpdus += fpdus;
		xiw_soft_count(s->soft, tx_octets, octets);
		trace_xiw_fpdu_tx_batch(s->index, fpdus, octets, s->tx.mss);
	}
	return ret;
}

/*
 * Return: true if TCP has no room. TCP then calls write_space when it has room again. Until then,
 * do not build a batch, because the memory of a batch that waits is charged to no socket. If TCP
 * has only a segment that the cork holds back, return false, because the next batch releases the
 * segment.
 */
static bool tcp_full(struct xiw_soft_stream *s)
{
	struct sock *sk = s->sk;
	struct sk_buff *tail;

	if (likely(sk_stream_memory_free(sk)))
		return false;
	tail = s->tls ? NULL : tcp_write_queue_tail(sk);
	if (!s->tls && tcp_rtx_queue_empty(sk) && tail == tcp_send_head(sk) &&
	    (!tail || tail->len < tcp_sk(sk)->mss_cache))
		return false;
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	if (!s->tls)
		return true;
	/* With TLS, the socket lock is not held, so ACKs may have arrived before set_bit(). */
	smp_mb__after_atomic();
	return !sk_stream_memory_free(sk);
}

/*
 * Build and send batches until the pass ends. Sets @ret to the result of flush(). Return: true if
 * there is more to do in another pass.
 */
static bool pump(struct xiw_soft_stream *s, int *ret)
{
	struct xiw_soft_tx *tx = &s->tx;
	int quantum = READ_ONCE(s->vec->crowded) ? 1 : XIW_TX_QUANTUM;
	bool dry = false;

	for (;;) {
		*ret = flush(s);
		if (*ret <= 0)
			return false;
		publish(s);
		if (tx->term_due) {
			if (xiw_soft_fpdu_term(s)) {
				xiw_soft_stream_retry_in(s, max(1, HZ / 100));
				return false;
			}
			tx->term_due = false;
			tx->term = true;
			xiw_soft_count(s->soft, tx_messages[XIW_OP_TERMINATE], 1);
			continue;
		}
		if (s->stopped || tx->held || tx->core.failed)
			return false;
		if (dry && !xiw_soft_tx_pending(s))
			return false;
		if (!quantum--)
			return tx->core.msg.desc || xiw_soft_tx_pending(s);
		if (tcp_full(s))
			return false;
		dry = batch_build(s);
		if (!tx->batch.len) {
			publish(s);
			return xiw_soft_inject_emptied(s);
		}
	}
}

/**
 * xiw_soft_tx_run - run a TX pass
 * @s: stream, attached
 *
 * Context: socket lock, BH disabled. The pass may detach the stream from the socket.
 *
 * Return: true if there is more to do at once.
 */
bool xiw_soft_tx_run(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	bool more = false, drained;
	int ret = 1;

	if (tx->fin)
		return false;
	s->now = 0;
	if (anything(s)) {
		if (!s->stopped && !xiw_soft_event_reserve(s->vec, XIW_TX_PASS_EVENTS)) {
			xiw_soft_event_stall(s->vec, s, XIW_TX_PASS_EVENTS);
			return false;
		}
		more = pump(s, &ret);
		xiw_soft_stag_put(s->soft, &tx->ref);
		if (!s->stopped)
			report(s);
	}
	if (unlikely(ret < 0)) {
		xiw_soft_stream_lost(s);
		return false;
	}
	if (likely(!s->terminating && !s->closing))
		return more;
	drained = !tx->batch.len && !tx->term_due &&
		  (s->stopped || tx->held || (!tx->core.msg.desc && !xiw_soft_tx_pending(s)));
	if (drained)
		xiw_soft_stream_tx_idle(s);
	return more;
}

/*
 * Execute the order TERMINATE (RFC 5040 §5.4): finish the FPDU that is partly in TCP, drop all
 * other FPDUs, and send the Terminate. A passive side that has not received an FPDU must not send
 * one (RFC 5044 §7.1.3), so it only closes.
 */
void xiw_soft_tx_terminate(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	struct xiw_soft_batch *batch = &tx->batch;
	u32 keep = 0, i, drop;

	for (i = 0; i < batch->fpdus && keep < batch->sent; i++)
		keep = batch->end[i];
	drop = batch->len - keep;
	xiw_soft_batch_cut(s, keep);
	tx->framing.pos = (tx->framing.pos - drop) % XIW_MARKER_SPACING;
	batch->eor = false;
	batch->more = false;
	if (batch->len == batch->sent)
		memset_startat(batch, 0, len);
	tx->core.msg.desc = NULL;
	tx->core.error_due = false;
	tx->term_length = min_t(u32, le32_to_cpu(READ_ONCE(s->ctx->term_length)), XIW_TERM_SIZE);
	memcpy(tx->term_message, s->ctx->term, tx->term_length);
	tx->term_due = tx->term_length && (!tx->held || s->rx.arrived);
}

/* Drop all data that has not been passed to TCP. */
void xiw_soft_tx_drop(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;

	xiw_soft_batch_cut(s, tx->batch.sent);
	memset_startat(&tx->batch, 0, len);
	tx->core.msg.desc = NULL;
	tx->term_due = false;
	tx->core.error_due = false;
	xiw_soft_stag_put(s->soft, &tx->ref);
}
