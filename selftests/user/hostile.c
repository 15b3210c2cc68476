// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "hostile.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "provider.h"

static uint32_t state;

/* Get the next word of an xorshift generator. */
static uint32_t word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void ring(struct xiw_doorbell *bell)
{
	if (write(bell->fd, &bell->cmd, sizeof(bell->cmd)) < 0)
		return; /* the compiler requires a use of the result */
}

/* An index near the correct index finds more errors than a random index. */
static uint32_t near(uint32_t index)
{
	return word() % 4 ? index + word() % 20 - 4 : word();
}

static void scribble_ring(struct xiw_ring *queue)
{
	volatile struct xiw_abi_ring *shared = queue->shared;
	uint32_t *at;

	switch (word() % 8) {
	case 0: shared->consumer = near(queue->next); break;
	case 1: shared->taken = word(); break;
	case 2: shared->bell = word(); break;
	case 3: shared->arm = word(); break;
	case 4: shared->producer = near(queue->next); break;
	default:
		at = (uint32_t *)queue->entries;
		at[word() % ((queue->length - XIW_ABI_RING_SIZE) / 4)] = word() % 3 ? word() % 16 : word();
		break;
	}
}

void hostile_scribble(struct ibv_qp *ibqp, struct ibv_cq *ibcq, unsigned int seed, int rounds)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	int i, n;

	state = seed | 1;
	for (i = 0; i < rounds; i++) {
		for (n = word() % 10; n > 0; n--)
			scribble_ring(word() % 2 ? &qp->sq : &qp->rq);
		if (word() % 8 == 0)
			scribble_ring(&cq->ring);
		if (word() % 2) /* post one more slot, with arbitrary contents */
			xiw_ring_produce(&qp->sq, qp->sq.next + 1);
		ring(word() % 4 ? &qp->sq_bell : &qp->rq_bell);
	}
}

struct feed {
	volatile struct xiw_abi_ring *ring;
	uint32_t depth;
	volatile int over;
};

/* Keep the send queue full: post a slot whenever a slot completes. */
static void *feeder(void *arg)
{
	struct feed *feed = arg;
	const time_t end = time(NULL) + 2;

	while (!feed->over && time(NULL) < end)
		feed->ring->producer = feed->ring->consumer + feed->depth;
	return NULL;
}

uint32_t hostile_feed(struct ibv_qp *ibqp, uint32_t depth)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct feed feed = { .ring = qp->sq.shared, .depth = depth };
	uint32_t before = feed.ring->taken;
	pthread_t threads[3];
	unsigned int i, n = 0;

	while (n < 3 && !pthread_create(&threads[n], NULL, feeder, &feed))
		n++;
	while (n && feed.ring->producer == before)
		;
	ring(&qp->sq_bell);
	feed.over = 1;
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return feed.ring->taken - before;
}

int hostile_slots(struct ibv_qp *ibqp)
{
	static const struct {
		const char *what;
		struct xiw_abi_send slot;
	} wrong[] = {
		{ "opcode 12", { .opcode = 12 } },
		{ "opcode 255", { .opcode = 255 } },
		{ "flag 16", { .flags = 16 } },
		{ "reserved", { .rsvd = 1 } },
		{ "65535 SGEs", { .num_sge = 65535 } },
		{ "inline beyond the slot", { .flags = XIW_ABI_SEND_INLINE, .inline_length = 1 << 20 } },
		{ "4 GiB inline", { .flags = XIW_ABI_SEND_INLINE, .inline_length = ~0U } },
		{ "inline length without inline", { .inline_length = 8 } },
		{ "inline with SGEs", { .flags = XIW_ABI_SEND_INLINE, .num_sge = 1 } },
		{ "an inline Read", { .opcode = XIW_ABI_OP_READ, .flags = XIW_ABI_SEND_INLINE } },
		{ "two SGEs of a Read", { .opcode = XIW_ABI_OP_READ, .num_sge = 2 } },
		{ "an atomic without SGE", { .opcode = XIW_ABI_OP_FETCH_ADD } },
		{ "an inline atomic", { .opcode = XIW_ABI_OP_CMP_SWAP, .flags = XIW_ABI_SEND_INLINE } },
		{ "an SGE to invalidate", { .opcode = XIW_ABI_OP_LOCAL_INV, .num_sge = 1 } },
		{ "an inline invalidate",
		  { .opcode = XIW_ABI_OP_LOCAL_INV, .flags = XIW_ABI_SEND_INLINE } },
		{ "five octets of value in a Send",
		  { .opcode = XIW_ABI_OP_SEND_IMM, .imm = { [4] = 1 } } },
		{ "an SGE to bind", { .opcode = XIW_ABI_OP_BIND, .length = 8, .num_sge = 1 } },
		{ "a window of nothing", { .opcode = XIW_ABI_OP_BIND } },
		{ "a window past the end",
		  { .opcode = XIW_ABI_OP_BIND, .remote_addr = ~0ULL, .length = 2 } },
		{ "a local right", { .opcode = XIW_ABI_OP_BIND, .length = 8, .rights = 1 } },
		{ "all rights", { .opcode = XIW_ABI_OP_BIND, .length = 8, .rights = ~0ULL } },
	};
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int accepted = 0;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint32_t next = qp->sq.next;
		struct xiw_abi_send *slot = xiw_ring_entry(&qp->sq, next);

		memset(slot, 0, qp->sq.stride);
		*slot = wrong[i].slot;
		xiw_ring_produce(&qp->sq, next + 1);
		if (xiw_doorbell_ring(&qp->sq_bell)) {
			xiw_ring_take_back(&qp->sq, next);
		} else {
			printf("accepted: %s\n", wrong[i].what);
			accepted++;
		}
	}
	/* Store an index beyond the queue, ring the doorbell, and restore the old index. */
	xiw_ring_produce(&qp->sq, qp->sq.next);
	qp->sq.shared->producer = qp->sq.next + qp->sq.depth + 1;
	if (!xiw_doorbell_ring(&qp->sq_bell)) {
		printf("accepted: a producer beyond the queue\n");
		accepted++;
	}
	xiw_ring_produce(&qp->sq, qp->sq.next);
	return accepted;
}

int hostile_commands(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct {
		struct ibv_create_qp ib;
		struct xiw_abi_create_qp_req drv;
	} req;
	struct {
		struct ib_uverbs_create_qp_resp ib;
		struct xiw_abi_create_qp_resp drv;
	} resp;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	int wrong = 0, err, i;

	for (i = 0; i < 4; i++) {
		struct verbs_qp qp = {};
		size_t in = sizeof(req), out = sizeof(resp);

		memset(&req, 0, sizeof(req));
		memset(&resp, 0, sizeof(resp));
		switch (i) {
		case 0: break; /* a valid command */
		case 1: req.drv.comp_mask = 1; break;
		case 2: req.drv.rsvd = 1; break;
		case 3: out = sizeof(resp.ib); break; /* no room for the location of the queues */
		}
		err = ibv_cmd_create_qp_ex(context, &qp, &attr, &req.ib, in, &resp.ib, out);
		if (!err)
			ibv_cmd_destroy_qp(&qp.qp);
		if (i == 3)
			continue; /* harmless: no process can map the queues of this QP */
		if (i ? err == EINVAL || err == EOPNOTSUPP : !err)
			continue;
		printf("command %d: %s\n", i, err ? strerror(err) : "accepted");
		wrong++;
	}
	return wrong;
}

int hostile_mappings(struct ibv_qp *ibqp)
{
	struct xiw_ring *queue = &to_xiw_qp(ibqp)->sq;
	int fd = ibqp->context->cmd_fd, granted = 0;
	off_t offset;
	void *area;
	int i;

	state = 7306;
	for (i = 0; i < 2000; i++) {
		offset = (off_t)(word() % 1024) * 4096;
		area = mmap(NULL, (word() % 64 + 1) * 4096UL, word() % 8, word() % 2 ? MAP_SHARED :
			    MAP_PRIVATE, fd, offset);
		if (area == MAP_FAILED)
			continue;
		/* This is no error: a process may map an existing queue mapping again. */
	}
	if (!mprotect(queue->shared, queue->length, PROT_READ | PROT_EXEC)) {
		printf("granted: an executable queue\n");
		mprotect(queue->shared, queue->length, PROT_READ | PROT_WRITE);
		granted++;
	}
	area = mmap(NULL, 1UL << 26, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (area != MAP_FAILED) {
		printf("granted: more than there is\n");
		granted++;
	}
	area = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)1 << 40);
	if (area != MAP_FAILED) {
		printf("granted: what is not there\n");
		granted++;
	}
	return granted;
}
