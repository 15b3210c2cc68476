// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "polls.h"

#include "cm/cm.h"
#include "diag/counters.h"
#include "queue/cq.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "ring/vector.h"
#include "xiw.h"

#define POLLS_CALLS (4 * POLLS_CQS)
#define POLLS_WAITS 1000	/* if a task waits more often, the test aborts */

struct polls {
	struct xiw_device dev;
	struct xiw_rnic other;
	struct xiw_rnic_ops ops;
	struct xiw_cq cq[POLLS_CQS];
	u64 cq_ns[POLLS_CQS];
	u64 event_ns[1 << XIW_EVENT_LOG2];
	struct work_struct *queued;
	u64 clock;
	u32 written;
	unsigned int events, handlers, failures, waits;
	bool broken;			/* the RNIC will take an event back, or has done so */
	bool takes_back;
	unsigned int handler[POLLS_CALLS];
};

static struct task_struct polls_task;
struct task_struct *current = &polls_task;
unsigned long xiw_test_locks;
bool xiw_test_task, xiw_test_idle;
static struct polls *polls_now;

/* ------------------------------------------------- functions that the driver calls */

u64 local_clock(void)
{
	return polls_now->clock;
}

bool queue_work(struct workqueue_struct *queue, struct work_struct *work)
{
	polls_now->queued = work;
	return true;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int most)
{
	return (struct workqueue_struct *)polls_now;
}

void destroy_workqueue(struct workqueue_struct *queue) {}

void xiw_test_wait(void)
{
	struct work_struct *work = polls_now->queued;
	struct xiw_vector *vec = polls_now->dev.vectors;

	if (polls_now->waits++ == POLLS_WAITS)
		abort();
	if (polls_now->takes_back)
		vec->ring[vec->head & ((1 << XIW_EVENT_LOG2) - 1)].flags ^= XIW_EVENT_PHASE;
	polls_now->takes_back = false;
	polls_now->queued = NULL;
	if (work)
		work->func(work);
	if (polls_scheduled(polls_now))
		polls_run(polls_now);
}

void xiw_stream_event(struct xiw_vector *vec, const struct xiw_event *event)
{
	polls_now->clock += polls_now->event_ns[le32_to_cpu(event->stream)];
	polls_now->events++;
}

void xiw_cq_notify(struct xiw_cq *cq)
{
	unsigned int i = cq - polls_now->cq;

	if (polls_now->handlers == POLLS_CALLS)
		abort();
	polls_now->handler[polls_now->handlers++] = i;
	polls_now->clock += polls_now->cq_ns[i];
}

static void *polls_alloc(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp)
{
	void *memory = calloc(1, size);

	*bus = (uintptr_t)memory;
	return memory;
}

static void polls_free_memory(struct xiw_rnic *rnic, size_t size, void *memory, u64 bus)
{
	free(memory);
}

/*
 * When the driver arms the vector, the RNIC raises an interrupt if there is an event. A write to
 * the doorbell of a TX ring polls the vector, as softirqs do at the end of a real send.
 */
static void polls_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	if (kind == XIW_DB_TX_REQUEST) {
		xiw_test_task = false;
		polls_run_all(polls_now);
	}
	if (kind == XIW_DB_EVENT_ARM && value != polls_now->written)
		xiw_rnic_interrupt(rnic, index);
}

int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	return 0;
}

void xiw_device_fail(struct xiw_device *dev, const char *why)
{
	if (!polls_now->broken)
		abort();
	if (!atomic_xchg(&dev->failed, 1))
		polls_now->failures++;
}

void xiw_admin_completed(struct xiw_device *dev, const struct xiw_event *event) {}
void xiw_cm_conn_event(struct xiw_vector *vec, const struct xiw_event *event) {}

/* ---------------------------------------------------------------------- calls */

struct polls *polls_new(void)
{
	struct polls *polls = calloc(1, sizeof(*polls));
	unsigned int i;

	polls_now = polls;
	polls->ops.alloc = polls_alloc;
	polls->ops.free = polls_free_memory;
	polls->ops.doorbell = polls_doorbell;
	polls->dev.rnic.ops = &polls->ops;
	polls->other.ops = &polls->ops;
	if (xiw_vectors_add(&polls->dev, 1))
		abort();
	for (i = 0; i < POLLS_CQS; i++)
		polls->cq[i].vector = polls->dev.vectors;
	return polls;
}

void polls_free(struct polls *polls)
{
	xiw_vectors_remove(&polls->dev);
	free(polls);
}

void polls_event(struct polls *polls, uint8_t type, uint64_t ns)
{
	u32 slot = polls->written & ((1 << XIW_EVENT_LOG2) - 1);
	struct xiw_event *event = &polls->dev.vectors->ring[slot];

	*event = (struct xiw_event){
		.type = type,
		.flags = polls->written >> XIW_EVENT_LOG2 & 1 ? 0 : XIW_EVENT_PHASE,
		.stream = cpu_to_le32(slot),
	};
	polls->event_ns[slot] = ns;
	polls->written++;
	xiw_rnic_interrupt(&polls->dev.rnic, 0);
}

void polls_notify(struct polls *polls, unsigned int cq, uint64_t ns)
{
	polls->cq_ns[cq] = ns;
	xiw_vector_notify(&polls->cq[cq], false);
}

void polls_notify_urgent(struct polls *polls, unsigned int cq)
{
	xiw_vector_notify(&polls->cq[cq], true);
}

void polls_hurry(struct polls *polls)
{
	xiw_vector_hurry(polls->dev.vectors);
}

void polls_post(struct polls *polls, bool other)
{
	xiw_test_task = true;
	xiw_vector_request(other ? &polls->other : &polls->dev.rnic, 0, 0);
}

bool polls_timing(const struct polls *polls)
{
	return polls->dev.vectors->lazy.started;
}

void polls_expire(struct polls *polls, bool idle)
{
	struct hrtimer *timer = &polls->dev.vectors->lazy;

	xiw_test_idle = idle;
	timer->started = false;
	timer->function(timer);
}

bool polls_woken(struct polls *polls)
{
	bool woken = polls->queued;

	polls->queued = NULL;
	return woken;
}

int polls_run(struct polls *polls)
{
	struct napi_struct *napi = &polls->dev.vectors->napi;

	return napi->poll(napi, POLLS_BUDGET);
}

void polls_run_all(struct polls *polls)
{
	while (polls_scheduled(polls))
		polls_run(polls);
}

void polls_flush(struct polls *polls)
{
	xiw_vector_flush(polls->dev.vectors);
}

void polls_take_back(struct polls *polls)
{
	polls->broken = true;
	polls->takes_back = true;
}

unsigned int polls_waits(const struct polls *polls)
{
	return polls->waits;
}

unsigned int polls_failures(const struct polls *polls)
{
	return polls->failures;
}

unsigned int polls_events(const struct polls *polls)
{
	return polls->events;
}

unsigned int polls_handlers(const struct polls *polls)
{
	return polls->handlers;
}

unsigned int polls_handler(const struct polls *polls, unsigned int call)
{
	return polls->handler[call];
}

bool polls_scheduled(const struct polls *polls)
{
	return polls->dev.vectors->napi.scheduled;
}
