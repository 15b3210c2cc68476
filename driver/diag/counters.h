/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Port counters: per-CPU counters of the driver, and totals of the RNIC. A counter has the name
 * that exporters expect, if the meaning is the same.
 */
#ifndef XIW_COUNTERS_H
#define XIW_COUNTERS_H

#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/fault.h"

struct ib_device;
struct rdma_hw_stats;
struct xiw_device;
struct xiw_messages;
struct xiw_rnic_stats;

enum xiw_counter {
	XIW_CNT_CONNECT_OK,		/* active connections established */
	XIW_CNT_CONNECT_FAILED,		/* active connections that failed */
	XIW_CNT_ACCEPT_OK,
	XIW_CNT_REJECTED,		/* Requests that this end rejected */
	XIW_CNT_REJECT_RECEIVED,
	XIW_CNT_CONN_LOST,		/* streams ended by TCP reset or timeout */
	XIW_CNT_REQ_REMOTE_ACCESS,	/* the peer refused an access of this end */
	XIW_CNT_RESP_REMOTE_ACCESS,	/* this end refused an access of the peer */
	XIW_CNT_REQ_CQE_ERROR,		/* send completions with an error other than flush */
	XIW_CNT_RESP_CQE_ERROR,		/* receive completions with an error other than flush */
	XIW_CNT_CQ_OVERFLOW,
	XIW_CNT_MALFORMED,		/* bad DDP or RDMAP headers */
	XIW_CNT_OUT_OF_SEQUENCE,	/* wrong message sequence numbers */
	XIW_CNT_NO_RECEIVE,		/* no receive posted, and park-time is 0 */
	XIW_CNT_PARK_TIMEOUT,		/* no receive posted within park-time */
	XIW_CNT_RNIC_ERROR,		/* impossible reports of the RNIC */
	XIW_CNT_POLLS,			/* passes of the polls of the vectors */
	XIW_CNT_EVENTS,			/* events that these passes have handled */
	XIW_CNT_COUNT,
};

struct xiw_counters {
	u64 value[XIW_CNT_COUNT];
};

void __xiw_count_many(struct xiw_device *dev, enum xiw_counter counter, unsigned int n);

static inline void xiw_count_many(struct xiw_device *dev, enum xiw_counter counter,
				  unsigned int n)
{
	if (!IS_ENABLED(CONFIG_XIW_UNCOUNTED))
		__xiw_count_many(dev, counter, n);
}

static inline void xiw_count(struct xiw_device *dev, enum xiw_counter counter)
{
	xiw_count_many(dev, counter, 1);
}

/* Count the end of a stream because of a fault of the peer. */
void xiw_count_fault(struct xiw_device *dev, enum xiw_fault fault);

/* All values, in the order of their names; id: enum xiw_nl_counter or -1. */
unsigned int xiw_counter_total(void);
int xiw_counter_id(unsigned int index);
/* Read the totals of the RNIC, and all values, of the same moment. Process context. */
void xiw_counters_read(struct xiw_device *dev, struct xiw_rnic_stats *stats, u64 *values);
/* Add messages to the values that count messages. */
void xiw_counters_add(u64 *values, const struct xiw_messages *more);

/* For the values of all; of the second, only those that count messages are enabled. */
struct rdma_hw_stats *xiw_alloc_hw_stats(void);
struct rdma_hw_stats *xiw_alloc_messages_stats(void);

#endif
