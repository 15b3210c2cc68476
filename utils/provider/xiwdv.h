/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Parts of RFC 7306 that libibverbs does not support: masked atomics, the whole 64-bit immediate,
 * and a query for the optional operations of a connection. Link with -lxiwdv.
 *
 * Call the xiwdv_wr_* functions like ibv_wr_*, between ibv_wr_start() and ibv_wr_complete(). They
 * need a QP of ibv_create_qp_ex() or rdma_create_qp_ex() with IBV_QP_INIT_ATTR_SEND_OPS_FLAGS.
 * Before each call, set wr_id and wr_flags. After each call, set the data: for an atomic, one SGE
 * by ibv_wr_set_sge(); for a Write, SGEs or inline data. The completion of a masked atomic has the
 * opcode of the same atomic without a mask.
 */
#ifndef XIWDV_H
#define XIWDV_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** xiwdv_is_supported - check for an xiw device; all other functions require an xiw device */
bool xiwdv_is_supported(struct ibv_device *device);

enum xiwdv_cap {
	XIWDV_CAP_ATOMICS = 1 << 0,
	XIWDV_CAP_MASKED_ATOMICS = 1 << 1,
	XIWDV_CAP_IMMEDIATE_64 = 1 << 2,
	XIWDV_CAP_SEND_IMM = 1 << 3,	/* Send with Immediate was on when the device was opened */
};

struct xiwdv_device_attr {
	uint64_t comp_mask;	/* must be 0: no bits are defined yet */
	uint32_t caps;		/* enum xiwdv_cap */
	uint32_t max_inline;	/* octets of inline data; libibverbs has no field for this limit */
};

/** xiwdv_query_device - query the features of a device. Return: 0 or an errno */
int xiwdv_query_device(struct ibv_context *context, struct xiwdv_device_attr *attr);

enum xiwdv_peer_flag {
	XIWDV_PEER_CONNECTED = 1 << 0,
	XIWDV_PEER_ATOMICS = 1 << 1,	/* this end allows Atomic Operations */
	XIWDV_PEER_IMMEDIATE = 1 << 2,	/* this end allows Immediate Data */
	XIWDV_PEER_SEND_IMM = 1 << 3,	/* this end allows Send with Immediate, an experiment */
};

/**
 * xiwdv_query_peer - query the optional operations of a connection
 *
 * Makes no system call. RFC 7306 has no negotiation, so the flags depend only on the settings of
 * this end. Whether the peer supports the operations is unknown. To probe the peer, send a FetchAdd
 * of 0. If the peer does not support atomics, it ends the connection (RFC 7306 §5.1).
 *
 * Return: 0 or an errno; *flags: enum xiwdv_peer_flag
 */
int xiwdv_query_peer(struct ibv_qp *qp, uint32_t *flags);

/**
 * xiwdv_wr_masked_fetch_add - add field by field (RFC 7306 §5.1.1)
 * @mask: each set bit is the top bit of a field; the carry out of a field is dropped
 */
void xiwdv_wr_masked_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			       uint64_t add, uint64_t mask);

/**
 * xiwdv_wr_masked_cmp_swp - compare some bits, swap some bits (RFC 7306 §5.1.2)
 * @compare_mask: bits that are compared
 * @swap_mask: bits that are replaced if the compared bits are equal
 */
void xiwdv_wr_masked_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			     uint64_t compare, uint64_t compare_mask, uint64_t swap,
			     uint64_t swap_mask);

/**
 * xiwdv_wr_rdma_write_imm64 - write, and send eight octets of Immediate Data (RFC 7306 §6)
 * @imm: octets in wire format; ibv_wr_rdma_write_imm() sends four octets and four zeros
 */
void xiwdv_wr_rdma_write_imm64(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			       const uint8_t imm[8]);

/** struct xiwdv_wc - a completion, and fields that libibverbs does not have */
struct xiwdv_wc {
	struct ibv_wc wc;
	uint64_t timestamp;	/* ns, CLOCK_MONOTONIC */
	uint8_t imm[8];		/* wire format; valid with IBV_WC_WITH_IMM */
};

/** xiwdv_poll_cq - poll like ibv_poll_cq(), and fill in all fields of struct xiwdv_wc */
int xiwdv_poll_cq(struct ibv_cq *cq, int entries, struct xiwdv_wc *wc);

/** xiwdv_wc_read_imm64 - read the immediate of the current completion of an extended CQ */
void xiwdv_wc_read_imm64(struct ibv_cq_ex *cq, uint8_t imm[8]);

#ifdef __cplusplus
}
#endif

#endif
