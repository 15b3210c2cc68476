/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Does the other end have remote atomics? iWARP's startup does not tell (RFC 7306
 * §1.1). A FetchAdd of 0 asks without changing anything. For any kernel ULP over any
 * RDMA device: it takes verbs alone, nothing of xiw.
 *
 * To ask costs the connection if the answer is no: the other end terminates it, and
 * the ULP connects anew and does without. So ask before there is work to lose.
 */
#ifndef XIW_PROBE_H
#define XIW_PROBE_H

#include <rdma/ib_verbs.h>

enum xiw_probe {
	XIW_PROBE_NO,		/* and the connection is gone */
	XIW_PROBE_YES,
	/* The connection ended for another reason, or the key does not give the right. */
	XIW_PROBE_UNKNOWN,
};

/**
 * xiw_probe_wr - make a work request ask for remote atomics
 * @wr: wr.wr_cqe or wr.wr_id is the caller's, and so is wr.sg_list with one entry of
 *	eight octets for the value that comes back; the rest is set
 * @remote_addr: multiple of 8 octets in memory of the other end
 * @rkey: its key, with IB_ACCESS_REMOTE_ATOMIC
 *
 * Context: any. Post it with ib_post_send(), which itself refuses what the own device
 * does not have.
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
 * xiw_probe_answer - what the completion of such a work request says
 * @status: of the completion
 *
 * Context: any.
 */
static inline enum xiw_probe xiw_probe_answer(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return XIW_PROBE_YES;
	case IB_WC_REM_INV_REQ_ERR:	/* unexpected opcode, no such queue */
	case IB_WC_REM_OP_ERR:
		return XIW_PROBE_NO;
	default:
		return XIW_PROBE_UNKNOWN;
	}
}

#endif
