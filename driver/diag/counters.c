// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/counters.h"

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core/term.h"
#include "core/wire.h"
#include "xiw.h"

/* Source of a counter. The comments give the meaning of the member @at of a row. */
enum xiw_source {
	XIW_FROM_DRIVER,	/* enum xiw_counter */
	XIW_FROM_RNIC,		/* offset in struct xiw_stats_block */
	XIW_FROM_TX,		/* bit mask of RDMAP opcodes */
	XIW_FROM_RX,		/* bit mask of RDMAP opcodes */
};

#define ROW(_source, _at, _kind, _name, _about)				\
	{ .name = _name, .about = _about, .kind = XIW_COUNTER_##_kind,	\
	  .source = XIW_FROM_##_source, .at = _at },
#define DRIVER(_id, ...) ROW(DRIVER, XIW_CNT_##_id, __VA_ARGS__)
#define RNIC(_field, ...) ROW(RNIC, offsetof(struct xiw_stats_block, _field), __VA_ARGS__)
#define OP(_opcode) (1U << XIW_OP_##_opcode)

static const struct xiw_counter_row xiw_counter_rows[] = {
	XIW_RNIC_STATS(RNIC)
	XIW_DRIVER_COUNTERS(DRIVER)
	XIW_MESSAGE_COUNTERS(ROW)
};

void __xiw_count_many(struct xiw_device *dev, enum xiw_counter counter, unsigned int n)
{
	this_cpu_add(dev->counters->value[counter], n);
}

void xiw_count_fault(struct xiw_device *dev, enum xiw_fault fault)
{
	switch (fault) {
	case XIW_FAULT_RDMA_VERSION:
	case XIW_FAULT_RDMA_OPCODE:
	case XIW_FAULT_DDP_TAGGED_VERSION:
	case XIW_FAULT_DDP_UNTAGGED_VERSION:
	case XIW_FAULT_DDP_QN:
	case XIW_FAULT_DDP_MO:
		xiw_count(dev, XIW_CNT_MALFORMED);
		break;
	case XIW_FAULT_DDP_MSN:
		xiw_count(dev, XIW_CNT_OUT_OF_SEQUENCE);
		break;
	default:
		if (xiw_term_table[fault].event == XIW_TERM_EV_ACCESS)
			xiw_count(dev, XIW_CNT_RESP_REMOTE_ACCESS);
		break;
	}
}

unsigned int xiw_counter_total(void)
{
	return ARRAY_SIZE(xiw_counter_rows);
}

const struct xiw_counter_row *xiw_counter_row(unsigned int index)
{
	return &xiw_counter_rows[index];
}

static u64 xiw_counter_sum(const u64 *messages, u16 opcodes)
{
	u64 sum = 0;
	unsigned int op;

	for (op = 0; op < XIW_OP_COUNT; op++)
		if (opcodes & 1U << op)
			sum += messages[op];
	return sum;
}

static u64 xiw_counter_driver(struct xiw_device *dev, enum xiw_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		/* pairs with this_cpu_add() in __xiw_count_many() on another CPU */
		sum += READ_ONCE(per_cpu_ptr(dev->counters, cpu)->value[counter]);
	return sum;
}

static u64 xiw_counter_read(struct xiw_device *dev, const struct xiw_stats_block *stats,
			    const struct xiw_counter_row *row)
{
	u64 value;

	switch (row->source) {
	case XIW_FROM_DRIVER:
		value = xiw_counter_driver(dev, row->at);
		if (row->at == XIW_CNT_NO_RECEIVE)
			value += le64_to_cpu(stats->rx_parked);
		return value;
	case XIW_FROM_RNIC:
		return le64_to_cpu(*(const __le64 *)((const u8 *)stats + row->at));
	default:
		return 0;	/* xiw_counters_add() adds the numbers of messages */
	}
}

void xiw_counters_read(struct xiw_device *dev, struct xiw_messages *messages, u64 *values)
{
	struct xiw_stats_block stats;
	unsigned int i;

	dev->rnic.ops->stats(&dev->rnic, &stats);
	for (i = 0; i < ARRAY_SIZE(xiw_counter_rows); i++)
		values[i] = xiw_counter_read(dev, &stats, &xiw_counter_rows[i]);
	for (i = 0; i < XIW_MATCH_ROWS; i++) {
		messages->sent[i] = le64_to_cpu(stats.tx_messages[i]);
		messages->received[i] = le64_to_cpu(stats.rx_messages[i]);
	}
	xiw_counters_add(values, messages);
}

void xiw_counters_add(u64 *values, const struct xiw_messages *more)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xiw_counter_rows); i++) {
		const struct xiw_counter_row *row = &xiw_counter_rows[i];

		if (row->source == XIW_FROM_TX)
			values[i] += xiw_counter_sum(more->sent, row->at);
		else if (row->source == XIW_FROM_RX)
			values[i] += xiw_counter_sum(more->received, row->at);
	}
}

static struct rdma_stat_desc xiw_stat_descs[ARRAY_SIZE(xiw_counter_rows)];

struct rdma_hw_stats *xiw_alloc_hw_stats(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xiw_counter_rows); i++)
		xiw_stat_descs[i].name = xiw_counter_rows[i].name;
	return rdma_alloc_hw_stats_struct(xiw_stat_descs, ARRAY_SIZE(xiw_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

struct rdma_hw_stats *xiw_alloc_messages_stats(void)
{
	struct rdma_hw_stats *stats = xiw_alloc_hw_stats();
	unsigned int i;

	for (i = 0; stats && i < ARRAY_SIZE(xiw_counter_rows); i++)
		if (xiw_counter_rows[i].source < XIW_FROM_TX)
			set_bit(i, stats->is_disabled);
	return stats;
}
