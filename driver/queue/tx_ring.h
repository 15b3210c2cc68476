/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The producer of a TX ring. QP.sq_lock is held in all functions. Indexes are free-running and
 * count units. If a descriptor does not fit before the end of the ring, a NOP fills the end, and
 * the descriptor starts at the beginning of the ring.
 */
#ifndef XIW_TX_RING_H
#define XIW_TX_RING_H

#include "diag/capture.h"
#include "verbs/qp.h"
#include "xiw.h"

/* The cookie of an RTR, which has no slot in the send queue. */
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

/* Return: true if there is room for @units, plus one more unit if @one_more. */
static inline bool xiw_tx_room(const struct xiw_qp *qp, enum xiw_tx_queue q, u32 units,
			       bool one_more)
{
	u32 need = units + xiw_tx_filler(qp, q, units) + one_more;

	return qp->tx_tail[q] + need - qp->tx_head[q] <= qp->tx_units;
}

/* Get the part of a message's RDMAP header that is already known. Return: number of octets. */
static inline u32 xiw_tx_header(const struct xiw_tx_desc *desc, const u8 **header)
{
	*header = (const u8 *)(desc + 1);
	if (desc->op == XIW_TX_ATOMIC) {	/* omit the value, which the RNIC reads later */
		*header = ((const struct xiw_tx_atomic *)desc)->answer;
		return sizeof(((const struct xiw_tx_atomic *)desc)->answer);
	}
	if (desc->flags & (XIW_TXF_SOLICIT_TAGGED | XIW_TXF_SOLICIT_QUEUE3))
		*header += sizeof(struct xiw_tx_sink);
	return desc->header_length;
}

/*
 * Record a descriptor in the flight recorder of the driver. This recorder exists only if the RNIC
 * records no segments itself. The caller has checked that the recorder exists.
 */
static inline void xiw_tx_record(struct xiw_qp *qp, const struct xiw_tx_desc *desc)
{
	const u8 *header;
	u32 known;

	if (xiw_recorder_descriptor(&qp->recorder, desc) && xiw_capturing(&qp->dev->rnic)) {
		known = xiw_tx_header(desc, &header);
		xiw_capture_message(&qp->dev->rnic, qp->stream, &qp->recorder, header, known);
	}
}

/* Copy a descriptor into the ring. The unused part of its last unit keeps its old contents. */
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

/*
 * Get the number of units of the longest descriptor: a work request within the QP's limits, or a
 * response.
 */
static inline u32 xiw_tx_longest(const struct xiw_qp *qp)
{
	return max_t(u32, xiw_tx_units(qp->sq_stride - sizeof(struct xiw_sqe)),
		     xiw_tx_units(sizeof(struct xiw_tx_atomic)));
}

/*
 * Decide whether a descriptor of @units may omit its event. Without this event, a later event
 * reports that the descriptor is done, or the driver reads the RNIC's progress from the context.
 * Once the ring is half full, the descriptor must cause an event, because a task may wait for room.
 * Return: XIW_TXF_QUIET if the descriptor may omit the event, or 0.
 *
 * If a ring contains only descriptors without events, at least twice the units of the longest
 * descriptor are free. This is enough for another descriptor of any length: besides its own units,
 * it needs at most one additional unit and a filler, and the filler is shorter than the descriptor.
 * So no task waits for an event that is never raised.
 */
static inline u8 xiw_tx_quiet(const struct xiw_qp *qp, enum xiw_tx_queue q, u32 units)
{
	u32 used = qp->tx_tail[q] - qp->tx_head[q];
	u32 after = used + units + xiw_tx_filler(qp, q, units);

	if (used >= qp->tx_units / 2 || after + 2 * xiw_tx_longest(qp) > qp->tx_units)
		return 0;
	return XIW_TXF_QUIET;
}

/* Read the RNIC's progress from the context, whether or not an event has reported it. */
static inline u32 xiw_tx_done(const struct xiw_qp *qp, enum xiw_tx_queue q)
{
	return le32_to_cpu(xiw_observe(&qp->ctx->tx_head[q]));
}

/* Pass all descriptors up to the producer index to the RNIC. */
static inline void xiw_tx_publish(struct xiw_qp *qp, enum xiw_tx_queue q)
{
	/* The RNIC must see the descriptors before the index. */
	xiw_publish(&qp->ctx->tx_tail[q], cpu_to_le32(qp->tx_tail[q]));
}

/*
 * Store the index up to which the RNIC reports descriptors as done. Ignore the index of an old
 * event: this index may be behind the head by more than the length of the ring. Return: false if
 * the RNIC reports descriptors that were not posted.
 */
static inline bool xiw_tx_retire(struct xiw_qp *qp, enum xiw_tx_queue q, u32 index)
{
	if (index - qp->tx_head[q] > qp->tx_tail[q] - qp->tx_head[q])
		return (s32)(index - qp->tx_tail[q]) < 0;
	qp->tx_head[q] = index;
	return true;
}

#endif
