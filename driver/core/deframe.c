// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/deframe.h"

void xiw_deframer_init(struct xiw_deframer *d, bool crc, bool markers, u8 *buf, u32 size)
{
	memset(d, 0, sizeof(*d));
	d->framing.crc = crc;
	d->framing.markers = markers;
	d->buf = buf;
	d->size = size;
	d->want = xiw_frame_head(&d->framing);
}

static enum xiw_deframe_verdict stop(struct xiw_deframer *d, enum xiw_fault fault)
{
	d->fault = fault;
	return XIW_DEFRAME_FAULT;
}

/*
 * Stage input until d->want octets are staged, or the input is used up. Return: true if d->want
 * octets are staged.
 */
static bool stage(struct xiw_deframer *d, struct xiw_span *in)
{
	u32 n = min(in->len, d->want - d->have);

	if (n) {
		memcpy(d->buf + d->have, in->p, n);
		d->have += n;
		in->p += n;
		in->len -= n;
	}
	return d->have == d->want;
}

enum xiw_deframe_verdict xiw_deframe_feed(struct xiw_deframer *d, struct xiw_span *in,
					  struct xiw_span *ulpdu)
{
	struct xiw_frame frame;
	enum xiw_fault fault;

	if (d->fault)
		return XIW_DEFRAME_FAULT;
	if (!stage(d, in))
		return XIW_DEFRAME_NEED;
	xiw_frame_peek(&frame, &d->framing, d->buf);
	if (d->want < frame.wire_len) {
		if (frame.wire_len > d->size)
			return stop(d, XIW_FAULT_SILENT);
		d->want = frame.wire_len;
		if (!stage(d, in))
			return XIW_DEFRAME_NEED;
	}
	if (d->framing.crc &&
	    !xiw_crc32c_matches(d->buf + frame.crc_at,
				xiw_crc32c_update(xiw_crc32c_begin(), d->buf, frame.crc_at)))
		return stop(d, XIW_FAULT_LLP_CRC);
	fault = xiw_frame_strip(&frame, &d->framing, d->buf);
	if (fault)
		return stop(d, fault);
	ulpdu->p = d->buf + XIW_FPDU_LEN_LEN;
	ulpdu->len = frame.ulpdu_len;
	xiw_frame_done(&d->framing, &frame);
	d->have = 0;
	d->want = xiw_frame_head(&d->framing);
	return XIW_DEFRAME_ULPDU;
}
