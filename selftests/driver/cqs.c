// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cqs.h"

#include "diag/counters.h"
#include "queue/array.h"
#include "queue/cq.h"
#include "queue/user.h"
#include "rdmap/stream.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

int xiw_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);

struct cqs {
	struct xiw_device dev;
	struct xiw_vector vector;
	struct xiw_cq cq;
	struct xiw_qp qp[CQS_QPS];
	struct xiw_user_area area;
	struct xiw_abi_ring mapped;
	struct work_struct *scheduled;
	struct xiw_cq *queued;
	unsigned int errors;
	bool hurried, urgent;
};

static struct task_struct cqs_task;
struct task_struct *current = &cqs_task;
unsigned long xiw_test_locks;
bool xiw_test_task;
static struct cqs *cqs_now;

/* ------------------------------------------------- functions that the driver calls */

bool queue_work(struct workqueue_struct *queue, struct work_struct *work)
{
	/* Require the driver's workqueue. Work on a system workqueue may outlive the module. */
	if (queue != cqs_now->dev.wq || cqs_now->scheduled)
		abort();
	cqs_now->scheduled = work;
	return true;
}

void xiw_qp_abort(struct xiw_qp *qp)
{
	qp->state = XIW_QPS_ERROR;
}

static void event_handler(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_CQ_ERR)
		cqs_now->errors++;
}

void *xiw_array_alloc(size_t n, size_t size, gfp_t gfp)
{
	return calloc(n, size);
}

size_t xiw_array_room(size_t n, size_t size)
{
	return n;
}

void xiw_array_free(void *array, size_t n, size_t size)
{
	free(array);
}

void xiw_vector_notify(struct xiw_cq *cq, bool urgent)
{
	cqs_now->queued = cq;
	cqs_now->urgent = urgent;
}

void xiw_vector_hurry(struct xiw_vector *vec)
{
	cqs_now->hurried = true;
}
void xiw_vector_flush(struct xiw_vector *vec) {}

/* The driver creates no CQ for a user in this test. cqs_consume() lets a user map the CQ later. */
int xiw_user_request(struct ib_udata *udata)
{
	return -EINVAL;
}
struct xiw_user_area *xiw_user_area_new(struct ib_udata *udata, u32 depth, u32 stride,
					u32 max_sge)
{
	return NULL;
}
void xiw_user_area_free(struct xiw_user_area *area) {}
void xiw_user_area_tell(const struct xiw_user_area *area, struct xiw_abi_queue *queue) {}
void xiw_user_cq_put(struct xiw_user_area *area, u32 index, const struct xiw_cqe *cqe) {}
u32 xiw_user_cq_armed(struct xiw_user_area *area)
{
	return 0;
}

/* ---------------------------------------------------------------------- calls */

struct cqs *cqs_new(unsigned int entries)
{
	const struct ib_cq_init_attr attr = { .cqe = entries };
	struct cqs *cqs = calloc(1, sizeof(*cqs));
	unsigned int i;

	cqs->dev.wq = (struct workqueue_struct *)cqs;
	cqs->dev.vectors = &cqs->vector;
	cqs->dev.num_vectors = 1;
	cqs->cq.ibcq.device = &cqs->dev.ibdev;
	cqs->cq.ibcq.event_handler = event_handler;
	if (xiw_create_cq(&cqs->cq.ibcq, &attr, NULL))
		abort();
	for (i = 0; i < CQS_QPS; i++) {
		cqs->qp[i].ibqp.send_cq = &cqs->cq.ibcq;
		cqs->qp[i].ibqp.recv_cq = &cqs->cq.ibcq;
		list_add_tail(&cqs->qp[i].send_link, &cqs->cq.senders);
		list_add_tail(&cqs->qp[i].recv_link, &cqs->cq.receivers);
		cqs->qp[i].state = XIW_QPS_RTS;
	}
	return cqs;
}

void cqs_free(struct cqs *cqs)
{
	xiw_destroy_cq(&cqs->cq.ibcq, NULL);
	free(cqs);
}

unsigned int cqs_size(const struct cqs *cqs)
{
	return cqs->cq.size;
}

void cqs_push(struct cqs *cqs, unsigned int qp, uint64_t id)
{
	const struct xiw_cqe cqe = { .wr_id = id, .qp = &cqs->qp[qp].ibqp };

	cqs_now = cqs;
	xiw_cq_push(&cqs->cq, &cqe, false);
}

static void push(struct cqs *cqs, enum cqs_kind kind, bool flushed)
{
	static const u8 opcodes[] = {
		[CQS_SEND] = IB_WC_SEND,
		[CQS_WRITE] = IB_WC_RDMA_WRITE,
		[CQS_READ] = IB_WC_RDMA_READ,
		[CQS_RECEIVE] = IB_WC_RECV,
	};
	const struct xiw_cqe cqe = {
		.qp = &cqs->qp[0].ibqp,
		.opcode = opcodes[kind],
		.status = flushed ? IB_WC_WR_FLUSH_ERR : IB_WC_SUCCESS,
	};

	cqs_now = cqs;
	xiw_cq_push(&cqs->cq, &cqe, false);
}

bool cqs_hurries(struct cqs *cqs, enum cqs_kind kind, bool flushed)
{
	cqs->hurried = false;
	push(cqs, kind, flushed);
	return cqs->hurried;
}

bool cqs_queues(struct cqs *cqs, enum cqs_kind kind, bool flushed)
{
	uint64_t id;

	cqs->queued = NULL;
	xiw_req_notify_cq(&cqs->cq.ibcq, IB_CQ_NEXT_COMP);
	xiw_test_task = true;
	push(cqs, kind, flushed);
	xiw_test_task = false;
	if (cqs->queued)
		xiw_cq_notify(cqs->queued);
	if (!cqs_poll(cqs, &id))
		abort();
	return cqs->queued;
}

bool cqs_urgent(const struct cqs *cqs)
{
	return cqs->urgent;
}

void cqs_moderate(struct cqs *cqs, unsigned int count)
{
	if (xiw_modify_cq(&cqs->cq.ibcq, count, 100))
		abort();
}

void cqs_sleep(void)
{
	cqs_task.nvcsw++;
}

bool cqs_poll(struct cqs *cqs, uint64_t *id)
{
	struct ib_wc wc;

	if (!xiw_poll_cq(&cqs->cq.ibcq, 1, &wc))
		return false;
	*id = wc.wr_id;
	return true;
}

void cqs_consume(struct cqs *cqs, uint32_t consumer)
{
	cqs->mapped.consumer = consumer;
	cqs->area.ring = &cqs->mapped;
	cqs->cq.user = &cqs->area;
}

unsigned int cqs_used(const struct cqs *cqs)
{
	return xiw_cq_entries(&cqs->cq);
}

void cqs_clean(struct cqs *cqs, unsigned int qp)
{
	xiw_cq_clean(&cqs->cq, &cqs->qp[qp].ibqp);
}

void cqs_discard(struct cqs *cqs, unsigned int qp, bool discards)
{
	cqs->qp[qp].discards = discards;
}

void cqs_reconnect(struct cqs *cqs, unsigned int qp)
{
	cqs->qp[qp].state = XIW_QPS_RTS;
}

void cqs_work(struct cqs *cqs)
{
	struct work_struct *work = cqs->scheduled;

	cqs_now = cqs;
	cqs->scheduled = NULL;
	if (work)
		work->func(work);
}

unsigned int cqs_errors(const struct cqs *cqs)
{
	return cqs->errors;
}

bool cqs_ended(const struct cqs *cqs, unsigned int qp)
{
	return cqs->qp[qp].state == XIW_QPS_ERROR;
}
