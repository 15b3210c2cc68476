/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Producer side of a TX ring. All of it under QP.sq_lock. Indexes count units and
 * run freely; a descriptor that would wrap is preceded by a NOP up to the end.
 */
#ifndef XIW_TX_RING_H
#define XIW_TX_RING_H

#include "diag/capture.h"
#include "verbs/qp.h"
#include "xiw.h"

/* A cookie that is no send queue slot. */
#define XIW_COOKIE_RTR 0xfffffffeU

static inline u32 xiw_tx_units(u32 octets)
{
	return DIV_ROUND_UP(octets, XIW_TX_UNIT);
}

static inline u32 xiw_tx_filler(const struct xiw_qp *qp, enum xiw_tx_queue q, u32 units)
{
	u32 left = qp->tx_units - (qp->tx_tail[q] & (qp->tx_units - 1));

	return units > left ? left : 0;
}

/* Room for @units, and one more unit behind them if @one_more. */
static inline bool xiw_tx_room(const struct xiw_qp *qp, enum xiw_tx_queue q, u32 units,
			       bool one_more)
{
	u32 need = units + xiw_tx_filler(qp, q, units) + one_more;

	return qp->tx_tail[q] + need - qp->tx_head[q] <= qp->tx_units;
}

/* What is known here of a message's RDMAP header. Return: its octets. */
static inline u32 xiw_tx_header(const struct xiw_tx_desc *desc, const u8 **header)
{
	*header = (const u8 *)(desc + 1);
	if (desc->op == XIW_TX_ATOMIC) {	/* without the value, which the RNIC will read */
		*header = ((const struct xiw_tx_atomic *)desc)->answer;
		return sizeof(((const struct xiw_tx_atomic *)desc)->answer);
	}
	if (desc->flags & (XIW_TXF_SOLICIT_TAGGED | XIW_TXF_SOLICIT_QUEUE3))
		*header += sizeof(struct xiw_tx_sink);
	return desc->header_length;
}

/* For an RNIC that shows nobody its segments. */
static inline void xiw_tx_record(struct xiw_qp *qp, const struct xiw_tx_desc *desc)
{
	const u8 *header;
	u32 known;

	if (xiw_recorder_descriptor(&qp->recorder, desc) && xiw_capturing(&qp->dev->rnic)) {
		known = xiw_tx_header(desc, &header);
		xiw_capture_message(&qp->dev->rnic, qp->stream, &qp->recorder, header, known);
	}
}

/* What is left of the last unit keeps what it had. */
static inline void xiw_tx_put(struct xiw_qp *qp, enum xiw_tx_queue q, const void *image,
			      u32 octets)
{
	u32 units = xiw_tx_units(octets);
	u32 filler = xiw_tx_filler(qp, q, units);
	u8 *at = qp->tx_ring[q] + (qp->tx_tail[q] & (qp->tx_units - 1)) * XIW_TX_UNIT;

	if (filler) {
		struct xiw_tx_desc nop = { .op = XIW_TX_NOP, .units = filler };

		memcpy(at, &nop, sizeof(nop));
		at = qp->tx_ring[q];
	}
	memcpy(at, image, octets);
	xiw_traffic_sent(&qp->sent, image);
	if (qp->recorder.record)
		xiw_tx_record(qp, image);
	qp->tx_tail[q] += filler + units;
}

/* Units of the longest descriptor: a work request of the QP's limits, or a response. */
static inline u32 xiw_tx_longest(const struct xiw_qp *qp)
{
	return max_t(u32, xiw_tx_units(qp->sq_stride - sizeof(struct xiw_sqe)),
		     xiw_tx_units(sizeof(struct xiw_tx_atomic)));
}

/*
 * For a descriptor of @units whose end is told by another event, or asked for when it matters.
 * Beyond half of the ring the RNIC has to speak: somebody may wait for room.
 *
 * A ring in which all descriptors are quiet has room for another one, whatever that is: it may
 * need its own units, a filler of one unit less, and one unit behind it. So nobody waits for an
 * event that does not come.
 */
static inline u8 xiw_tx_quiet(const struct xiw_qp *qp, enum xiw_tx_queue q, u32 units)
{
	u32 used = qp->tx_tail[q] - qp->tx_head[q];
	u32 after = used + units + xiw_tx_filler(qp, q, units);

	if (used >= qp->tx_units / 2 || after + 2 * xiw_tx_longest(qp) > qp->tx_units)
		return 0;
	return XIW_TXF_QUIET;
}

/* How far the RNIC is, whether or not it has said so. */
static inline u32 xiw_tx_done(const struct xiw_qp *qp, enum xiw_tx_queue q)
{
	return le32_to_cpu(xiw_observe(&qp->ctx->tx_head[q]));
}

/* The RNIC may take everything up to the producer index. */
static inline void xiw_tx_publish(struct xiw_qp *qp, enum xiw_tx_queue q)
{
	/* The RNIC sees the descriptors before the index. */
	xiw_publish(&qp->ctx->tx_tail[q], cpu_to_le32(qp->tx_tail[q]));
}

/*
 * Return: false if the RNIC claims what it never got. An event may be old news: what was
 * ordered and done since it was written may be more than a ring.
 */
static inline bool xiw_tx_retire(struct xiw_qp *qp, enum xiw_tx_queue q, u32 index)
{
	if (index - qp->tx_head[q] > qp->tx_tail[q] - qp->tx_head[q])
		return (s32)(index - qp->tx_tail[q]) < 0;
	qp->tx_head[q] = index;
	return true;
}

#endif
