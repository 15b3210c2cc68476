// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/fpdu.h"

u32 xiw_mulpdu(u32 emss, bool markers)
{
	u32 overhead = XIW_FPDU_LEN_LEN + XIW_CRC_LEN + emss % 4;

	if (markers)
		overhead += XIW_MARKER_LEN * ((emss + XIW_MARKER_SPACING - 1) / XIW_MARKER_SPACING);
	if (emss < overhead + XIW_MULPDU_MIN)
		return XIW_MULPDU_MIN;
	return min_t(u32, emss - overhead, XIW_MULPDU_MAX);
}

enum xiw_fault xiw_frame_strip(const struct xiw_frame *frame,
			       const struct xiw_framing *framing, u8 *fpdu)
{
	u32 lead = frame->ulpdu_at - XIW_FPDU_LEN_LEN;
	u32 at = framing->markers ? xiw_marker_next(framing->pos) : frame->wire_len;
	u32 from = 0, to = 0;
	u32 ptr;

	for (; at < frame->wire_len; at += XIW_MARKER_SPACING) {
		ptr = get_unaligned_be16(fpdu + at + XIW_MARKER_PTR_AT) & ~3U;
		if (ptr != (at < lead ? 0 : at - lead))
			return XIW_FAULT_LLP_MARKER;
		memmove(fpdu + to, fpdu + from, at - from);
		to += at - from;
		from = at + XIW_MARKER_LEN;
	}
	if (from)
		memmove(fpdu + to, fpdu + from, frame->wire_len - from);
	return XIW_FAULT_NONE;
}

u32 xiw_spans_crc(u32 crc, const struct xiw_span *spans, u32 count, u32 at, u32 len)
{
	u32 i, n;

	for (i = 0; i < count && len; i++) {
		if (at >= spans[i].len) {
			at -= spans[i].len;
			continue;
		}
		n = min(len, spans[i].len - at);
		crc = xiw_crc32c_update(crc, spans[i].p + at, n);
		len -= n;
		at = 0;
	}
	return crc;
}

void xiw_spans_copy(void *out, const struct xiw_span *spans, u32 count, u32 at, u32 len)
{
	u8 *to = out;
	u32 i, n;

	for (i = 0; i < count && len; i++) {
		if (at >= spans[i].len) {
			at -= spans[i].len;
			continue;
		}
		n = min(len, spans[i].len - at);
		memcpy(to, spans[i].p + at, n);
		to += n;
		len -= n;
		at = 0;
	}
}

/* State of write_octets(), which writes an FPDU and inserts the markers. */
struct writer {
	u8 *out;
	u32 at;
	u32 marker;		/* offset of the next marker; ~0 if markers are off */
	u32 lead;
};

static void write_octets(struct writer *w, const u8 *p, u32 len)
{
	u32 n;

	while (len) {
		if (w->at == w->marker) {
			put_unaligned_be32(w->at < w->lead ? 0 : w->at - w->lead, w->out + w->at);
			w->at += XIW_MARKER_LEN;
			w->marker += XIW_MARKER_SPACING;
		}
		n = min(len, w->marker - w->at);
		memcpy(w->out + w->at, p, n);
		w->at += n;
		p += n;
		len -= n;
	}
}

u32 xiw_fpdu_encode(u8 *out, struct xiw_framing *framing, const struct xiw_span *parts,
		    u32 count)
{
	static const u8 zero[XIW_FPDU_MAX_TRAILER];
	struct writer w = { .out = out, .marker = ~0U };
	struct xiw_frame frame;
	u8 length[XIW_FPDU_LEN_LEN];
	u32 i, ulpdu_len = 0;

	for (i = 0; i < count; i++)
		ulpdu_len += parts[i].len;
	xiw_frame_init(&frame, framing, ulpdu_len);
	if (framing->markers)
		w.marker = xiw_marker_next(framing->pos);
	w.lead = frame.ulpdu_at - XIW_FPDU_LEN_LEN;

	put_unaligned_be16(ulpdu_len, length);
	write_octets(&w, length, sizeof(length));
	for (i = 0; i < count; i++)
		write_octets(&w, parts[i].p, parts[i].len);
	/*
	 * write pad and CRC field as zeros, so that markers before the CRC field are written, too
	 */
	write_octets(&w, zero, xiw_fpdu_pad(ulpdu_len) + XIW_CRC_LEN);
	if (framing->crc)
		xiw_crc32c_put(out + frame.crc_at,
			       xiw_crc32c_update(xiw_crc32c_begin(), out, frame.crc_at));
	xiw_frame_done(framing, &frame);
	return frame.wire_len;
}
