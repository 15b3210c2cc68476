// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Put the state of a connection's stream: its queues, its messages, and its TCP connection. */
#include "core/opcode.h"
#include "netlink/put.h"
#include "verbs/qp.h"

struct xiw_nl_queues {
	u32 sq_used, rq_used;		/* number of pending work requests */
	struct xiw_traffic sent, received;
};

/**
 * xiw_nl_put_messages - put the numbers of messages of one opcode
 * @skb: message
 * @type: attribute type of the nest
 * @opcode: RDMAP opcode
 * @tx: messages sent, and their octets if @octets is true
 * @rx: messages received, and their octets if @octets is true
 * @octets: true to put octets, too
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_put_messages(struct sk_buff *skb, int type, u8 opcode,
			const struct xiw_traffic_row *tx, const struct xiw_traffic_row *rx,
			bool octets)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest || nla_put_u8(skb, XIW_A_OPERATION_ENTRY_OPCODE, opcode) ||
	    nla_put_u64_64bit(skb, XIW_A_OPERATION_ENTRY_TX, tx->messages,
			      XIW_A_OPERATION_ENTRY_PAD) ||
	    nla_put_u64_64bit(skb, XIW_A_OPERATION_ENTRY_RX, rx->messages,
			      XIW_A_OPERATION_ENTRY_PAD) ||
	    (octets && (nla_put_u64_64bit(skb, XIW_A_OPERATION_ENTRY_TX_BYTES, tx->octets,
					  XIW_A_OPERATION_ENTRY_PAD) ||
			nla_put_u64_64bit(skb, XIW_A_OPERATION_ENTRY_RX_BYTES, rx->octets,
					  XIW_A_OPERATION_ENTRY_PAD))))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static void xiw_nl_look(struct xiw_nl_queues *queues, struct xiw_qp *qp)
{
	unsigned long flags;

	queues->sq_used = xiw_sq_look(qp);
	spin_lock_irqsave(&qp->rq_lock, flags);
	queues->rq_used = qp->rq_tail - qp->rq_head;
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	xiw_traffic_look(qp, &queues->sent, &queues->received);
}

static int xiw_nl_put_operations(struct sk_buff *skb, const struct xiw_nl_queues *queues)
{
	const struct xiw_traffic_row *tx, *rx;
	unsigned int op;

	for (op = 0; op < XIW_MATCH_ROWS; op++) {
		tx = &queues->sent.row[op];
		rx = &queues->received.row[op];
		if ((tx->messages || rx->messages || rx->octets) &&
		    xiw_nl_put_messages(skb, XIW_A_CONNECTION_OPERATION, op, tx, rx, true))
			return -EMSGSIZE;
	}
	return 0;
}

static int xiw_nl_put_tcp(struct sk_buff *skb, struct xiw_qp *qp)
{
	struct xiw_rnic *rnic = &qp->dev->rnic;
	struct xiw_rnic_tcp tcp;
	struct nlattr *nest;

	if (!rnic->ops->tcp || !rnic->ops->tcp(rnic, qp->stream, &tcp))
		return 0;
	nest = nla_nest_start(skb, XIW_A_CONNECTION_TCP);
	if (!nest || nla_put_u32(skb, XIW_A_TCP_RTT, tcp.rtt_us) ||
	    nla_put_u32(skb, XIW_A_TCP_RTT_VAR, tcp.rtt_var_us) ||
	    nla_put_u32(skb, XIW_A_TCP_MSS, tcp.mss) ||
	    nla_put_u32(skb, XIW_A_TCP_CWND, tcp.cwnd) ||
	    nla_put_u32(skb, XIW_A_TCP_PEER_WINDOW, tcp.peer_window) ||
	    nla_put_u32(skb, XIW_A_TCP_RETRANSMITS, tcp.retransmits) ||
	    nla_put_u32(skb, XIW_A_TCP_TX_QUEUE, tcp.tx_queue) ||
	    nla_put_u32(skb, XIW_A_TCP_RX_QUEUE, tcp.rx_queue) ||
	    nla_put_string(skb, XIW_A_TCP_CONGESTION, tcp.congestion) ||
	    (tcp.cipher && nla_put_u8(skb, XIW_A_TCP_CIPHER, tcp.cipher - 1)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * xiw_nl_put_stream - put the queues, messages and TCP state of a QP's stream
 * @skb: message about a connection
 * @qp: QP of the connection; the caller ensures that it is not freed
 *
 * Context: any.
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_put_stream(struct sk_buff *skb, struct xiw_qp *qp)
{
	struct xiw_nl_queues queues;
	bool shared = qp->srq;

	xiw_nl_look(&queues, qp);
	return nla_put_u32(skb, XIW_A_CONNECTION_SQ_DEPTH, qp->sq_depth) ||
	       nla_put_u32(skb, XIW_A_CONNECTION_SQ_USED, queues.sq_used) ||
	       (!shared && nla_put_u32(skb, XIW_A_CONNECTION_RQ_DEPTH, qp->rq_depth)) ||
	       (!shared && nla_put_u32(skb, XIW_A_CONNECTION_RQ_USED, queues.rq_used)) ||
	       xiw_nl_put_operations(skb, &queues) ||
	       xiw_nl_put_tcp(skb, qp);
}
