/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What a stream has carried, by RDMAP opcode. It is counted above the ring, from
 * descriptors and events, and so in the same way for every RNIC; only the peer's Writes
 * pass without an event, and the RNIC counts those in the stream context.
 *
 * Each direction has one owner, who counts without an atomic: what is sent is counted
 * under QP.sq_lock, what is received by the poll of the QP's vector, which alone handles
 * its events. Anybody may look, at any time while the QP lives. A reset of the QP, which
 * both owners are through with, begins again from zero.
 */
#ifndef XIW_TRAFFIC_H
#define XIW_TRAFFIC_H

#include <linux/compiler.h>
#include <rnic/xiw_rnic.h>

#include "core/wire.h"

struct xiw_qp;

/* Messages, and their octets with the RDMAP headers, one cache line for four opcodes. */
struct xiw_traffic {
	struct xiw_traffic_row {
		u64 messages, octets;
	} row[XIW_MATCH_ROWS];
};

/* The messages alone. */
struct xiw_messages {
	u64 sent[XIW_MATCH_ROWS], received[XIW_MATCH_ROWS];
};

/* One whole message. The direction's owner. */
static inline void xiw_traffic_count(struct xiw_traffic *traffic, u8 rdmap_ctrl, u32 octets)
{
	struct xiw_traffic_row *row = &traffic->row[rdmap_ctrl & XIW_RDMAP_OPCODE_MASK];

	WRITE_ONCE(row->messages, row->messages + 1);
	WRITE_ONCE(row->octets, row->octets + octets);
}

/* A descriptor for the RNIC; what changes STags is no message. QP.sq_lock is held. */
static inline void xiw_traffic_sent(struct xiw_traffic *traffic, const struct xiw_tx_desc *desc)
{
	if (desc->op == XIW_TX_UNTAGGED || desc->op == XIW_TX_TAGGED ||
	    desc->op == XIW_TX_ATOMIC)
		xiw_traffic_count(traffic, desc->rdmap_ctrl,
				  desc->header_length + le32_to_cpu(desc->length));
}

/* The RNIC counts the peer's Writes in 32 bits: how many there are of this many before. */
static inline u64 xiw_traffic_writes(u64 before, const struct xiw_stream_ctx *ctx)
{
	return before + (u32)(le32_to_cpu(READ_ONCE(ctx->rx_writes)) - (u32)before);
}

/* The poll of the QP's vector: a message came that is no Write. */
static inline void xiw_traffic_received(struct xiw_traffic *traffic,
					const struct xiw_stream_ctx *ctx, u8 rdmap_ctrl,
					u32 octets)
{
	struct xiw_traffic_row *writes = &traffic->row[XIW_OP_WRITE];

	xiw_traffic_count(traffic, rdmap_ctrl, octets);
	/* Often enough that nobody misses it when the RNIC's number comes round. */
	WRITE_ONCE(writes->messages, xiw_traffic_writes(writes->messages, ctx));
}

/* traffic.c */
void xiw_traffic_look(struct xiw_qp *qp, struct xiw_traffic *sent, struct xiw_traffic *received);

#endif
