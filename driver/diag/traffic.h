/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Numbers of messages of a stream, by RDMAP opcode. The driver counts a sent message when it writes
 * the descriptor, and a received message when it handles the event. So the numbers have the same
 * meaning for every RNIC. Inbound Writes cause no event. The RNIC counts them in the stream
 * context.
 *
 * Sent messages are counted under QP.sq_lock. Received messages are counted in the poll of the QP's
 * vector, which alone handles the events of the QP. So each direction has only one writer at a
 * time, and the counters need not be atomic. Any context may read the numbers while the QP exists.
 * A reset of the QP clears them after the writers have finished.
 */
#ifndef XIW_TRAFFIC_H
#define XIW_TRAFFIC_H

#include <linux/compiler.h>
#include <rnic/xiw_rnic.h>

#include "core/wire.h"

struct xiw_qp;

/*
 * Numbers of messages and of their octets, RDMAP headers included. Four opcodes share a cache line.
 */
struct xiw_traffic {
	struct xiw_traffic_row {
		u64 messages, octets;
	} row[XIW_MATCH_ROWS];
};

/* Numbers of messages, without the numbers of their octets. */
struct xiw_messages {
	u64 sent[XIW_MATCH_ROWS], received[XIW_MATCH_ROWS];
};

/* Count one whole message. Only the writer of the direction calls this. */
static inline void xiw_traffic_count(struct xiw_traffic *traffic, u8 rdmap_ctrl, u32 octets)
{
	struct xiw_traffic_row *row = &traffic->row[rdmap_ctrl & XIW_RDMAP_OPCODE_MASK];

	WRITE_ONCE(row->messages, row->messages + 1);
	WRITE_ONCE(row->octets, row->octets + octets);
}

/* Count the message of a descriptor, if the descriptor sends one. QP.sq_lock is held. */
static inline void xiw_traffic_sent(struct xiw_traffic *traffic, const struct xiw_tx_desc *desc)
{
	if (desc->op == XIW_TX_UNTAGGED || desc->op == XIW_TX_TAGGED ||
	    desc->op == XIW_TX_ATOMIC)
		xiw_traffic_count(traffic, desc->rdmap_ctrl,
				  desc->header_length + le32_to_cpu(desc->length));
}

/* traffic.c */
void xiw_traffic_look(struct xiw_qp *qp, struct xiw_traffic *sent, struct xiw_traffic *received);

#endif
