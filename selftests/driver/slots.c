// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "slots.h"

#include "soft/stream.h"

#define LOG2_ENTRIES 4
#define PASSES 16	/* if the poll runs more passes, the test aborts */

static_assert(SLOTS_ENTRIES == 1 << LOG2_ENTRIES, "entries of the ring");

struct slots_stream {
	struct xiw_soft_stream stream;
	unsigned int need, got;
	bool kicked;		/* the work item is queued */
};

struct slots {
	struct xiw_soft soft;
	struct xiw_rnic rnic;
	struct xiw_soft_vector vec;
	struct xiw_event ring[SLOTS_ENTRIES];
	struct xiw_stats_block stats;
	struct xiw_soft_notice notice[SLOTS_NOTICES];
	struct slots_stream stream[SLOTS_STREAMS];
	unsigned int consumed, raised, passes;
	unsigned int passed[PASSES];
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct slots *slots_now;

/* ----------------------------------------- functions that the ring and the poll call */

u64 local_clock(void)
{
	return 0;
}

void xiw_rnic_interrupt(struct xiw_rnic *rnic, unsigned int vector)
{
	if (rnic != &slots_now->rnic || vector)
		abort();
	slots_now->raised++;
}

void xiw_soft_admin_resume(struct xiw_soft *soft) {}

void xiw_soft_stream_put(struct xiw_soft_stream *s)
{
	if (refcount_dec_and_test(&s->refs))
		abort();
}

static bool pass(struct slots_stream *stream)
{
	struct slots *slots = slots_now;
	unsigned int n = stream->need;

	clear_bit(XIW_PEND_RUN, &stream->stream.pending);
	if (!n)
		return true;
	if (!xiw_soft_event_reserve(&slots->vec, n)) {
		xiw_soft_event_stall(&slots->vec, &stream->stream, n);
		return false;
	}
	stream->got += n;
	return true;
}

int xiw_soft_stream_run(struct xiw_soft_stream *s)
{
	struct slots_stream *stream = container_of(s, struct slots_stream, stream);

	if (s->tls) {
		stream->kicked = true;
		return 1;
	}
	if (slots_now->passes == PASSES)
		abort();
	slots_now->passed[slots_now->passes++] = s->index;
	pass(stream);
	return 1;
}

/* ---------------------------------------------------------------------- calls */

struct slots *slots_new(void)
{
	struct slots *slots = calloc(1, sizeof(*slots));
	struct xiw_adm_ring ring = { .log2_entries = LOG2_ENTRIES };
	u32 i;

	if (!slots)
		abort();
	slots_now = slots;
	slots->soft.rnic = &slots->rnic;
	slots->soft.stats = &slots->stats;
	slots->soft.vector = &slots->vec;
	slots->soft.nr_vectors = 1;
	slots->vec.soft = &slots->soft;
	INIT_LIST_HEAD(&slots->vec.stalled);
	INIT_LIST_HEAD(&slots->vec.notices);
	ring.ring = cpu_to_le64((uintptr_t)slots->ring);
	if (xiw_soft_event_create(&slots->soft, 0, &ring))
		abort();
	for (i = 0; i < SLOTS_NOTICES; i++)
		slots->notice[i].ev = (struct xiw_event){
			.type = XIW_EV_ADMIN,
			.stream = cpu_to_le32(i),
		};
	for (i = 0; i < SLOTS_STREAMS; i++) {
		struct xiw_soft_stream *s = &slots->stream[i].stream;

		s->soft = &slots->soft;
		s->vec = &slots->vec;
		s->index = i;
		refcount_set(&s->refs, 1);
		INIT_LIST_HEAD(&s->stalled);
	}
	return slots;
}

void slots_free(struct slots *slots)
{
	free(slots);
}

bool slots_reserve(struct slots *slots, unsigned int n)
{
	return xiw_soft_event_reserve(&slots->vec, n);
}

void slots_cancel(struct slots *slots, unsigned int n)
{
	xiw_soft_event_cancel(&slots->vec, n);
}

void slots_commit(struct slots *slots, unsigned int n)
{
	const struct xiw_event ev = { .type = XIW_EV_STATE };

	while (n--)
		xiw_soft_event_commit(&slots->vec, &ev, sizeof(ev));
}

void slots_consume(struct slots *slots, unsigned int n)
{
	slots->consumed += n;
	xiw_soft_event_consumed(&slots->soft, 0, slots->consumed, false);
}

void slots_notify(struct slots *slots, unsigned int notice)
{
	xiw_soft_notify(&slots->soft, &slots->notice[notice]);
}

bool slots_waits(const struct slots *slots, unsigned int notice)
{
	return slots->notice[notice].queued;
}

/* Find the @nth notice in the ring, counted from 0. Return: its event, or NULL. */
static const struct xiw_event *notice_find(const struct slots *slots, unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < SLOTS_ENTRIES && slots->ring[i].flags & XIW_EVENT_PHASE; i++)
		if (slots->ring[i].type == XIW_EV_ADMIN && !nth--)
			return &slots->ring[i];
	return NULL;
}

unsigned int slots_notices(const struct slots *slots)
{
	unsigned int n = 0;

	while (notice_find(slots, n))
		n++;
	return n;
}

unsigned int slots_notice(const struct slots *slots, unsigned int i)
{
	const struct xiw_event *ev = notice_find(slots, i);

	if (!ev)
		abort();
	return le32_to_cpu(ev->stream);
}

unsigned int slots_raised(const struct slots *slots)
{
	return slots->raised;
}

bool slots_pass(struct slots *slots, unsigned int stream, unsigned int n)
{
	slots_need(slots, stream, n);
	return pass(&slots->stream[stream]);
}

void slots_need(struct slots *slots, unsigned int stream, unsigned int n)
{
	slots->stream[stream].need = n;
}

void slots_unstall(struct slots *slots, unsigned int stream)
{
	xiw_soft_event_unstall(&slots->vec, &slots->stream[stream].stream);
}

void slots_run_idle(struct slots *slots, unsigned int stream)
{
	xiw_soft_event_claimed(&slots->vec, &slots->stream[stream].stream);
	xiw_soft_event_wake(&slots->vec);
}

void slots_encrypt(struct slots *slots, unsigned int stream)
{
	slots->stream[stream].stream.tls = true;
}

void slots_poll(struct slots *slots)
{
	xiw_soft_streams_poll(&slots->vec, XIW_POLL_TURNS);
}

/* Do what xiw_soft_stream_serve() does. */
void slots_serve(struct slots *slots, unsigned int stream)
{
	if (!slots->stream[stream].kicked)
		abort();
	slots->stream[stream].kicked = false;
	xiw_soft_event_claimed(&slots->vec, &slots->stream[stream].stream);
	pass(&slots->stream[stream]);
	xiw_soft_event_wake(&slots->vec);
}

bool slots_woken(const struct slots *slots, unsigned int stream)
{
	return test_bit(XIW_PEND_QUEUED, &slots->stream[stream].stream.pending);
}

unsigned int slots_passes(const struct slots *slots)
{
	return slots->passes;
}

unsigned int slots_passed(const struct slots *slots, unsigned int i)
{
	return slots->passed[i];
}

unsigned int slots_got(const struct slots *slots, unsigned int stream)
{
	return slots->stream[stream].got;
}

unsigned int slots_references(const struct slots *slots, unsigned int stream)
{
	return refcount_read(&slots->stream[stream].stream.refs);
}
