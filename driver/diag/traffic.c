// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/traffic.h"

#include "rdmap/stream.h"

/**
 * xiw_traffic_look - read the numbers of messages of a QP's stream
 * @qp: QP of the stream; the caller holds a reference
 * @sent: messages and octets sent, by opcode
 * @received: messages and octets received, by opcode
 *
 * Context: any; QP.sq_lock is not held.
 */
void xiw_traffic_look(struct xiw_qp *qp, struct xiw_traffic *sent, struct xiw_traffic *received)
{
	struct xiw_traffic_row *row;
	unsigned long flags;
	unsigned int op;

	spin_lock_irqsave(&qp->sq_lock, flags);
	*sent = qp->sent;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	for (op = 0; op < XIW_MATCH_ROWS; op++) {
		received->row[op].messages = READ_ONCE(qp->received.row[op].messages);
		received->row[op].octets = READ_ONCE(qp->received.row[op].octets);
	}

	row = &received->row[XIW_OP_WRITE];
	row->messages = le64_to_cpu(READ_ONCE(qp->ctx->rx_writes));
	row->octets = le64_to_cpu(READ_ONCE(qp->ctx->rx_write_octets));
	/*
	 * The driver has not counted the Terminate of this end, because this Terminate has no
	 * descriptor. The RNIC sets XIW_ST_TERM_SENT when TCP has the Terminate.
	 */
	if (xiw_stream_bits(qp) & XIW_ST_TERM_SENT) {
		row = &sent->row[XIW_OP_TERMINATE];
		row->messages = 1;
		row->octets = le32_to_cpu(READ_ONCE(qp->ctx->term_length));
	}
}
