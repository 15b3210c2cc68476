// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "receives.h"

#include "queue/srq.h"
#include "queue/user.h"
#include "queue/wr.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "ring/vector.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "xiw.h"

#define STRIDE sizeof(struct xiw_abi_recv)
#define PD 7
#define LOG2_RING 12		/* log2 of the octets of RECEIVES_RING slots with one SGE each */

struct area {
	struct xiw_user_area area;
	struct xiw_abi_ring ring;
	struct xiw_abi_recv slots[RECEIVES_DEPTH];
	struct ib_sge sge;
	u64 next;
};

struct receives {
	struct xiw_device dev;
	struct xiw_rnic_ops ops;
	struct xiw_cq cq;
	struct xiw_qp qp;
	struct xiw_stream_ctx ctx;
	struct xiw_rqe wr[RECEIVES_RING];
	u8 ring[1 << LOG2_RING] __aligned(16);
	struct xiw_srq srq;
	struct xiw_pd pd;
	struct area user, shared;
	unsigned int done, limits;
	struct xiw_cqe cqes[4 * RECEIVES_DEPTH];
	bool failed;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct receives *receives_now;

/* ------------------------------------------------- functions that the driver calls */

void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited)
{
	if (receives_now->done == ARRAY_SIZE(receives_now->cqes))
		abort();
	receives_now->cqes[receives_now->done++] = *cqe;
}

void xiw_stream_abort(struct xiw_qp *qp)
{
	receives_now->failed = true;
}

void xiw_stream_broken(struct xiw_qp *qp, const char *why)
{
	receives_now->failed = true;
}

static void event_handler(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		receives_now->limits++;
	else
		receives_now->failed = true;
}

static void *ring_alloc(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp)
{
	return calloc(1, size);
}

static void ring_free(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus)
{
	free(mem);
}

int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	if (cmd->op == XIW_ADM_SHARED_RX_CREATE &&
	    (cmd->ring.log2_entries != ilog2(RECEIVES_RING) || le32_to_cpu(cmd->ring.pd) != PD))
		abort();
	return 0;
}

void xiw_admin_revoke(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
}

int xiw_user_request(struct ib_udata *udata)
{
	return 0;
}

static struct xiw_user_area *area_init(struct area *area, u32 depth)
{
	if (depth != RECEIVES_DEPTH)
		abort();
	area->area.ring = &area->ring;
	area->area.slots = (u8 *)area->slots;
	area->area.mask = RECEIVES_DEPTH - 1;
	area->area.stride = STRIDE;
	area->area.depth = RECEIVES_DEPTH;
	area->area.low = RECEIVES_BATCH;
	area->area.sges = &area->sge;
	xiw_user_want_bell(&area->area);
	return &area->area;
}

struct xiw_user_area *xiw_user_area_new(struct ib_udata *udata, u32 depth, u32 stride,
					u32 max_sge)
{
	return area_init(&receives_now->shared, depth);
}

void xiw_user_area_free(struct xiw_user_area *area) {}
void xiw_user_area_tell(const struct xiw_user_area *area, struct xiw_abi_queue *queue) {}
static void doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value) {}

u32 xiw_share_caller(void)
{
	return XIW_SHARE_NOBODY;
}

int xiw_share_take(struct xiw_device *dev, u32 user, enum xiw_shared what)
{
	return 0;
}

void xiw_share_give(struct xiw_device *dev, u32 user, enum xiw_shared what) {}

/* The test sends nothing. */
int xiw_sq_post_one(struct xiw_qp *qp, const struct ib_send_wr *wr)
{
	return -EINVAL;
}

/* ---------------------------------------------------------------------- calls */

struct receives *receives_new(void)
{
	struct ib_srq_init_attr attr = { .attr.max_wr = RECEIVES_DEPTH, .attr.max_sge = 1 };
	struct receives *r = calloc(1, sizeof(*r));
	struct ib_udata udata;

	if (!r)
		abort();
	receives_now = r;
	r->ops.rx_log2_size = LOG2_RING;
	r->ops.alloc = ring_alloc;
	r->ops.free = ring_free;
	r->ops.doorbell = doorbell;
	r->dev.rnic.ops = &r->ops;
	r->dev.rnic.caps.max_gather = 1;
	r->dev.rnic.caps.max_shared_rx = cpu_to_le32(1);
	r->qp.dev = &r->dev;
	r->qp.ctx = &r->ctx;
	r->qp.rq = r->ring;
	r->qp.rq_wr = r->wr;
	r->qp.rq_depth = RECEIVES_DEPTH;
	r->qp.rq_log2_slot = xiw_rx_log2_slot(1);
	r->qp.rq_mask = xiw_rx_slots(&r->dev.rnic, RECEIVES_DEPTH, r->qp.rq_log2_slot, true) - 1;
	if (r->qp.rq_mask != RECEIVES_RING - 1)
		abort();
	r->qp.max_recv_sge = 1;
	r->qp.user_rq = area_init(&r->user, RECEIVES_DEPTH);
	r->qp.ibqp.recv_cq = &r->cq.ibcq;
	r->srq.ibsrq.device = &r->dev.ibdev;
	r->pd.id = PD;
	r->srq.ibsrq.pd = &r->pd.ibpd;
	r->srq.ibsrq.event_handler = event_handler;
	if (xiw_create_srq(&r->srq.ibsrq, &attr, &udata))
		abort();
	return r;
}

void receives_free(struct receives *r)
{
	xiw_destroy_srq(&r->srq.ibsrq, NULL);
	free(r);
}

static void post(struct area *area, unsigned int n)
{
	while (n--)
		area->slots[area->ring.producer++ % RECEIVES_DEPTH] = (struct xiw_abi_recv){
			.wr_id = area->next++,
		};
}

void receives_post(struct receives *r, unsigned int n)
{
	const struct ib_recv_wr *bad;

	post(&r->user, n);
	if (r->user.ring.bell && xiw_post_recv(&r->qp.ibqp, NULL, &bad))
		r->failed = true;
}

unsigned int receives_given(const struct receives *r)
{
	return le32_to_cpu(r->ctx.rx_tail);
}

uint64_t receives_slot(const struct receives *r, unsigned int index)
{
	return r->wr[index % RECEIVES_RING].wr_id;
}

void receives_use(struct receives *r)
{
	struct xiw_cqe cqe = { .status = IB_WC_SUCCESS, .opcode = IB_WC_RECV };

	xiw_rq_complete(&r->qp, r->qp.rq_head % RECEIVES_RING, &cqe, false);
}

void receives_refuse(struct receives *r)
{
	xiw_rq_name(&r->qp, IB_WC_LOC_LEN_ERR);
}

void receives_flush(struct receives *r)
{
	xiw_rq_flush(&r->qp);
}

void receives_share(struct receives *r, unsigned int n)
{
	const struct ib_recv_wr *bad;

	post(&r->shared, n);
	if (r->shared.ring.bell && xiw_post_srq_recv(&r->srq.ibsrq, NULL, &bad))
		r->failed = true;
}

unsigned int receives_shared_given(const struct receives *r)
{
	return le32_to_cpu(r->srq.ctx->rx_tail);
}

void receives_join(struct receives *r)
{
	xiw_srq_join(&r->srq);
}

unsigned int receives_take(struct receives *r)
{
	u32 head = le32_to_cpu(r->srq.ctx->rx_head);
	const u8 *slot = r->srq.ring + ((size_t)(head % RECEIVES_RING) << r->srq.log2_slot);

	if (head == le32_to_cpu(r->srq.ctx->rx_tail))
		abort();
	r->srq.ctx->rx_head = cpu_to_le32(head + 1);
	return le32_to_cpu(((const struct xiw_rx_desc *)slot)->cookie);
}

void receives_end(struct receives *r, unsigned int cookie)
{
	struct xiw_cqe cqe = { .status = IB_WC_SUCCESS, .opcode = IB_WC_RECV };

	if (xiw_srq_consumed(&r->srq, cookie, &cqe))
		xiw_cq_push(&r->cq, &cqe, false);
	else
		r->failed = true;
}

void receives_report(struct receives *r, uint32_t taken)
{
	r->srq.ctx->rx_head = cpu_to_le32(taken);
}

void receives_arm(struct receives *r, unsigned int limit)
{
	struct ib_srq_attr attr = { .srq_limit = limit };

	if (xiw_modify_srq(&r->srq.ibsrq, &attr, IB_SRQ_LIMIT, NULL))
		abort();
}

unsigned int receives_limits(const struct receives *r)
{
	return r->limits;
}

unsigned int receives_done(const struct receives *r)
{
	return r->done;
}

uint64_t receives_id(const struct receives *r, unsigned int i)
{
	return r->cqes[i].wr_id;
}

bool receives_flushed(const struct receives *r, unsigned int i)
{
	return r->cqes[i].status == IB_WC_WR_FLUSH_ERR;
}

bool receives_refused(const struct receives *r, unsigned int i)
{
	return r->cqes[i].status == IB_WC_LOC_LEN_ERR;
}

bool receives_failed(const struct receives *r)
{
	return r->failed;
}
