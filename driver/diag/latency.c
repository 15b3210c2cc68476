// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/latency.h"

#include <linux/bitops.h>
#include <linux/percpu.h>

#include "verbs/qp.h"

static enum xiw_nl_latency xiw_latency_row(const struct xiw_sqe *sqe)
{
	switch (sqe->kind) {
	case XIW_WR_READ:
		return XIW_NL_LATENCY_READ;
	case XIW_WR_ATOMIC:
		return XIW_NL_LATENCY_ATOMIC;
	case XIW_WR_LOCAL:
		return XIW_NL_LATENCY_LOCAL;
	default:
		return sqe->opcode == IB_WC_RDMA_WRITE ? XIW_NL_LATENCY_WRITE :
							 XIW_NL_LATENCY_SEND;
	}
}

void xiw_latency_count(struct xiw_device *dev, const struct xiw_sqe *sqe)
{
	/* acquire: pairs with xiw_latency_add(), which precedes the first stamp */
	struct xiw_latency __percpu *latency = smp_load_acquire(&dev->latency);
	u32 passed = (u32)(ktime_get_ns() >> XIW_LATENCY_SHIFT) - sqe->posted;
	enum xiw_nl_latency row = xiw_latency_row(sqe);
	u64 ns;

	/* A stamp is rounded up to an odd number, so it may be one unit in the future. */
	if (passed == U32_MAX)
		passed = 0;
	ns = (u64)passed << XIW_LATENCY_SHIFT;
	if (!latency)
		return;
	this_cpu_inc(latency->count[row][min(fls64(ns), XIW_LATENCY_BUCKETS - 1)]);
	this_cpu_add(latency->sum[row], ns);
}

int xiw_latency_add(struct xiw_device *dev)
{
	struct xiw_latency __percpu *latency;

	if (dev->latency)
		return 0;
	latency = alloc_percpu(struct xiw_latency);
	if (!latency)
		return -ENOMEM;
	/* release: a reader that sees the pointer also sees the zeroed counts */
	smp_store_release(&dev->latency, latency);
	return 0;
}

void xiw_latency_remove(struct xiw_device *dev)
{
	free_percpu(dev->latency);
	dev->latency = NULL;
}

bool xiw_latency_read(struct xiw_device *dev, struct xiw_latency *total)
{
	/* acquire: pairs with xiw_latency_add() */
	struct xiw_latency __percpu *latency = smp_load_acquire(&dev->latency);
	unsigned int row, bucket;
	int cpu;

	memset(total, 0, sizeof(*total));
	if (!latency)
		return false;
	for_each_possible_cpu(cpu) {
		const struct xiw_latency *one = per_cpu_ptr(latency, cpu);

		for (row = 0; row <= XIW_NL_LATENCY_MAX; row++) {
			for (bucket = 0; bucket < XIW_LATENCY_BUCKETS; bucket++)
				total->count[row][bucket] += READ_ONCE(one->count[row][bucket]);
			total->sum[row] += READ_ONCE(one->sum[row]);
		}
	}
	return true;
}
