/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Port counters: per-CPU counters of the driver, and totals from the RNIC. */
#ifndef XIW_COUNTERS_H
#define XIW_COUNTERS_H

#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/fault.h"
#include "diag/counter_list.h"

struct ib_device;
struct rdma_hw_stats;
struct xiw_device;
struct xiw_messages;

/* Kind of a counter. The kind determines where the counter is shown. */
enum xiw_counter_kind {
	XIW_COUNTER_NORMAL,
	XIW_COUNTER_ERROR,		/* counts failures */
	XIW_COUNTER_COST,		/* overhead; shown only by sysfs and "rdma statistic" */
	XIW_COUNTER_OPERATION,		/* messages; shown like COST, and by opcode in netlink */
};

/* Counters that the driver increments. Each CPU has its own values. */
enum xiw_counter {
#define XIW_COUNTER_ENUM(_id, ...) XIW_CNT_##_id,
	XIW_DRIVER_COUNTERS(XIW_COUNTER_ENUM)
#undef XIW_COUNTER_ENUM
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

/* Increment the counter of the fault that ends a stream, if the fault has one. Any context. */
void xiw_count_fault(struct xiw_device *dev, enum xiw_fault fault);

/* A row of counter_list.h. */
struct xiw_counter_row {
	const char *name;
	const char *about;
	u8 kind;		/* enum xiw_counter_kind */
	u8 source;		/* enum xiw_source in counters.c */
	u16 at;			/* meaning depends on the source */
};

/* Get the number of counters, or the row of one counter. Rows and values have the same order. */
unsigned int xiw_counter_total(void);
const struct xiw_counter_row *xiw_counter_row(unsigned int index);
/* Read the values of all counters, and the numbers of messages by opcode. Process context. */
void xiw_counters_read(struct xiw_device *dev, struct xiw_messages *messages, u64 *values);
/* Add @more to the values of the counters that count messages. */
void xiw_counters_add(u64 *values, const struct xiw_messages *more);

/*
 * Allocate the values for ib_core. Return: NULL if there is no memory. xiw_alloc_messages_stats()
 * enables only the counters that count messages.
 */
struct rdma_hw_stats *xiw_alloc_hw_stats(void);
struct rdma_hw_stats *xiw_alloc_messages_stats(void);

#endif
