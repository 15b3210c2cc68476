// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "descriptors.h"

#include "soft/stream.h"

#define LOG2_UNITS 4
#define UNITS BIT(LOG2_UNITS)

struct descriptors {
	struct xiw_soft soft;
	struct xiw_stats_block stats;
	struct xiw_soft_stream stream;
	struct xiw_stream_ctx ctx;
	struct xiw_solicited_entry expected[UNITS];
	u8 rings[XIW_TXQ_COUNT][UNITS * XIW_TX_UNIT] __aligned(16);
	u32 tail[XIW_TXQ_COUNT];
	u64 word;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct descriptors *descriptors_now;

/* ------------------------------------------------- functions that the RNIC calls */

enum xiw_stag_verdict xiw_soft_stag_check(struct xiw_soft_stream *s, struct xiw_soft_ref *ref,
					  u32 pd, u32 stag, u64 to, u64 length, u8 access)
{
	return XIW_STAG_OK;
}

u32 xiw_soft_stag_span(const struct xiw_soft_ref *ref, u64 to, u32 length, void **va)
{
	*va = &descriptors_now->word;
	return length;
}

void xiw_soft_stag_put(struct xiw_soft *soft, struct xiw_soft_ref *ref) {}

int xiw_soft_stag_set(struct xiw_soft *soft, u32 stag, const struct xiw_stag_entry *entry,
		      const struct xiw_soft_stream *s)
{
	return XIW_OK;
}

int xiw_soft_stag_invalidate(struct xiw_soft_stream *s, u32 stag, bool remote, u8 bit)
{
	return XIW_OK;
}

/* ---------------------------------------------------------------- the driver */

struct descriptors *descriptors_new(void)
{
	struct descriptors *d = calloc(1, sizeof(*d));
	struct xiw_soft_stream *s;
	int i;

	if (!d)
		abort();
	descriptors_now = d;
	d->soft.stats = &d->stats;
	s = &d->stream;
	s->soft = &d->soft;
	s->ctx = &d->ctx;
	xiw_send_init(&s->tx.core, LOG2_UNITS, 1);
	for (i = 0; i < XIW_TXQ_COUNT; i++)
		s->tx.ring[i] = d->rings[i];
	xiw_solicited_init(&s->rx.core.fifo, d->expected, UNITS);
	return d;
}

void descriptors_free(struct descriptors *d)
{
	free(d);
}

void descriptors_msn(struct descriptors *d, uint32_t queue, uint32_t msn)
{
	d->stream.tx.core.msn[queue] = msn;
}

static void post(struct descriptors *d, u8 ring, const struct xiw_tx_desc *desc)
{
	u32 at = d->tail[ring] & d->stream.tx.core.mask;

	memcpy(d->rings[ring] + at * XIW_TX_UNIT, desc, desc->units * XIW_TX_UNIT);
	d->tail[ring] += desc->units;
	d->ctx.tx_tail[ring] = cpu_to_le32(d->tail[ring]);
}

void descriptors_post(struct descriptors *d, uint32_t queue, uint8_t opcode)
{
	u8 image[XIW_TX_UNIT] __aligned(16) = {};
	struct xiw_tx_desc *desc = (struct xiw_tx_desc *)image;

	desc->op = XIW_TX_UNTAGGED;
	desc->units = 1;
	desc->queue = queue;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(opcode);
	desc->flags = XIW_TXF_INLINE;
	post(d, XIW_TXQ_REQUEST, desc);
}

void descriptors_post_atomic(struct descriptors *d)
{
	struct xiw_tx_atomic op = {
		.head.op = XIW_TX_ATOMIC,
		.head.units = sizeof(op) / XIW_TX_UNIT,
		.head.queue = XIW_QN_RESPONSE,
		.head.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_RESPONSE),
		.head.header_length = XIW_TX_ANSWER_LEN,
		.aop = cpu_to_le32(XIW_ATOMIC_FETCH_ADD),
		.data = cpu_to_le64(1),
	};

	post(d, XIW_TXQ_RESPONSE, &op.head);
}

uint64_t descriptors_word(const struct descriptors *d)
{
	return d->word;
}

bool descriptors_send(struct descriptors *d, uint8_t *header)
{
	struct xiw_ddp_piece piece;

	if (!xiw_soft_tx_next(&d->stream))
		return false;
	xiw_ddp_seg_next(&d->stream.tx.core.msg.seg, XIW_MULPDU_MIN, header, &piece);
	if (!piece.last || d->stream.tx.core.failed)
		abort();
	xiw_soft_tx_message_done(&d->stream);
	return true;
}
