// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bench.h"

#include "core/term.h"
#include "diag/capture.h"
#include "diag/counters.h"
#include "diag/latency.h"
#include "diag/notice.h"
#include "queue/srq.h"
#include "queue/tx_ring.h"
#include "queue/user.h"
#include "queue/wr.h"
#include "rdmap/stream.h"
#include "ring/stag_table.h"
#include "ring/vector.h"
#include "verbs/mr.h"
#include "xiw.h"

#define NOTES 1024
#define SQ_DEPTH 512
#define SQ_STRIDE 256
#define UNITS 32

struct bench {
	struct xiw_device dev;
	struct xiw_rnic_ops ops;
	struct xiw_vector vector;
	struct xiw_pd pd;
	struct xiw_cq cq;
	struct xiw_qp qp;
	struct xiw_stream_ctx ctx;
	struct xiw_rqe receives[BENCH_RECEIVES];
	u8 sq[SQ_DEPTH * SQ_STRIDE] __aligned(16);
	u8 rings[XIW_TXQ_COUNT][UNITS * XIW_TX_UNIT] __aligned(16);
	struct bench_note notes[NOTES];
	unsigned int count;
	/* number of completions since a spinlock was last taken, and the maximum of this number */
	unsigned int pushed, longest;
	unsigned long locks;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct bench *bench_now;

static void note(enum bench_what what, u64 id, u32 value)
{
	if (bench_now->count == NOTES)
		abort();
	bench_now->notes[bench_now->count++] = (struct bench_note){ what, id, value };
}

/* ------------------------------------------------- functions that the driver calls */

void xiw_device_fail(struct xiw_device *dev, const char *why)
{
	dev->failed.value = 1;
	note(BENCH_DEVICE_FAILED, 0, 0);
}

void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited)
{
	struct bench *bench = bench_now;

	if (bench->locks != xiw_test_locks)
		bench->pushed = 0;
	bench->locks = xiw_test_locks;
	bench->longest = max(bench->longest, ++bench->pushed);
	note(BENCH_COMPLETION, cqe->wr_id, cqe->status);
}

void __xiw_count_many(struct xiw_device *dev, enum xiw_counter counter, unsigned int n)
{
	if (counter == XIW_CNT_RNIC_ERROR)
		note(BENCH_RNIC_ERROR, 0, n);
}

void xiw_cm_stream_disconnect(struct xiw_qp *qp)
{
	note(BENCH_DISCONNECT, 0, 0);
}

void xiw_cm_stream_stopped(struct xiw_qp *qp)
{
	note(BENCH_STOPPED, 0, 0);
}

void xiw_peer_awaited(struct xiw_qp *qp)
{
}

static void doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	if (kind == XIW_DB_STREAM)
		note(BENCH_ORDER, 0, value);
}

void xiw_vector_request(struct xiw_rnic *rnic, u32 stream, u32 value)
{
	doorbell(rnic, XIW_DB_TX_REQUEST, stream, value);
}

static void event_handler(struct ib_event *event, void *context)
{
	note(BENCH_EVENT, 0, event->event);
}

/* A bench has no measurements, captures, shared queues, STags or subscribers to events. */
void xiw_count_fault(struct xiw_device *dev, enum xiw_fault fault) {}
void xiw_notice_terminate(struct xiw_qp *qp, enum xiw_nl_origin origin, const u8 *term,
			  u32 length) {}
void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why) {}
void xiw_notice_crc_error(struct xiw_qp *qp) {}
void xiw_notice_state(struct xiw_qp *qp, u8 to) {}
void xiw_capture_message(struct xiw_rnic *rnic, u32 stream, const struct xiw_recorder *recorder,
			 const void *behind, u32 behind_length) {}
bool xiw_recorder_descriptor(struct xiw_recorder *recorder, const struct xiw_tx_desc *desc)
{
	return false;
}
bool xiw_recorder_event(struct xiw_recorder *recorder, const struct xiw_event *event)
{
	return false;
}
void xiw_latency_count(struct xiw_device *dev, const struct xiw_sqe *sqe) {}
void xiw_user_want_bell(struct xiw_user_area *area) {}
void xiw_user_sq_connection(struct xiw_qp *qp, bool up) {}
int xiw_user_sq_take(struct xiw_qp *qp, u32 most)
{
	return 0;
}
int xiw_user_rq_take(struct xiw_qp *qp, u32 most)
{
	return 0;
}
bool xiw_srq_consumed(struct xiw_srq *srq, u32 cookie, struct xiw_cqe *cqe)
{
	return false;
}
int xiw_wr_encode(struct xiw_qp *qp, struct xiw_sqe *sqe, const struct ib_send_wr *wr, u32 cookie)
{
	return -EINVAL;
}
void xiw_wr_encode_immediate(struct xiw_tx_desc *desc, const u8 *imm, bool solicited) {}
void xiw_stag_find(struct xiw_device *dev, u32 stag, struct xiw_stag_found *found)
{
	memset(found, 0, sizeof(*found));
}

/* --------------------------------------------------------------------- events */

static void event(struct bench *bench, struct xiw_event *ev)
{
	ev->stream = cpu_to_le32(BENCH_STREAM);
	bench_now = bench;
	xiw_stream_event(&bench->vector, ev);
}

void bench_state(struct bench *bench, uint32_t bits)
{
	struct xiw_event ev = { .type = XIW_EV_STATE };

	ev.state.bits = cpu_to_le32(bits);
	ev.state.rx_taken = cpu_to_le32(XIW_RX_NONE);
	event(bench, &ev);
}

void bench_send(struct bench *bench, uint32_t cookie, uint32_t length)
{
	struct xiw_event ev = { .type = XIW_EV_MESSAGE };

	ev.message.queue = XIW_QN_SEND;
	ev.message.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_SEND);
	ev.message.cookie = cpu_to_le32(cookie);
	ev.message.length = cpu_to_le32(length);
	event(bench, &ev);
}

void bench_message(struct bench *bench, uint8_t queue, uint8_t opcode)
{
	struct xiw_event ev = { .type = XIW_EV_MESSAGE };

	ev.message.queue = queue;
	ev.message.rdmap_ctrl = xiw_rdmap_ctrl(opcode);
	event(bench, &ev);
}

static void terminate(struct bench *bench, enum xiw_fault fault)
{
	struct xiw_event ev = { .type = XIW_EV_MESSAGE };

	ev.message.queue = XIW_QN_TERMINATE;
	ev.message.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_TERMINATE);
	ev.message.length = cpu_to_le32(xiw_term_build(ev.message.data, xiw_fault_code(fault),
						       NULL, 0, 0));
	event(bench, &ev);
}

void bench_terminate(struct bench *bench)
{
	terminate(bench, XIW_FAULT_RDMA_STREAM);
}

void bench_left(struct bench *bench)
{
	terminate(bench, XIW_FAULT_RDMA_LOCAL);
}

void bench_solicited(struct bench *bench, uint32_t cookie)
{
	struct xiw_event ev = { .type = XIW_EV_SOLICITED };

	ev.solicited.cookie = cpu_to_le32(cookie);
	event(bench, &ev);
}

static void tx(struct bench *bench, uint8_t type, uint8_t queue, uint32_t index)
{
	struct xiw_event ev = { .type = type, .queue = queue };

	ev.status = type == XIW_EV_TX_ERROR ? XIW_ERR_STAG : XIW_OK;
	ev.tx.index = cpu_to_le32(index);
	event(bench, &ev);
}

void bench_tx_done(struct bench *bench, uint8_t queue, uint32_t index)
{
	tx(bench, XIW_EV_TX_DONE, queue, index);
}

void bench_tx_error(struct bench *bench, uint8_t queue, uint32_t index)
{
	tx(bench, XIW_EV_TX_ERROR, queue, index);
}

void bench_error(struct bench *bench)
{
	struct xiw_event ev = { .type = XIW_EV_ERROR };

	ev.error.layer = 2;
	ev.error.code = 2;	/* CRC */
	event(bench, &ev);
}

/* ---------------------------------------------------------------------- bench */

struct bench *bench_new(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct xiw_qp *qp = &bench->qp;
	unsigned int i;

	bench->ops.doorbell = doorbell;
	bench->dev.rnic.ops = &bench->ops;
	bench->dev.rnic.caps.max_streams = cpu_to_le32(XIW_TEST_XARRAY);
	bench->dev.qps.slot[BENCH_STREAM] = qp;
	bench->vector.dev = &bench->dev;

	qp->dev = &bench->dev;
	qp->vector = &bench->vector;
	qp->stream = BENCH_STREAM;
	qp->refs.value = 1;
	qp->ibqp.device = &bench->dev.ibdev;
	qp->ibqp.pd = &bench->pd.ibpd;
	qp->ibqp.send_cq = &bench->cq.ibcq;
	qp->ibqp.recv_cq = &bench->cq.ibcq;
	qp->ibqp.event_handler = event_handler;
	qp->ctx = &bench->ctx;
	qp->sq = bench->sq;
	qp->sq_depth = SQ_DEPTH;
	qp->sq_stride = SQ_STRIDE;
	qp->tx_units = UNITS;
	for (i = 0; i < XIW_TXQ_COUNT; i++)
		qp->tx_ring[i] = bench->rings[i];
	qp->rq_wr = bench->receives;
	qp->rq_depth = BENCH_RECEIVES;
	qp->rq_mask = BENCH_RECEIVES - 1;
	qp->rq_tail = BENCH_RECEIVES;
	for (i = 0; i < BENCH_RECEIVES; i++)
		bench->receives[i] = (struct xiw_rqe){
			.wr_id = BENCH_WR_ID + i, .length = 64, .posted = true };
	qp->state = XIW_QPS_RTR;
	qp->stream_bits = XIW_ST_OPEN;
	return bench;
}

void bench_name(struct bench *bench)
{
	/* The driver only checks whether the pointer to the peer is NULL, so use any pointer. */
	bench->qp.peer = (struct xiw_peer *)bench;
}

void bench_idle(struct bench *bench)
{
	bench_now = bench;
	bench->qp.state = XIW_QPS_IDLE;
	bench->qp.stream_bits = 0;
}

void bench_created(struct bench *bench)
{
	xiw_stream_created(&bench->qp);
}

void bench_abort(struct bench *bench)
{
	xiw_stream_abort(&bench->qp);
}

void bench_unanswered(struct bench *bench)
{
	xiw_stream_unanswered(&bench->qp);
}

void bench_reset(struct bench *bench)
{
	xiw_stream_dead(&bench->qp);
}

void bench_wait(struct bench *bench, unsigned int count)
{
	struct xiw_qp *qp = &bench->qp;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct xiw_sqe *sqe = xiw_sqe(qp, i);

		sqe->wr_id = i;
		sqe->kind = XIW_WR_SEND;
		sqe->flags = XIW_WRF_SIGNALED;
		xiw_sq_advance(qp, &qp->sq_tail);
	}
}

void bench_sent(struct bench *bench, unsigned int behind)
{
	struct xiw_qp *qp = &bench->qp;
	unsigned int i;

	for (i = 0; i <= behind; i++) {
		struct xiw_sqe *sqe = xiw_sqe(qp, i);

		sqe->wr_id = i;
		sqe->kind = i ? XIW_WR_SEND : XIW_WR_READ;
		sqe->state = i ? XIW_WR_DONE : XIW_WR_SENT;
		sqe->flags = XIW_WRF_SIGNALED;
		xiw_sq_advance(qp, &qp->sq_tail);
	}
	qp->sq_next = qp->sq_tail;
	qp->sq_sent = qp->sq_tail;
	qp->orq.depth = 1;
	qp->orq.count = 1;
}

void bench_unreported(struct bench *bench)
{
	struct xiw_qp *qp = &bench->qp;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct xiw_sqe *sqe = xiw_sqe(qp, i);

		sqe->wr_id = i;
		sqe->kind = i ? XIW_WR_READ : XIW_WR_SEND;
		sqe->state = XIW_WR_POSTED;
		sqe->flags = i ? XIW_WRF_SIGNALED : 0;
		sqe->tx_end = ++qp->tx_tail[XIW_TXQ_REQUEST];
		xiw_sq_advance(qp, &qp->sq_tail);
	}
	qp->sq_next = qp->sq_tail;
	qp->orq.depth = 1;
	qp->orq.count = 1;
}

void bench_core_polls(struct bench *bench)
{
	static struct ib_wc wc;

	bench->cq.ibcq.wc = &wc;
}

bool bench_ring_hangs(unsigned int units, unsigned int longest, unsigned int (*random)(void *),
		      void *context)
{
	struct bench *bench = bench_new();
	struct xiw_qp *qp = &bench->qp;
	bool quiet = true, hangs = false;
	unsigned int i, size;

	qp->tx_units = units;
	qp->sq_stride = sizeof(struct xiw_sqe) + longest * XIW_TX_UNIT;
	for (i = 0; i < 10000 && !hangs; i++) {
		size = 1 + random(context) % longest;
		if (!xiw_tx_room(qp, XIW_TXQ_REQUEST, size, true)) {
			/* If all descriptors have XIW_TXF_QUIET, no event will report room. */
			hangs = quiet;
			qp->tx_head[XIW_TXQ_REQUEST] = qp->tx_tail[XIW_TXQ_REQUEST];
			quiet = true;
		}
		quiet &= !!xiw_tx_quiet(qp, XIW_TXQ_REQUEST, size);
		qp->tx_tail[XIW_TXQ_REQUEST] += size + xiw_tx_filler(qp, XIW_TXQ_REQUEST, size);
	}
	bench_free(bench);
	return hangs;
}

unsigned int bench_terminate_length(const struct bench *bench)
{
	return bench->ctx.term_length;
}

unsigned int bench_terminate_code(const struct bench *bench)
{
	return get_unaligned_be16(bench->ctx.term);
}

unsigned int bench_longest(const struct bench *bench)
{
	return bench->longest;
}

void bench_free(struct bench *bench)
{
	if (bench->qp.refs.value != 1)
		abort();
	free(bench);
}

unsigned int bench_notes(const struct bench *bench)
{
	return bench->count;
}

struct bench_note bench_at(const struct bench *bench, unsigned int index)
{
	return bench->notes[index];
}
