// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Build FPDUs in the batch. Octets are copied into page fragments of this CPU, and the CRC is
 * computed during the copy. An FPDU with markers is first built in tx.linear, with its CRC. No
 * process can change these copies. So the CRC covers the octets that are sent, even if a process
 * changes the source.
 */
#include <net/tcp.h>

#include "core/fpdu.h"
#include "diag/capture.h"
#include "soft/records.h"
#include "soft/stream.h"

#define FPDU_SPANS 8	/* max spans of a captured FPDU; a longer list is truncated */

struct emit {
	struct xiw_soft_stream *s;
	u32 crc;
	bool sum;
};

/*
 * Get contiguous room at the end of the batch. The lock of the pages is held. Return: number of
 * octets; 0 if there is no memory.
 */
static u32 emit_room(struct xiw_soft_stream *s, u8 **to)
{
	struct xiw_soft_pages *pages = this_cpu_ptr(s->soft->pages);

	if (unlikely(!xiw_soft_pages_refill(pages)))
		return 0;
	*to = page_address(pages->frag.page) + pages->frag.offset;
	return pages->frag.size - pages->frag.offset;
}

/*
 * Append to the batch @len octets, which the caller has written to the room from emit_room().
 * Return: false if no bio_vec is left.
 */
static bool emit_commit(struct xiw_soft_stream *s, u32 len)
{
	struct page_frag *frag = &this_cpu_ptr(s->soft->pages)->frag;
	struct xiw_soft_batch *batch = &s->tx.batch;
	struct bio_vec *bv = NULL;

	if (batch->bv_nr > batch->bv_first)
		bv = &batch->bv[batch->bv_nr - 1];
	if (bv && bv->bv_page == frag->page && bv->bv_offset + bv->bv_len == frag->offset) {
		bv->bv_len += len;
	} else {
		if (unlikely(batch->bv_nr == XIW_TX_BATCH_BVECS))
			return false;
		bv = &batch->bv[batch->bv_nr++];
		get_page(frag->page);
		bvec_set_page(bv, frag->page, len, frag->offset);
	}
	frag->offset += len;
	batch->len += len;
	return true;
}

static int emit(struct emit *e, const void *from, u32 len)
{
	u32 room, n;
	u8 *to;

	while (len) {
		room = emit_room(e->s, &to);
		if (unlikely(!room))
			return -ENOMEM;
		n = min(len, room);
		if (e->sum)
			e->crc = xiw_crc32c_copy(e->crc, to, from, n);
		else
			memcpy(to, from, n);
		if (unlikely(!emit_commit(e->s, n)))
			return -ENOMEM;
		from += n;
		len -= n;
	}
	return 0;
}

/* Copy the next octets of the message to @out; if @out is NULL, pass them to emit(). */
static int emit_payload(struct emit *e, u8 *out, u32 len, u8 *status)
{
	const void *from;
	int n, err;

	while (len) {
		n = xiw_soft_gather(e->s, len, &from);
		if (unlikely(n < 0)) {
			*status = -n;
			return -EIO;
		}
		if (out) {
			memcpy(out, from, n);
			out += n;
		} else {
			err = emit(e, from, n);
			if (unlikely(err))
				return err;
		}
		len -= n;
	}
	return 0;
}

/*
 * Count and record the segment. If the build fails later, xiw_soft_fpdu_build() restores the count,
 * and does not call xiw_record_done().
 */
static void emitted(struct xiw_soft_stream *s, const u8 *header, const struct xiw_ddp_piece *piece)
{
	s->tx.octets += piece->len;
	xiw_record_fill(&s->recorder, xiw_soft_now(s), XIW_RECORD_SENT, header, piece->header_len,
			piece->len);
}

/* Build an FPDU in contiguous room. This is the usual case. */
static int emit_flat(struct xiw_soft_stream *s, u8 *out, u32 mulpdu, u8 *status)
{
	struct xiw_send_message *msg = &s->tx.core.msg;
	u32 crc = xiw_crc32c_begin(), left, ulpdu_len;
	bool sum = s->tx.framing.crc;
	struct xiw_ddp_piece piece;
	const void *from;
	u8 *at = out;
	int n;

	xiw_ddp_seg_next(&msg->seg, mulpdu, out + XIW_FPDU_LEN_LEN, &piece);
	ulpdu_len = piece.header_len + piece.len;
	put_unaligned_be16(ulpdu_len, out);
	at += XIW_FPDU_LEN_LEN + piece.header_len;
	if (sum)
		crc = xiw_crc32c_update(crc, out, at - out);
	for (left = piece.len; left; left -= n, at += n) {
		n = xiw_soft_gather(s, left, &from);
		if (unlikely(n < 0)) {
			*status = -n;
			return -EIO;
		}
		if (sum)
			crc = xiw_crc32c_copy(crc, at, from, n);
		else
			memcpy(at, from, n);
	}
	xiw_fpdu_trailer(at, &s->tx.framing, crc, ulpdu_len);
	emitted(s, out + XIW_FPDU_LEN_LEN, &piece);
	return emit_commit(s, xiw_fpdu_size(ulpdu_len)) ? 0 : -ENOMEM;
}

/* Build an FPDU that crosses the end of a page. */
static int emit_cut(struct xiw_soft_stream *s, u32 mulpdu, u8 *status)
{
	struct emit e = { .s = s, .sum = s->tx.framing.crc, .crc = xiw_crc32c_begin() };
	u8 head[XIW_FPDU_LEN_LEN + XIW_DDP_HDR_MAX], crc[XIW_CRC_LEN] = {};
	static const u8 zero[XIW_FPDU_MAX_TRAILER];
	struct xiw_ddp_piece piece;
	u32 ulpdu_len;
	int err;

	xiw_ddp_seg_next(&s->tx.core.msg.seg, mulpdu, head + XIW_FPDU_LEN_LEN, &piece);
	ulpdu_len = piece.header_len + piece.len;
	put_unaligned_be16(ulpdu_len, head);
	err = emit(&e, head, XIW_FPDU_LEN_LEN + piece.header_len);
	if (!err)
		err = emit_payload(&e, NULL, piece.len, status);
	if (!err)
		err = emit(&e, zero, xiw_fpdu_pad(ulpdu_len));
	if (err)
		return err;
	if (e.sum)
		xiw_crc32c_put(crc, e.crc);
	e.sum = false;
	emitted(s, head + XIW_FPDU_LEN_LEN, &piece);
	return emit(&e, crc, XIW_CRC_LEN);
}

static int emit_marked(struct xiw_soft_stream *s, u32 mulpdu, u8 *status)
{
	struct xiw_framing framing = s->tx.framing;
	u8 *ulpdu = s->tx.linear, *out = ulpdu + XIW_TX_LINEAR;
	struct xiw_span span = { .p = ulpdu };
	struct emit e = { .s = s };
	struct xiw_ddp_piece piece;
	int err;

	xiw_ddp_seg_next(&s->tx.core.msg.seg, mulpdu, ulpdu, &piece);
	span.len = piece.header_len + piece.len;
	err = emit_payload(&e, ulpdu + piece.header_len, piece.len, status);
	if (err)
		return err;
	emitted(s, ulpdu, &piece);
	err = emit(&e, out, xiw_fpdu_encode(out, &framing, &span, 1));
	if (!err)
		s->tx.framing = framing;
	return err;
}

/*
 * Get the spans from offset @start to the end of the batch, at most @most spans. Return: number of
 * spans.
 */
static u32 batch_spans(const struct xiw_soft_batch *batch, u32 start, struct xiw_span *spans,
		       u32 most)
{
	u32 at = batch->sent, count = 0, skip, i;

	for (i = batch->bv_first; i < batch->bv_nr && count < most; i++) {
		const struct bio_vec *bv = &batch->bv[i];

		if (at + bv->bv_len > start) {
			skip = start - min(start, at);
			spans[count].p = page_address(bv->bv_page) + bv->bv_offset + skip;
			spans[count++].len = bv->bv_len - skip;
		}
		at += bv->bv_len;
	}
	return count;
}

/* Capture the ULPDU of the FPDU that begins at @start in the batch. */
static void show(struct xiw_soft_stream *s, u32 start, u32 ulpdu_len)
{
	struct xiw_span spans[FPDU_SPANS] = { { .p = s->tx.linear, .len = ulpdu_len } };
	u32 count = 1, at = 0;

	if (!s->tx.framing.markers) {
		count = batch_spans(&s->tx.batch, start, spans, ARRAY_SIZE(spans));
		at = XIW_FPDU_LEN_LEN;
	}
	xiw_capture_segment(s->soft->rnic, s->index, XIW_NL_SEGMENT_FLAG_SENT, spans, count, at,
			    ulpdu_len);
}

/**
 * xiw_soft_fpdu_build - build the next segment of the current message
 * @s: stream
 * @mulpdu: longest ULPDU
 * @status: result: enum xiw_status, if the function returns -EIO
 *
 * Return: 0; -ENOMEM, after which the caller retries later; or -EIO if the gather list, or an STag
 * in this list, is invalid. After an error, the message and the batch are unchanged.
 */
int xiw_soft_fpdu_build(struct xiw_soft_stream *s, u32 mulpdu, u8 *status)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	struct xiw_send_message *msg = &s->tx.core.msg;
	u32 start = batch->len, at = msg->at, sge_at = msg->sge_at, sge_off = msg->sge_off;
	u32 offset = msg->seg.offset, ulpdu_len = xiw_ddp_seg_ulpdu_len(&msg->seg, mulpdu);
	u64 octets = s->tx.octets;
	bool again;
	u8 *to;
	int err;

	local_lock_nested_bh(&s->soft->pages->lock);
	if (unlikely(s->tx.framing.markers))
		err = emit_marked(s, mulpdu, status);
	else if (likely(emit_room(s, &to) >= xiw_fpdu_size(ulpdu_len)))
		err = emit_flat(s, to, mulpdu, status);
	else
		err = emit_cut(s, mulpdu, status);
	local_unlock_nested_bh(&s->soft->pages->lock);
	if (unlikely(err)) {
		xiw_soft_batch_cut(s, start);
		goto back;
	}
	xiw_record_done(&s->recorder);
	if (xiw_capturing(s->soft->rnic))
		show(s, start, ulpdu_len);
	again = xiw_soft_inject_fpdu(s, start);
	batch->end[batch->fpdus++] = batch->len;
	xiw_soft_count(s->soft, tx_fpdus, 1);
	if (likely(!again))
		return 0;
back:
	msg->at = at;
	msg->sge_at = sge_at;
	msg->sge_off = sge_off;
	msg->seg.offset = offset;
	msg->seg.done = false;
	s->tx.octets = octets;
	return err;
}

/* Append the Terminate of tx.term_message to the batch. */
int xiw_soft_fpdu_term(struct xiw_soft_stream *s)
{
	const struct xiw_tx_desc desc = { .op = XIW_TX_UNTAGGED };
	struct xiw_soft_tx *tx = &s->tx;
	u8 status;

	tx->core.msg = (struct xiw_send_message){ .desc = &desc, .inline_data = tx->term_message };
	xiw_ddp_seg_untagged(&tx->core.msg.seg, xiw_rdmap_ctrl(XIW_OP_TERMINATE), 0,
			     XIW_QN_TERMINATE, XIW_DDP_FIRST_MSN, tx->term_length);
	if (xiw_soft_fpdu_build(s, XIW_MULPDU_MIN, &status)) {
		tx->core.msg.desc = NULL;
		return -ENOMEM;
	}
	tx->core.msg.desc = NULL;
	return 0;
}

/* Truncate the batch to @keep octets, which include all octets that TCP has taken. */
void xiw_soft_batch_cut(struct xiw_soft_stream *s, u32 keep)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	struct bio_vec *bv;
	u32 drop, n;

	if (WARN_ON_ONCE(keep < batch->sent))
		keep = batch->sent;
	drop = batch->len - keep;
	batch->len = keep;
	while (drop) {
		bv = &batch->bv[batch->bv_nr - 1];
		n = min(drop, bv->bv_len);
		bv->bv_len -= n;
		drop -= n;
		if (!bv->bv_len) {
			put_page(bv->bv_page);
			batch->bv_nr--;
		}
	}
	while (batch->fpdus && batch->end[batch->fpdus - 1] > keep)
		batch->fpdus--;
}

static void batch_advance(struct xiw_soft_batch *batch, u32 n)
{
	struct bio_vec *bv;
	u32 part;

	batch->sent += n;
	while (n) {
		bv = &batch->bv[batch->bv_first];
		part = min(n, bv->bv_len);
		bv->bv_offset += part;
		bv->bv_len -= part;
		n -= part;
		if (!bv->bv_len) {
			put_page(bv->bv_page);
			batch->bv_first++;
		}
	}
}

/*
 * While more data follows, cork TCP, unless the next FPDU must begin a new segment. A corked TCP
 * sends only full segments, even where the peer's window ends or where segments and FPDUs are not
 * aligned. The next batch without MSG_MORE removes the cork.
 */
static int send_segments(struct xiw_soft_stream *s)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	int flags = batch->eor ? MSG_EOR : batch->more ? MSG_MORE : 0, n;

	xiw_tcp_cork(s->sk, flags & MSG_MORE);
	s->tx.sending = true;
	n = xiw_sock_send_pages(s->sk, batch->bv + batch->bv_first,
				batch->bv_nr - batch->bv_first, batch->len - batch->sent, flags);
	s->tx.sending = false;
	return n;
}

/**
 * xiw_soft_batch_send - pass the rest of the batch to TCP
 * @s: stream
 *
 * Return: 1 if TCP has the whole batch; 0 if TCP has no room or no memory for the rest; a negative
 * errno if the connection is being closed. After 0, write_space or the retry timer runs the stream
 * again.
 */
int xiw_soft_batch_send(struct xiw_soft_stream *s)
{
	struct xiw_soft_batch *batch = &s->tx.batch;
	int n = s->tls ? xiw_soft_records_send(s) : send_segments(s);

	if (n > 0) {
		xiw_soft_count(s->soft, tx_sends, 1);
		batch_advance(batch, n);
		if (batch->sent == batch->len) {
			memset_startat(batch, 0, len);
			return 1;
		}
		n = -EAGAIN;
	}
	if (n && n != -EAGAIN && n != -ENOMEM && n != -ENOBUFS)
		return n;
	/*
	 * TCP calls write_space only if an ACK arrives. If it is not certain that an ACK arrives,
	 * retry by timer.
	 */
	if (s->tls || tcp_rtx_and_write_queues_empty(s->sk))
		xiw_soft_stream_retry_in(s, max(1, HZ / 100));
	return 0;
}
