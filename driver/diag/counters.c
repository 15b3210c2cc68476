// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/counters.h"

#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/xiw.h>

#include "core/term.h"
#include "core/wire.h"
#include "xiw.h"

/* Source of a counter. */
enum xiw_source {
	XIW_FROM_DRIVER,	/* enum xiw_counter */
	XIW_FROM_RNIC,		/* offset in struct xiw_rnic_stats */
	XIW_FROM_SUM,		/* tx or rx messages of a set of opcodes */
};

struct xiw_counter_row {
	const char *name;
	u8 source;
	bool rx;
	bool listed;		/* id is valid */
	u8 id;			/* enum xiw_nl_counter */
	u16 at;			/* counter, offset or set of opcodes */
	bool more;		/* the value also includes counter "plus" of the driver */
	u8 plus;
};

#define NL(_id) .listed = true, .id = XIW_NL_COUNTER_##_id
#define DRIVER(_counter) .source = XIW_FROM_DRIVER, .at = XIW_CNT_##_counter
#define RNIC(_field) .source = XIW_FROM_RNIC, .at = offsetof(struct xiw_rnic_stats, _field)
#define PLUS(_counter) .more = true, .plus = XIW_CNT_##_counter
#define TX(_opcodes) .source = XIW_FROM_SUM, .at = _opcodes
#define RX(_opcodes) .source = XIW_FROM_SUM, .rx = true, .at = _opcodes
#define OP(_opcode) (1U << XIW_OP_##_opcode)

/* Counters that netlink reports by operation have no id. */
static const struct xiw_counter_row xiw_counter_rows[] = {
	/* names of rdmatop and similar tools */
	{ "tx_bytes", NL(TX_BYTES), RNIC(tx_octets) },
	{ "rx_bytes", NL(RX_BYTES), RNIC(rx_octets) },
	{ "tx_pkts", NL(TX_PKTS), RNIC(tx_fpdus) },
	{ "rx_pkts", NL(RX_PKTS), RNIC(rx_fpdus) },
	{ "rx_drops", NL(RX_DROPS), RNIC(rx_dropped) },
	/* node_exporter */
	{ "rx_write_requests", RX(OP(WRITE)) },
	{ "rx_read_requests", RX(OP(READ_REQUEST)) },
	{ "rx_atomic_requests", RX(OP(ATOMIC_REQUEST)) },
	{ "out_of_buffer", NL(OUT_OF_BUFFER), RNIC(rx_parked), PLUS(NO_RECEIVE) },
	{ "out_of_sequence", NL(OUT_OF_SEQUENCE), DRIVER(OUT_OF_SEQUENCE) },
	{ "req_remote_access_errors", NL(REQ_REMOTE_ACCESS_ERRORS), DRIVER(REQ_REMOTE_ACCESS) },
	{ "resp_remote_access_errors", NL(RESP_REMOTE_ACCESS_ERRORS),
	  DRIVER(RESP_REMOTE_ACCESS) },
	{ "req_cqe_error", NL(REQ_CQE_ERROR), DRIVER(REQ_CQE_ERROR) },
	{ "resp_cqe_error", NL(RESP_CQE_ERROR), DRIVER(RESP_CQE_ERROR) },
	/* by operation */
	{ "tx_write", TX(OP(WRITE)) },
	{ "tx_read_request", TX(OP(READ_REQUEST)) },
	{ "tx_read_response", TX(OP(READ_RESPONSE)) },
	{ "tx_send", TX(OP(SEND) | OP(SEND_SE)) },
	{ "tx_send_inv", TX(OP(SEND_INV) | OP(SEND_SE_INV)) },
	{ "tx_immediate", TX(OP(IMM) | OP(IMM_SE)) },
	{ "tx_atomic_request", TX(OP(ATOMIC_REQUEST)) },
	{ "tx_atomic_response", TX(OP(ATOMIC_RESPONSE)) },
	{ "rx_read_response", RX(OP(READ_RESPONSE)) },
	{ "rx_send", RX(OP(SEND) | OP(SEND_SE)) },
	{ "rx_send_inv", RX(OP(SEND_INV) | OP(SEND_SE_INV)) },
	{ "rx_immediate", RX(OP(IMM) | OP(IMM_SE)) },
	{ "rx_atomic_response", RX(OP(ATOMIC_RESPONSE)) },
	/* framing and flow */
	{ "tx_batches", NL(TX_BATCHES), RNIC(tx_sends) },
	{ "rx_staged", NL(RX_STAGED), RNIC(rx_staged) },
	{ "rx_crc_errors", NL(RX_CRC_ERRORS), RNIC(crc_errors) },
	{ "rx_framing_errors", NL(RX_FRAMING_ERRORS), RNIC(framing_errors) },
	{ "rx_malformed", NL(RX_MALFORMED), DRIVER(MALFORMED) },
	{ "event_stalls", NL(EVENT_STALLS), RNIC(event_stalls) },
	{ "doorbells", RNIC(doorbells) },
	{ "interrupts", RNIC(interrupts) },
	{ "polls", DRIVER(POLLS) },
	{ "events", DRIVER(EVENTS) },
	{ "cq_overflows", NL(CQ_OVERFLOWS), DRIVER(CQ_OVERFLOW) },
	{ "parks", NL(PARKS), RNIC(rx_parked) },
	{ "park_timeouts", NL(PARK_TIMEOUTS), DRIVER(PARK_TIMEOUT) },
	/* connections */
	{ "connects", NL(CONNECTS), DRIVER(CONNECT_OK) },
	{ "accepts", NL(ACCEPTS), DRIVER(ACCEPT_OK) },
	{ "connect_errors", NL(CONNECT_ERRORS), DRIVER(CONNECT_FAILED) },
	{ "rejects_sent", NL(REJECTS_SENT), DRIVER(REJECTED) },
	{ "rejects_received", NL(REJECTS_RECEIVED), DRIVER(REJECT_RECEIVED) },
	{ "mpa_errors", NL(MPA_ERRORS), RNIC(startup_errors) },
	{ "mpa_timeouts", NL(MPA_TIMEOUTS), RNIC(startup_timeouts) },
	{ "terminates_sent", NL(TERMINATES_SENT), TX(OP(TERMINATE)) },
	{ "terminates_received", NL(TERMINATES_RECEIVED), RX(OP(TERMINATE)) },
	{ "aborts", NL(ABORTS), DRIVER(CONN_LOST) },
	{ "rnic_errors", NL(RNIC_ERRORS), DRIVER(RNIC_ERROR) },
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
		break;
	}
	if (xiw_term_table[fault].event == XIW_TERM_EV_ACCESS)
		xiw_count(dev, XIW_CNT_RESP_REMOTE_ACCESS);
}

unsigned int xiw_counter_total(void)
{
	return ARRAY_SIZE(xiw_counter_rows);
}

int xiw_counter_id(unsigned int index)
{
	const struct xiw_counter_row *row = &xiw_counter_rows[index];

	return row->listed ? row->id : -1;
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
		/* pairs with this_cpu_add() in __xiw_count_many(), on another CPU */
		sum += READ_ONCE(per_cpu_ptr(dev->counters, cpu)->value[counter]);
	return sum;
}

void xiw_counters_read(struct xiw_device *dev, struct xiw_rnic_stats *stats, u64 *values)
{
	unsigned int i;

	dev->rnic.ops->stats(&dev->rnic, stats);
	for (i = 0; i < ARRAY_SIZE(xiw_counter_rows); i++) {
		const struct xiw_counter_row *row = &xiw_counter_rows[i];

		switch (row->source) {
		case XIW_FROM_DRIVER:
			values[i] = xiw_counter_driver(dev, row->at);
			break;
		case XIW_FROM_RNIC:
			values[i] = *(u64 *)((u8 *)stats + row->at);
			break;
		default:
			values[i] = xiw_counter_sum(row->rx ? stats->rx_messages :
							      stats->tx_messages, row->at);
			break;
		}
		if (row->more)
			values[i] += xiw_counter_driver(dev, row->plus);
	}
}

void xiw_counters_add(u64 *values, const struct xiw_messages *more)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xiw_counter_rows); i++) {
		const struct xiw_counter_row *row = &xiw_counter_rows[i];

		if (row->source == XIW_FROM_SUM)
			values[i] += xiw_counter_sum(row->rx ? more->received : more->sent,
						     row->at);
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
		if (xiw_counter_rows[i].source != XIW_FROM_SUM)
			set_bit(i, stats->is_disabled);
	return stats;
}
