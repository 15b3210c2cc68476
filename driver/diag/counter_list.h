/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The counters of a device, in addition to those of XIW_RNIC_STATS(). Each row is one counter.
 * Netlink, sysfs and "rdma statistic" use the name in the row. If a monitoring program already has
 * a name for what a row counts, the row uses this name. For example, node_exporter expects
 * out_of_buffer.
 *
 * The kind is a value of enum xiw_counter_kind without the prefix XIW_COUNTER_.
 */
#ifndef XIW_COUNTER_LIST_H
#define XIW_COUNTER_LIST_H

/* Counters of the driver: X(enumerator without XIW_CNT_, kind, name, what it counts). */
#define XIW_DRIVER_COUNTERS(X)						\
	/* counters.c adds rx_parked of the RNIC to this row */	\
	X(NO_RECEIVE, ERROR, "out_of_buffer", "messages without a posted receive")	\
	X(PARK_TIMEOUT, ERROR, "park_timeouts", "waits for a receive that timed out")	\
	X(OUT_OF_SEQUENCE, ERROR, "out_of_sequence", "messages out of sequence")	\
	X(REQ_REMOTE_ACCESS, ERROR, "req_remote_access_errors",		\
	  "own requests refused for access")				\
	X(RESP_REMOTE_ACCESS, ERROR, "resp_remote_access_errors",	\
	  "peers' requests refused for access")				\
	/* completions with an error other than a flush error */	\
	X(REQ_CQE_ERROR, ERROR, "req_cqe_error", "failed sends except flushed ones")	\
	X(RESP_CQE_ERROR, ERROR, "resp_cqe_error", "failed receives except flushed ones")	\
	X(MALFORMED, ERROR, "rx_malformed", "bad DDP or RDMAP headers")	\
	X(CQ_OVERFLOW, ERROR, "cq_overflows", "completion queue overflows")	\
	X(CONNECT_OK, NORMAL, "connects", "connections opened as initiator")	\
	X(ACCEPT_OK, NORMAL, "accepts", "connections opened as responder")	\
	X(CONNECT_FAILED, ERROR, "connect_errors", "failed connects")	\
	X(REJECTED, NORMAL, "rejects_sent", "Requests that this end rejected")	\
	X(REJECT_RECEIVED, ERROR, "rejects_received", "connects that the peer rejected")	\
	X(CONN_LOST, ERROR, "aborts", "lost TCP connections")		\
	X(RNIC_ERROR, ERROR, "rnic_errors", "events of the RNIC with impossible values")	\
	X(POLLS, COST, "polls", "times the driver polled an event ring")	\
	X(EVENTS, COST, "events", "events of the RNIC that the driver handled")

/* Counters of messages: X(direction, opcodes, kind, name, what it counts). */
#define XIW_MESSAGE_COUNTERS(X)						\
	X(RX, OP(WRITE), OPERATION, "rx_write_requests", "")		\
	X(RX, OP(READ_REQUEST), OPERATION, "rx_read_requests", "")	\
	X(RX, OP(ATOMIC_REQUEST), OPERATION, "rx_atomic_requests", "")	\
	X(TX, OP(WRITE), OPERATION, "tx_write", "")			\
	X(TX, OP(READ_REQUEST), OPERATION, "tx_read_request", "")	\
	X(TX, OP(READ_RESPONSE), OPERATION, "tx_read_response", "")	\
	X(TX, OP(SEND) | OP(SEND_SE) | OP(SEND_IMM), OPERATION, "tx_send", "")	\
	X(TX, OP(SEND_INV) | OP(SEND_SE_INV), OPERATION, "tx_send_inv", "")	\
	X(TX, OP(IMM) | OP(IMM_SE), OPERATION, "tx_immediate", "")	\
	X(TX, OP(ATOMIC_REQUEST), OPERATION, "tx_atomic_request", "")	\
	X(TX, OP(ATOMIC_RESPONSE), OPERATION, "tx_atomic_response", "")	\
	X(RX, OP(READ_RESPONSE), OPERATION, "rx_read_response", "")	\
	X(RX, OP(SEND) | OP(SEND_SE) | OP(SEND_IMM), OPERATION, "rx_send", "")	\
	X(RX, OP(SEND_INV) | OP(SEND_SE_INV), OPERATION, "rx_send_inv", "")	\
	X(RX, OP(IMM) | OP(IMM_SE), OPERATION, "rx_immediate", "")	\
	X(RX, OP(ATOMIC_RESPONSE), OPERATION, "rx_atomic_response", "")	\
	X(TX, OP(TERMINATE), ERROR, "terminates_sent", "Terminates sent")	\
	X(RX, OP(TERMINATE), ERROR, "terminates_received", "Terminates received")

#endif
