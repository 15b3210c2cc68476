// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "waits.h"

#include "soft/shared_rx.h"

#define LOG2_ENTRIES 10
#define LOG2_SLOT 5

static_assert(WAITS_STREAMS <= 1 << LOG2_ENTRIES, "all streams can get a receive");

struct waits {
	struct xiw_soft soft;
	struct xiw_soft_stream stream[WAITS_STREAMS];
	struct xiw_shared_rx_ctx ctx;
	u8 ring[1 << (LOG2_ENTRIES + LOG2_SLOT)];
	unsigned int woken[WAITS_STREAMS];
	u32 posted;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct waits *waits_now;

/* --------------------------------------------- functions that the shared ring calls */

void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why)
{
	if (why != XIW_PEND_RUN)
		abort();
	waits_now->woken[s->index]++;
}

void xiw_soft_stream_put(struct xiw_soft_stream *s)
{
	if (refcount_dec_and_test(&s->refs))
		abort();
}

/* ---------------------------------------------------- functions that the test calls */

struct waits *waits_new(void)
{
	struct waits *waits = calloc(1, sizeof(*waits));
	const struct xiw_adm_ring ring = {
		.ring = waits ? cpu_to_le64((uintptr_t)waits->ring) : 0,
		.ctx = waits ? cpu_to_le64((uintptr_t)&waits->ctx) : 0,
		.log2_entries = LOG2_ENTRIES,
		.log2_slot = LOG2_SLOT,
	};
	u32 i;

	if (!waits || xiw_soft_shared_rx_create(&waits->soft, 0, &ring))
		abort();
	waits_now = waits;
	for (i = 0; i < WAITS_STREAMS; i++) {
		struct xiw_soft_stream *s = &waits->stream[i];

		s->soft = &waits->soft;
		s->index = i;
		s->shared = xa_load(&waits->soft.shared_rx, 0);
		refcount_set(&s->refs, 1);
		INIT_LIST_HEAD(&s->parked);
	}
	return waits;
}

void waits_free(struct waits *waits)
{
	xiw_soft_shared_rx_free(&waits->soft);
	free(waits);
}

bool waits_take(struct waits *waits, unsigned int stream)
{
	return xiw_soft_receive_take(&waits->stream[stream]);
}

void waits_post_quietly(struct waits *waits, unsigned int n)
{
	waits->posted += n;
	waits->ctx.rx_tail = cpu_to_le32(waits->posted);
}

void waits_post(struct waits *waits, unsigned int n)
{
	waits_post_quietly(waits, n);
	xiw_soft_shared_rx_rung(&waits->soft, 0);
}

void waits_leave(struct waits *waits, unsigned int stream)
{
	xiw_soft_receive_unpark(&waits->stream[stream]);
}

unsigned int waits_woken(const struct waits *waits, unsigned int stream)
{
	return waits->woken[stream];
}

bool waits_starved(const struct waits *waits)
{
	return waits->ctx.rx_starved;
}

unsigned int waits_held(const struct waits *waits)
{
	unsigned int n = 0, i;

	for (i = 0; i < WAITS_STREAMS; i++)
		n += refcount_read(&waits->stream[i].refs) - 1;
	return n;
}
