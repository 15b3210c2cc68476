/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Probe whether the peer supports remote atomics, which MPA negotiation does not report (RFC
 * 7306 §1.1). The probe is a FetchAdd of 0, which changes nothing. The probe works for any kernel
 * ULP over any RDMA device, because it uses only verbs.
 *
 * If the peer does not support atomics, it terminates the connection, and the ULP must connect
 * again and use no atomics. So probe the peer before any work is pending.
 */
#ifndef XIW_PROBE_H
#define XIW_PROBE_H

#include <rdma/ib_verbs.h>

enum xiw_probe {
	XIW_PROBE_NO,		/* the peer does not support atomics; the connection has ended */
	XIW_PROBE_YES,
	/* The connection ended for another reason, or the key does not permit atomics. */
	XIW_PROBE_UNKNOWN,
};

/**
 * xiw_probe_wr - fill in the work request of a probe
 * @wr: work request. The caller sets wr.wr_cqe or wr.wr_id, and sets wr.sg_list to one entry of
 *	eight octets for the returned value. This function sets the other members of a FetchAdd
 * @remote_addr: address in the peer's memory, a multiple of 8
 * @rkey: rkey of this memory, with IB_ACCESS_REMOTE_ATOMIC
 *
 * Context: any. Post the work request with ib_post_send(), which fails if the local device does not
 * support atomics.
 */
static inline void xiw_probe_wr(struct ib_atomic_wr *wr, u64 remote_addr, u32 rkey)
{
	wr->wr.next = NULL;
	wr->wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	wr->wr.send_flags = IB_SEND_SIGNALED;
	wr->wr.num_sge = 1;
	wr->remote_addr = remote_addr;
	wr->rkey = rkey;
	wr->compare_add = 0;
}

/**
 * xiw_probe_answer - get the result of a probe
 * @status: completion status of the probe
 *
 * Context: any.
 *
 * Return: enum xiw_probe.
 */
static inline enum xiw_probe xiw_probe_answer(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return XIW_PROBE_YES;
	case IB_WC_REM_INV_REQ_ERR:	/* Terminate: unexpected opcode, or invalid queue number */
	case IB_WC_REM_OP_ERR:
		return XIW_PROBE_NO;
	default:
		return XIW_PROBE_UNKNOWN;
	}
}

#endif
