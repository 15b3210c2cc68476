/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Latency of work requests of the send queue, from post to completion: a histogram by powers of
 * two for each operation of a device.
 *
 * The histogram is off unless config.latency is set. When it is on, the driver stamps each request
 * with the time of its post, and counts its completion. When it is off, the cost is one test per
 * request. The counts are per CPU, allocated when the histogram is first switched on (under
 * config_lock), and freed with the device after all its QPs. A completion is counted with
 * interrupts disabled, under QP.sq_lock.
 */
#ifndef XIW_LATENCY_H
#define XIW_LATENCY_H

#include <linux/timekeeping.h>
#include <uapi/linux/xiw.h>

#include "xiw.h"

struct xiw_sqe;

#define XIW_LATENCY_BUCKETS 39	/* covers up to 2^38 ns, when a stamp wraps */
#define XIW_LATENCY_SHIFT 6	/* a stamp counts units of 64 ns, and wraps after 275 s */

struct xiw_latency {
	u64 count[XIW_NL_LATENCY_MAX + 1][XIW_LATENCY_BUCKETS];
	u64 sum[XIW_NL_LATENCY_MAX + 1];	/* ns */
};

/* Return: the stamp for struct xiw_sqe; 0 if latency is off. */
static inline u32 xiw_latency_stamp(const struct xiw_device *dev)
{
	if (likely(!READ_ONCE(dev->config.latency)))
		return 0;
	return (u32)(ktime_get_ns() >> XIW_LATENCY_SHIFT) | 1;
}

/* Count a request that has a stamp. Interrupts are disabled. */
void xiw_latency_count(struct xiw_device *dev, const struct xiw_sqe *sqe);

/* Allocate the counts. config_lock is held. Return: 0 or -ENOMEM. */
int xiw_latency_add(struct xiw_device *dev);
void xiw_latency_remove(struct xiw_device *dev);

/*
 * Sum the histograms of all CPUs. Process context.
 *
 * Return: false if the histogram was never switched on.
 */
bool xiw_latency_read(struct xiw_device *dev, struct xiw_latency *total);

#endif
