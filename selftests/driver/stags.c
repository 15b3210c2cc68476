// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stags.h"

#include "core/opcode.h"
#include "diag/capture.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"

#define PD 7
#define KEY 0x5a
#define CLEAR_TAG 99

struct stags {
	struct xiw_soft soft;
	struct xiw_soft_stream stream[STAGS_STREAMS];
	struct xiw_soft_ref pass[STAGS_STREAMS];
	struct xiw_stag_entry entries[XIW_STAG_CHUNK];
	u32 used;
	u8 memory[STAGS_LENGTH];
	struct xiw_stream_ctx ctx[STAGS_STREAMS];
	struct xiw_record record[STAGS_STREAMS][XIW_RECORDER_SLOTS];
	struct xiw_stats_block stats;
	unsigned int woken[STAGS_STREAMS], answered, events;
	bool no_receive;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct stags *stags_now;

/* ------------------------------------------- functions that the STag table calls */

void xiw_soft_stream_defer(struct xiw_soft_stream *s, enum xiw_soft_pending why)
{
	if (why == XIW_PEND_INV_TX || why == XIW_PEND_INV_RX)
		stags_now->woken[s->index]++;
}

void xiw_soft_admin_done(struct xiw_soft *soft, u32 tag, enum xiw_status status)
{
	if (tag != CLEAR_TAG || status != XIW_OK)
		abort();
	stags_now->answered++;
}

/* ------------------------------- functions that the receiver of segments calls */

struct static_key_false_deferred xiw_capture_key;

void xiw_capture_segment(struct xiw_rnic *rnic, u32 stream, u32 flags,
			 const struct xiw_span *spans, u32 count, u32 at, u32 length)
{
	abort();
}

enum xiw_fault xiw_soft_place_tagged(struct xiw_soft_stream *s, const struct xiw_soft_source *from,
				     u32 stag, u64 to, u8 access)
{
	abort();
}

void xiw_soft_place_bus(const struct xiw_soft_source *from, u64 to)
{
	abort();
}

enum xiw_status xiw_soft_place_value(struct xiw_soft_stream *s, const struct xiw_soft_source *from,
				     const struct xiw_solicited_entry *sink)
{
	abort();
}

enum xiw_fault xiw_soft_place_receive(struct xiw_soft_stream *s,
				      const struct xiw_soft_source *from)
{
	return XIW_FAULT_NONE;
}

void xiw_soft_receive_unpark(struct xiw_soft_stream *s)
{
}

bool xiw_soft_receive_take(struct xiw_soft_stream *s)
{
	return s->rx.recv.taken = !stags_now->no_receive;
}

bool xiw_soft_event_reserve(struct xiw_soft_vector *vec, unsigned int n)
{
	return true;
}

void xiw_soft_event_stall(struct xiw_soft_vector *vec, struct xiw_soft_stream *s, unsigned int n)
{
	abort();
}

void xiw_soft_event_commit(struct xiw_soft_vector *vec, const struct xiw_event *ev, size_t size)
{
	stags_now->events++;
}

void xiw_soft_stream_state(struct xiw_soft_stream *s, u32 bits)
{
	abort();
}

void xiw_soft_stream_state_reserved(struct xiw_soft_stream *s, u32 bits)
{
	abort();
}

/* ---------------------------------------------------- functions that the test calls */

struct stags *stags_new(void)
{
	struct stags *t = calloc(1, sizeof(*t));
	u32 i;

	if (!t)
		abort();
	stags_now = t;
	t->soft.stats = &t->stats;
	xiw_opcode_match(t->soft.match);
	t->soft.stags = calloc(XIW_SOFT_STAG_CHUNKS, sizeof(*t->soft.stags));
	if (!t->soft.stags || xiw_soft_stag_chunk(&t->soft, 0, t->entries))
		abort();
	for (i = 0; i < STAGS_STREAMS; i++) {
		struct xiw_soft_stream *s = &t->stream[i];

		s->soft = &t->soft;
		s->index = i;
		s->pd = PD;
		s->ctx = &t->ctx[i];
		s->recorder.record = t->record[i];
		s->rx.first_seen = true;
		s->rx.core.match = t->soft.match;
		xiw_ddp_rx_init(&s->rx.core.ddp, 1, 0);
		t->soft.streams.slot[i] = s;
	}
	return t;
}

void stags_free(struct stags *t)
{
	xiw_soft_stags_free(&t->soft);
	free(t);
}

static struct xiw_stag_entry region_entry(struct stags *t)
{
	return (struct xiw_stag_entry){
		.state = XIW_STAG_VALID,
		.key = KEY,
		.access = XIW_ACCESS_LOCAL_WRITE | XIW_ACCESS_REMOTE_WRITE | XIW_ACCESS_BIND,
		.pd = cpu_to_le32(PD),
		.flags = cpu_to_le32(XIW_STAGF_LINEAR | XIW_STAGF_REMOTE_INV),
		.length = cpu_to_le64(STAGS_LENGTH),
		.pages = cpu_to_le64((uintptr_t)t->memory),
	};
}

static struct xiw_stag_entry window_entry(u32 region)
{
	return (struct xiw_stag_entry){
		.state = XIW_STAG_VALID,
		.key = KEY,
		.access = XIW_ACCESS_REMOTE_WRITE,
		.pd = cpu_to_le32(PD),
		.flags = cpu_to_le32(XIW_STAGF_WINDOW),
		.length = cpu_to_le64(STAGS_LENGTH),
		.parent = cpu_to_le32(region),
	};
}

static u32 set(struct stags *t, const struct xiw_stag_entry *entry)
{
	const u32 stag = ++t->used << 8 | KEY;

	if (xiw_soft_stag_set(&t->soft, stag, entry, NULL))
		abort();
	return stag;
}

uint32_t stags_region(struct stags *t)
{
	const struct xiw_stag_entry entry = region_entry(t);

	return set(t, &entry);
}

uint32_t stags_window(struct stags *t, uint32_t region)
{
	const struct xiw_stag_entry entry = window_entry(region);

	return set(t, &entry);
}

int stags_register(struct stags *t, unsigned int stream, uint32_t stag)
{
	const struct xiw_stag_entry entry = region_entry(t);

	return xiw_soft_stag_set(&t->soft, stag, &entry, &t->stream[stream]);
}

int stags_bind(struct stags *t, unsigned int stream, uint32_t stag, uint32_t region)
{
	const struct xiw_stag_entry entry = window_entry(region);

	return xiw_soft_stag_set(&t->soft, stag, &entry, &t->stream[stream]);
}

uint8_t stags_state(const struct stags *t, uint32_t stag)
{
	return t->entries[xiw_stag_index(stag)].state;
}

bool stags_place(struct stags *t, unsigned int stream, uint32_t stag)
{
	struct xiw_soft_ref *pass = &t->pass[stream];
	void *va;

	if (xiw_soft_stag_check(&t->stream[stream], pass, t->stream[stream].pd, stag, 0,
				STAGS_LENGTH, XIW_ACCESS_REMOTE_WRITE))
		return false;
	if (xiw_soft_stag_span(pass, 0, STAGS_LENGTH, &va) != STAGS_LENGTH || va != t->memory)
		abort();
	return true;
}

void stags_pass_over(struct stags *t, unsigned int stream)
{
	xiw_soft_stag_put(&t->soft, &t->pass[stream]);
}

/*
 * Let a stream receive an untagged segment. Return: false if the stream must process the segment
 * again later.
 */
static bool receive(struct xiw_soft_stream *s, enum xiw_opcode opcode, u32 stag, u32 msn)
{
	u8 ulpdu[XIW_DDP_UNTAGGED_LEN], octets[64];
	const struct xiw_span part = { ulpdu, sizeof(ulpdu) };
	struct xiw_framing sender = { .crc = true };
	const struct xiw_span fpdu = { octets, sizeof(octets) };
	struct xiw_frame frame;

	xiw_ddp_put_untagged(ulpdu, xiw_rdmap_ctrl(opcode), true, stag, XIW_QN_SEND,
			     msn, 0);
	xiw_fpdu_encode(octets, &sender, &part, 1);
	s->rx.framing.crc = true;
	xiw_frame_peek(&frame, &s->rx.framing, octets);
	return xiw_soft_segment(s, &fpdu, 1, &frame, false);
}

unsigned int stags_receive_invalidation(struct stags *t, unsigned int stream, uint32_t stag)
{
	if (!receive(&t->stream[stream], XIW_OP_SEND_INV, stag, XIW_DDP_FIRST_MSN))
		abort();
	return t->events;
}

void stags_park(struct stags *t, unsigned int stream)
{
	struct xiw_soft_stream *s = &t->stream[stream];

	t->no_receive = true;
	s->attached = true;
	s->park_ms = 1000;
	if (receive(s, XIW_OP_SEND, 0, XIW_DDP_FIRST_MSN) || !s->rx.parked)
		abort();
}

bool stags_send(struct stags *t, unsigned int stream, unsigned int nth, bool posted)
{
	t->no_receive = !posted;
	/* A stream that is woken clears this flag before it processes the segment again. */
	t->stream[stream].rx.parked = false;
	return receive(&t->stream[stream], XIW_OP_SEND, 0, XIW_DDP_FIRST_MSN + nth);
}

bool stags_wait_over(struct stags *t, unsigned int stream)
{
	xiw_soft_rx_wait_over(&t->stream[stream]);
	return t->stream[stream].rx.park_over;
}

void stags_expire(struct stags *t, unsigned int stream)
{
	timer_delete(&t->stream[stream].wait);
}

int stags_invalidate(struct stags *t, unsigned int stream, uint32_t stag)
{
	return xiw_soft_stag_invalidate(&t->stream[stream], stag, false, XIW_PEND_INV_TX);
}

int stags_clear(struct stags *t, uint32_t stag)
{
	return xiw_soft_stag_clear(&t->soft, stag, CLEAR_TAG);
}

void stags_forget(struct stags *t, unsigned int stream, uint32_t stag)
{
	xiw_soft_stag_forget(&t->stream[stream], stag);
}

unsigned int stags_woken(const struct stags *t, unsigned int stream)
{
	return t->woken[stream];
}

unsigned int stags_answered(const struct stags *t)
{
	return t->answered;
}
