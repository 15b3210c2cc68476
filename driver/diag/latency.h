/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Latency of work requests of send queues, from post to completion. A device has a histogram for
 * each kind of operation. The limits of the buckets are powers of two.
 *
 * The driver measures only while config.latency is set. At the post, it stamps the work request
 * with the time. At the completion, it adds the latency to the histogram. While config.latency is
 * not set, the cost is one test at the post and one at the completion.
 *
 * The counts are per CPU. They are allocated under config_lock when config.latency is first set.
 * They are freed with the device, after all its QPs. A completion is counted under QP.sq_lock, with
 * interrupts disabled.
 */
#ifndef XIW_LATENCY_H
#define XIW_LATENCY_H

#include <linux/timekeeping.h>
#include <uapi/linux/xiw.h>

#include "xiw.h"

struct xiw_sqe;

#define XIW_LATENCY_BUCKETS 39	/* fls64(ns) is the bucket; stamps wrap after 2^38 ns */
#define XIW_LATENCY_SHIFT 6	/* a stamp counts units of 64 ns, and wraps after 275 s */

struct xiw_latency {
	u64 count[XIW_NL_LATENCY_MAX + 1][XIW_LATENCY_BUCKETS];
	u64 sum[XIW_NL_LATENCY_MAX + 1];	/* ns */
};

/* Get the stamp of a new work request. Return: 0 if latency is off; otherwise a value above 0. */
static inline u32 xiw_latency_stamp(const struct xiw_device *dev)
{
	if (likely(!READ_ONCE(dev->config.latency)))
		return 0;
	return (u32)(ktime_get_ns() >> XIW_LATENCY_SHIFT) | 1;
}

/* Count the completion of a work request that has a stamp. Interrupts are disabled. */
void xiw_latency_count(struct xiw_device *dev, const struct xiw_sqe *sqe);

/* Allocate the counts, if there are none yet. config_lock is held. Return: 0 or -ENOMEM. */
int xiw_latency_add(struct xiw_device *dev);
void xiw_latency_remove(struct xiw_device *dev);

/*
 * Sum the histograms of all CPUs. Process context.
 *
 * Return: false, with a zeroed @total, if config.latency has never been set.
 */
bool xiw_latency_read(struct xiw_device *dev, struct xiw_latency *total);

#endif
