// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Run many operations. Each endpoint has qd slots, and a slot has one outstanding operation. The
 * completion handler of an operation posts the next operation of the slot, as a ULP does. The same
 * code is the stress test (verify=1) and the benchmark (verify=0).
 *
 * With shared=1, all slots of all endpoints use the same local memory, so that many long operations
 * need little memory. The contents of shared memory cannot be verified.
 *
 * What verify=1 checks, by operation (a sink checks messages only if it has verify=1, too):
 *  write      each Write has its own pattern; a Read gets the pattern back, and the run checks it
 *  read       the data is pattern `seed` from position `rpos`
 *  send       the peer's sink checks that message n has pattern n
 *  write_imm  the peer's sink checks that the n-th immediate value is n
 *  send_imm   the peer's sink checks the pattern and the immediate value
 *  atomics    each original value is compared with the model, so nothing else may change the word
 *             at the same time
 *
 * With lock and mlock, endpoints compete for a spin lock in the peer's memory. A CmpSwap takes the
 * lock: it replaces 0 by the endpoint's number plus 1. A Read and a Write increment the word after
 * the lock. A CmpSwap releases the lock: it restores 0. If two endpoints ever hold the lock at the
 * same time, the word after the lock may contain a wrong count. mlock does not change the upper
 * half of the lock's word.
 */
#include "run.h"

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "command.h"
#include "device.h"
#include "endpoint.h"
#include "model.h"
#include "names.h"
#include "pattern.h"
#include "region.h"
#include "session.h"

#define RUN_SGES 8
#define RUN_BATCH 16
#define RUN_TURN 64	/* max batches that run_turn() posts */

enum run_kind { RUN_WRITE, RUN_WRITE_IMM, RUN_SEND, RUN_READ, RUN_ATOMIC, RUN_LOCK };

enum slot_phase {
	SLOT_FRESH, SLOT_READ_BACK,
	SLOT_TAKE_AGAIN, SLOT_LOOK, SLOT_COUNT, SLOT_RELEASE,
};

struct run_slot {
	struct list_head node;
	struct ib_cqe cqe;
	struct xt_run *run;
	enum slot_phase phase;
	u64 order, seed, expect, raddr, rpos;
	size_t off, back_off;
	unsigned int n_sge, n_back_sge;
	struct ib_sge sge[RUN_SGES], back_sge[RUN_SGES];
	union {
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
	};
};

struct run_spec {
	const char *op;
	enum run_kind kind;
	int opcode;		/* -1: a mix of all atomics */
	u32 len, rkey;
	unsigned int qd, flags;
	u64 count, ns, off, raddr, rpos, seed, init, add, mask;
	bool verify, spread, shared, has_rkey, has_raddr;
	struct xt_buf *buf;
	struct xt_region *lmr;
};

struct xt_run {
	struct list_head node;
	struct xt_ep *ep;
	struct run_spec spec;
	struct xt_map *map;

	/*
	 * Only one thread posts at a time. While it posts, @posting is set, and other threads leave
	 * their slots in @ready. So the order of work requests is well-defined without a lock
	 * around ib_post_send().
	 */
	spinlock_t lock;
	bool posting;
	struct list_head ready;

	u64 fresh, order_posted;	/* used only by the thread that posts */
	u64 word, random;

	u64 order_done, completed, bytes, bad, misordered;	/* written by completions */
	atomic_t active;		/* references: slots that are not idle, tasks that post */
	bool stop, finished;
	int post_err, halts;
	enum ib_wc_status status;
	u64 start, deadline, end;
	struct run_slot slot[];
};

static atomic_t halts;

/* End timed runs of all sessions as if their time had passed. */
int xt_halt_command(struct xt_session *s, struct xt_args *a)
{
	atomic_inc(&halts);
	return 0;
}

static bool time_over(const struct xt_run *run)
{
	return run->spec.ns && (atomic_read(&halts) != run->halts ||
				ktime_get_ns() >= run->deadline);
}

static u64 run_random(struct xt_run *run)
{
	return xt_mix(run->random++);
}

/* Choose a random operand. Half of all operands are edge cases for carries and masks. */
static u64 run_operand(struct xt_run *run)
{
	u64 random = run_random(run);

	switch (random & 7) {
	case 0:
		return 0;
	case 1:
		return U64_MAX;
	case 2:
		return BIT_ULL(random >> 58);
	case 3:
		return run->word;
	default:
		return run_random(run);
	}
}

/* Drop a reference of @active. After the last reference is dropped, the run may be freed. */
static void run_put(struct xt_run *run)
{
	struct xt_session *s = run->ep->s;

	if (!atomic_dec_and_test(&run->active))
		return;
	run->end = ktime_get_ns();
	/* pairs with runs_finished() */
	smp_store_release(&run->finished, true);
	xt_kick(s);
}

static void build_atomic(struct xt_run *run, struct run_slot *slot)
{
	static const int mix[] = {
		IB_WR_ATOMIC_FETCH_AND_ADD, IB_WR_ATOMIC_CMP_AND_SWP,
		IB_WR_MASKED_ATOMIC_FETCH_AND_ADD, IB_WR_MASKED_ATOMIC_CMP_AND_SWP,
	};
	struct ib_atomic_wr *wr = &slot->atomic;
	int opcode = run->spec.opcode;
	bool random = opcode < 0;
	u64 mask = 0, smask = U64_MAX, cmask = U64_MAX, cmp, swap;

	if (random)
		opcode = mix[run_random(run) % ARRAY_SIZE(mix)];
	wr->wr.opcode = opcode;
	wr->remote_addr = slot->raddr;
	wr->rkey = run->spec.rkey;
	slot->expect = run->word;
	if (opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD || opcode == IB_WR_ATOMIC_FETCH_AND_ADD) {
		wr->compare_add = random ? run_operand(run) : run->spec.add;
		if (opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD)
			mask = random ? run_operand(run) : run->spec.mask;
		wr->compare_add_mask = mask;
		run->word = mask ? xt_model_fetch_add(run->word, wr->compare_add, mask) :
				   run->word + wr->compare_add;
		return;
	}
	/* let at least half of the comparisons match on average */
	cmp = run_random(run) & 1 ? run->word : run_operand(run);
	swap = run_operand(run);
	if (opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP) {
		cmask = run_operand(run) & run_random(run) & run_random(run);
		smask = run_operand(run);
	}
	wr->compare_add = cmp;
	wr->swap = swap;
	wr->compare_add_mask = cmask;
	wr->swap_mask = smask;
	run->word = xt_model_cmp_swap(run->word, cmp, cmask, swap, smask);
}

static void build_rdma(struct xt_run *run, struct run_slot *slot, u64 seq)
{
	const struct run_spec *spec = &run->spec;
	void *va = spec->buf->va + slot->off;

	slot->rdma.wr.opcode = spec->opcode;
	slot->rdma.wr.ex.imm_data = cpu_to_be32(seq);
	slot->rdma.remote_addr = slot->raddr;
	slot->rdma.rkey = spec->rkey;
	slot->seed = spec->kind == RUN_SEND ? seq : spec->seed + seq;
	if (!spec->verify || !spec->len)
		return;
	/* remove the data of the previous Read, so that the check detects a Read without effect */
	if (spec->kind == RUN_READ)
		memset(va, 0xee, spec->len);
	else
		xt_pattern_fill(va, spec->len, slot->seed, 0);
	xt_map_sync(run->map, slot->off, spec->len, false);
}

static void build_read_back(struct xt_run *run, struct run_slot *slot)
{
	slot->rdma.wr.opcode = IB_WR_RDMA_READ;
	slot->rdma.wr.sg_list = slot->back_sge;
	slot->rdma.wr.num_sge = slot->n_back_sge;
	slot->rdma.remote_addr = slot->raddr;
	slot->rdma.rkey = run->spec.rkey;
	memset(run->spec.buf->va + slot->back_off, 0xee, run->spec.len);
	xt_map_sync(run->map, slot->back_off, run->spec.len, false);
}

/* Build the CmpSwap that takes the lock or releases it. */
static void build_lock_swap(struct xt_run *run, struct run_slot *slot)
{
	bool masked = run->spec.opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP;
	u64 number = run->ep->number + 1;
	bool release = slot->phase == SLOT_RELEASE;
	struct ib_atomic_wr *wr = &slot->atomic;

	wr->wr.opcode = run->spec.opcode;
	wr->remote_addr = slot->raddr;
	wr->rkey = run->spec.rkey;
	wr->compare_add = release ? number : 0;
	wr->swap = release ? 0 : number;
	wr->compare_add_mask = masked ? U32_MAX : U64_MAX;
	wr->swap_mask = wr->compare_add_mask;
}

static void build_lock(struct xt_run *run, struct run_slot *slot)
{
	bool look = slot->phase == SLOT_LOOK;

	if (!look && slot->phase != SLOT_COUNT) {
		build_lock_swap(run, slot);
		return;
	}
	slot->rdma.wr.opcode = look ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE;
	slot->rdma.remote_addr = slot->raddr + sizeof(u64);
	slot->rdma.rkey = run->spec.rkey;
}

/* Return: true if the slot has taken and released the lock, false if more steps follow. */
static bool lock_step_done(struct xt_run *run, struct run_slot *slot)
{
	bool masked = run->spec.opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP;
	u64 *word = run->spec.buf->va + slot->off, original;

	xt_map_sync(run->map, slot->off, sizeof(u64), true);
	original = masked ? lower_32_bits(*word) : *word;
	switch (slot->phase) {
	case SLOT_LOOK:
		++*word;
		slot->phase = SLOT_COUNT;
		break;
	case SLOT_COUNT:
		slot->phase = SLOT_RELEASE;
		break;
	case SLOT_RELEASE:
		run->bad += original != run->ep->number + 1;
		slot->phase = SLOT_FRESH;
		return true;
	default:
		slot->phase = original ? SLOT_TAKE_AGAIN : SLOT_LOOK;
		break;
	}
	xt_map_sync(run->map, slot->off, sizeof(u64), false);
	return false;
}

/* Return: false if the slot has no more work. */
static bool slot_build(struct xt_run *run, struct run_slot *slot)
{
	struct ib_send_wr *wr = &slot->rdma.wr;

	/* stop is set by a failed completion or post, and when the command ends */
	if (READ_ONCE(run->stop))
		return false;
	wr->next = NULL;
	wr->wr_cqe = &slot->cqe;
	wr->send_flags = IB_SEND_SIGNALED | run->spec.flags;
	if (slot->phase == SLOT_READ_BACK) {
		build_read_back(run, slot);
	} else if (slot->phase != SLOT_FRESH) {
		build_lock(run, slot);
	} else {
		if (run->fresh == run->spec.count || time_over(run))
			return false;
		wr->sg_list = slot->sge;
		wr->num_sge = slot->n_sge;
		if (run->spec.kind == RUN_ATOMIC)
			build_atomic(run, slot);
		else if (run->spec.kind == RUN_LOCK)
			build_lock(run, slot);
		else
			build_rdma(run, slot, run->fresh);
		run->fresh++;
	}
	slot->order = run->order_posted++;
	return true;
}

static void slots_post(struct xt_run *run, struct run_slot **slot, unsigned int n)
{
	const struct ib_send_wr *bad = NULL;
	unsigned int i;
	int err;

	for (i = 1; i < n; i++)
		slot[i - 1]->rdma.wr.next = &slot[i]->rdma.wr;
	err = ib_post_send(run->ep->qp, &slot[0]->rdma.wr, &bad);
	if (!err)
		return;
	run->post_err = err;
	WRITE_ONCE(run->stop, true);
	/*
	 * The slots before @bad were accepted, and complete later. @bad and later slots are idle.
	 */
	for (i = 0; i < n; i++)
		if (!bad || bad == &slot[i]->rdma.wr)
			break;
	for (; i < n; i++)
		run_put(run);
}

static void slots_start(struct xt_run *run, struct run_slot **slot, unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++) {
		if (slot_build(run, slot[i]))
			slot[kept++] = slot[i];
		else
			run_put(run);
	}
	if (kept)
		slots_post(run, slot, kept);
}

/*
 * Post the slots of @ready in at most @batches batches, unless another task is already posting.
 * Completions that occur in the meantime add their slots to @ready, and this task posts these slots
 * too. Return: true if this task has left slots in @ready.
 */
static bool run_post(struct xt_run *run, unsigned int batches)
{
	struct run_slot *batch[RUN_BATCH];
	unsigned long flags;
	unsigned int n;
	bool more = false;

	spin_lock_irqsave(&run->lock, flags);
	if (run->posting)
		goto out;
	run->posting = true;
	while (!list_empty(&run->ready) && batches--) {
		for (n = 0; n < RUN_BATCH && !list_empty(&run->ready); n++) {
			batch[n] = list_first_entry(&run->ready, struct run_slot, node);
			list_del_init(&batch[n]->node);
		}
		spin_unlock_irqrestore(&run->lock, flags);
		slots_start(run, batch, n);
		spin_lock_irqsave(&run->lock, flags);
	}
	run->posting = false;
	more = !list_empty(&run->ready);
out:
	spin_unlock_irqrestore(&run->lock, flags);
	return more;
}

static void run_add(struct xt_run *run, struct run_slot *slot)
{
	unsigned long flags;

	spin_lock_irqsave(&run->lock, flags);
	list_add_tail(&slot->node, &run->ready);
	spin_unlock_irqrestore(&run->lock, flags);
}

/*
 * Post ready slots from a process. The number of batches is limited, because completions may add
 * slots as fast as this process posts them. The process must return to xt_wait(), which checks for
 * removed devices and signals.
 */
static void run_turn(struct xt_run *run)
{
	if (!atomic_inc_not_zero(&run->active))
		return;
	if (run_post(run, RUN_TURN))
		xt_kick(run->ep->s);
	run_put(run);
}

static void verify_read(struct xt_run *run, struct run_slot *slot)
{
	const struct run_spec *spec = &run->spec;
	size_t first;

	xt_map_sync(run->map, slot->off, spec->len, true);
	if (xt_pattern_check(spec->buf->va + slot->off, spec->len, spec->seed, slot->rpos, &first))
		run->bad++;
}

static void verify_read_back(struct xt_run *run, struct run_slot *slot)
{
	const struct run_spec *spec = &run->spec;
	size_t first;

	xt_map_sync(run->map, slot->back_off, spec->len, true);
	if (xt_pattern_check(spec->buf->va + slot->back_off, spec->len, slot->seed, 0, &first))
		run->bad++;
}

static void verify_atomic(struct xt_run *run, struct run_slot *slot)
{
	xt_map_sync(run->map, slot->off, sizeof(u64), true);
	if (*(u64 *)(run->spec.buf->va + slot->off) != slot->expect)
		run->bad++;
}

static void operation_done(struct xt_run *run, struct run_slot *slot)
{
	const struct run_spec *spec = &run->spec;

	if (slot->phase == SLOT_READ_BACK) {
		verify_read_back(run, slot);
		slot->phase = SLOT_FRESH;
		return;
	}
	if (spec->kind == RUN_LOCK && !lock_step_done(run, slot))
		return;
	run->completed++;
	run->bytes += spec->len;
	if (!spec->verify)
		return;
	if (spec->kind == RUN_WRITE && spec->len)
		slot->phase = SLOT_READ_BACK;
	else if (spec->kind == RUN_READ && spec->len)
		verify_read(run, slot);
	else if (spec->kind == RUN_ATOMIC)
		verify_atomic(run, slot);
}

static void slot_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct run_slot *slot = container_of(wc->wr_cqe, struct run_slot, cqe);
	struct xt_run *run = slot->run;

	/* hold a reference: after run_add(), another task may post the slot and end the run */
	atomic_inc(&run->active);
	if (slot->order != run->order_done++)
		run->misordered++;
	if (wc->status != IB_WC_SUCCESS) {
		if (run->status == IB_WC_SUCCESS)
			run->status = wc->status;
		WRITE_ONCE(run->stop, true);
		run_put(run);
	} else {
		operation_done(run, slot);
		run_add(run, slot);
		run_post(run, UINT_MAX);
	}
	run_put(run);
}

static int slot_init(struct xt_run *run, unsigned int i, unsigned int nth)
{
	const struct run_spec *spec = &run->spec;
	struct run_slot *slot = &run->slot[i];
	bool back = spec->kind == RUN_WRITE && spec->verify;
	size_t area = (size_t)spec->qd * spec->len * (1 + back);
	u32 lkey = run->ep->qp->pd->local_dma_lkey;
	u64 remote = spec->spread ? ((u64)nth * spec->qd + i) * spec->len : 0;
	int n;

	slot->cqe.done = slot_done;
	slot->run = run;
	if (spec->shared) {
		nth = 0;
		i = 0;
		area = spec->len;
	}
	slot->off = spec->off + nth * area + (size_t)i * spec->len;
	slot->back_off = slot->off + (size_t)spec->qd * spec->len;
	slot->raddr = spec->raddr + remote;
	slot->rpos = spec->rpos + remote;
	if (!spec->len)
		return 0;
	if (!xt_buf_holds(spec->buf, spec->off + nth * area, area))
		return -ERANGE;
	if (spec->lmr) {
		slot->sge[0] = (struct ib_sge) {
			.addr = spec->lmr->mr->iova + slot->off, .length = spec->len,
			.lkey = spec->lmr->mr->lkey,
		};
		slot->n_sge = 1;
	} else {
		n = xt_map_sges(run->map, slot->off, spec->len, 1, lkey, slot->sge, RUN_SGES);
		if (n < 0)
			return n;
		slot->n_sge = n;
	}
	if (spec->kind != RUN_WRITE || !spec->verify)
		return 0;
	n = xt_map_sges(run->map, slot->back_off, spec->len, 1, lkey, slot->back_sge, RUN_SGES);
	if (n < 0)
		return n;
	slot->n_back_sge = n;
	return 0;
}

void xt_run_free(struct xt_ep *ep)
{
	kvfree(ep->run);
	ep->run = NULL;
}

static int run_new(struct xt_ep *ep, const struct run_spec *spec, unsigned int nth,
		   struct list_head *runs)
{
	struct xt_run *run;
	unsigned int i;
	int err = 0;

	/* acquire: free the run only after the last access of run_put() */
	if (ep->run && !smp_load_acquire(&ep->run->finished))
		return -EBUSY;
	if (!ep->qp)
		return -ENOTCONN;
	if (spec->qd > ep->cfg.sq)
		return -ERANGE;
	xt_run_free(ep);
	run = kvzalloc(struct_size(run, slot, spec->qd), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	run->ep = ep;
	run->spec = *spec;
	if (!spec->has_rkey)
		run->spec.rkey = ep->hello.rkey;
	if (!spec->has_raddr)
		run->spec.raddr += ep->hello.addr;
	spin_lock_init(&run->lock);
	INIT_LIST_HEAD(&run->ready);
	run->word = spec->init;
	run->random = spec->seed + ep->number;
	/* a run that has not started may be freed like one that has ended */
	run->finished = true;
	ep->run = run;
	if (spec->len) {
		run->map = xt_map_whole(spec->buf, ep->dev->ib);
		if (IS_ERR(run->map))
			return PTR_ERR(run->map);
		xt_map_sync(run->map, 0, spec->buf->size, false);
	}
	for (i = 0; i < spec->qd && !err; i++)
		err = slot_init(run, i, nth);
	if (!err)
		list_add_tail(&run->node, runs);
	return err;
}

static void run_start(struct xt_run *run)
{
	unsigned int i;

	run->finished = false;
	atomic_set(&run->active, run->spec.qd);
	run->halts = atomic_read(&halts);
	run->start = ktime_get_ns();
	run->deadline = run->start + run->spec.ns;
	for (i = 0; i < run->spec.qd; i++)
		run_add(run, &run->slot[i]);
	run_turn(run);
}

static bool runs_finished(void *arg)
{
	struct list_head *runs = arg;
	bool finished = true;
	struct xt_run *run;

	list_for_each_entry(run, runs, node) {
		/* acquire: the results are read after the flag */
		if (smp_load_acquire(&run->finished))
			continue;
		finished = false;
		run_turn(run);
	}
	return finished;
}

static int runs_report(struct xt_session *s, struct list_head *runs, u64 first_start)
{
	u64 count = 0, bytes = 0, bad = 0, misordered = 0, ns, end = first_start, kib;
	enum ib_wc_status status = IB_WC_SUCCESS;
	struct xt_run *run;
	char name[24];
	bool finished;
	int err = 0;

	list_for_each_entry(run, runs, node) {
		/* acquire: pairs with run_put(). The counters of an unfinished run still change. */
		finished = smp_load_acquire(&run->finished);
		count += READ_ONCE(run->completed);
		bytes += READ_ONCE(run->bytes);
		bad += READ_ONCE(run->bad);
		misordered += READ_ONCE(run->misordered);
		end = max(end, finished ? run->end : ktime_get_ns());
		err = err ?: READ_ONCE(run->post_err);
		if (status == IB_WC_SUCCESS)
			status = READ_ONCE(run->status);
	}
	ns = max(end - first_start, 1ULL);
	kib = mul_u64_u64_div_u64(bytes, NSEC_PER_SEC, ns) >> 10;
	run = list_first_entry(runs, struct xt_run, node);
	xt_say(s, " count=%llu bytes=%llu ns=%llu mibs=%llu.%llu ops=%llu ns_per_op=%llu",
	       count, bytes, ns, kib >> 10, (kib & 1023) * 10 >> 10,
	       mul_u64_u64_div_u64(count, NSEC_PER_SEC, ns), div64_u64(ns, max(count, 1ULL)));
	xt_say(s, " wc=%s bad=%llu misordered=%llu",
	       xt_wc_status_name(status, name, sizeof(name)), bad, misordered);
	if (run->spec.kind == RUN_ATOMIC)
		xt_say(s, " word=0x%016llx", run->word);
	if (err)
		return err;
	if (status != IB_WC_SUCCESS)
		return -EIO;
	return bad || misordered ? -EILSEQ : 0;
}

static const struct {
	const char *op;
	enum run_kind kind;
	int opcode;
} run_ops[] = {
	{ "write",	RUN_WRITE,	IB_WR_RDMA_WRITE },
	{ "write_imm",	RUN_WRITE_IMM,	IB_WR_RDMA_WRITE_WITH_IMM },
	{ "send",	RUN_SEND,	IB_WR_SEND },
	{ "send_imm",	RUN_SEND,	IB_WR_SEND_WITH_IMM },
	{ "read",	RUN_READ,	IB_WR_RDMA_READ },
	{ "fetchadd",	RUN_ATOMIC,	IB_WR_ATOMIC_FETCH_AND_ADD },
	{ "cmpswp",	RUN_ATOMIC,	IB_WR_ATOMIC_CMP_AND_SWP },
	{ "mfetchadd",	RUN_ATOMIC,	IB_WR_MASKED_ATOMIC_FETCH_AND_ADD },
	{ "mcmpswp",	RUN_ATOMIC,	IB_WR_MASKED_ATOMIC_CMP_AND_SWP },
	{ "atomic",	RUN_ATOMIC,	-1 },
	{ "lock",	RUN_LOCK,	IB_WR_ATOMIC_CMP_AND_SWP },
	{ "mlock",	RUN_LOCK,	IB_WR_MASKED_ATOMIC_CMP_AND_SWP },
};

static int spec_args(struct xt_session *s, struct xt_args *a, struct run_spec *spec)
{
	u64 ms = xt_arg_max(a, "ms", 0, 3600000);
	const char *op = xt_arg_str(a, "op", "");
	bool word;
	int i;

	for (i = 0; i < ARRAY_SIZE(run_ops); i++)
		if (!strcmp(op, run_ops[i].op))
			break;
	if (i == ARRAY_SIZE(run_ops))
		return -EINVAL;
	spec->kind = run_ops[i].kind;
	spec->opcode = run_ops[i].opcode;
	word = spec->kind == RUN_ATOMIC || spec->kind == RUN_LOCK;
	spec->len = xt_arg_max(a, "len", word ? 8 : PAGE_SIZE, 1 << 30);
	spec->qd = xt_arg_max(a, "qd", 16, 32768);
	spec->count = xt_arg_num(a, "count", ms ? U64_MAX : 1000);
	spec->ns = ms * NSEC_PER_MSEC;
	spec->off = xt_arg_num(a, "off", 0);
	spec->verify = xt_arg_num(a, "verify", 0);
	spec->spread = xt_arg_num(a, "spread", !word && spec->verify);
	spec->shared = xt_arg_num(a, "shared", 0);
	spec->seed = xt_arg_num(a, "seed", 0);
	spec->init = xt_arg_num(a, "init", 0);
	spec->add = xt_arg_num(a, "add", 1);
	spec->mask = xt_arg_num(a, "mask", 0);
	spec->flags = (xt_arg_num(a, "se", 0) ? IB_SEND_SOLICITED : 0) |
		      (xt_arg_num(a, "fence", 0) ? IB_SEND_FENCE : 0);
	spec->has_rkey = xt_arg_has(a, "rkey");
	spec->has_raddr = xt_arg_has(a, "raddr");
	spec->rkey = xt_arg_max(a, "rkey", 0, U32_MAX);
	spec->raddr = xt_arg_num(a, "raddr", 0) + xt_arg_num(a, "roff", 0);
	spec->rpos = xt_arg_num(a, "rpos", 0) + xt_arg_num(a, "roff", 0);
	spec->buf = xt_buf_arg(s, a, "buf");
	if (a->err)
		return a->err;
	if (xt_arg_has(a, "lmr")) {
		spec->lmr = xt_region_find(s, xt_arg_str(a, "lmr", ""));
		if (!spec->lmr)
			return -ENOENT;
	}
	if (spec->shared && (spec->verify || spec->kind == RUN_LOCK))
		return -EINVAL;
	return spec->qd && (!word || spec->len == 8) ? 0 : -EINVAL;
}

struct run_group {
	const struct run_spec *spec;
	struct list_head runs;
	unsigned int n;
};

static int add_run(struct xt_ep *ep, void *arg)
{
	struct run_group *g = arg;

	/* ep=all includes listeners; they have no QP */
	if (READ_ONCE(ep->state) == XT_EP_LISTEN)
		return 0;
	return run_new(ep, g->spec, g->n++, &g->runs);
}

int xt_run_command(struct xt_session *s, struct xt_args *a)
{
	unsigned int ms = xt_arg_max(a, "timeout", 4 * XT_TIMEOUT_MS, INT_MAX);
	struct run_spec spec = {};
	struct run_group g = { .spec = &spec, .runs = LIST_HEAD_INIT(g.runs) };
	struct xt_run *run;
	u64 start;
	int err;

	err = spec_args(s, a, &spec);
	if (!err)
		err = xt_ep_args(s, a, add_run, &g);
	if (err)
		return err;
	if (list_empty(&g.runs))
		return -ENOENT;
	start = ktime_get_ns();
	list_for_each_entry(run, &g.runs, node)
		run_start(run);
	err = xt_wait(s, runs_finished, &g.runs, ms);
	list_for_each_entry(run, &g.runs, node)
		WRITE_ONCE(run->stop, true);
	return runs_report(s, &g.runs, start) ?: err;
}
