/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Translate a verbs work request into TX descriptors. */
#ifndef XIW_WR_H
#define XIW_WR_H

#include "core/rdmap.h"
#include "verbs/qp.h"

/*
 * Octets of the longest descriptor of a work request that has neither a gather list nor inline
 * data: an Atomic Request.
 */
#define XIW_IMAGE_MIN (sizeof(struct xiw_tx_desc) + sizeof(struct xiw_tx_sink) + \
		       ALIGN(XIW_ATOMIC_REQ_LEN, 16))

/* An STag that is never valid: index 0 of the STag table is never allocated. */
#define XIW_STAG_NOBODY 1

/* The work request that binds an MW. Only users can post it; kernel verbs do not define it. */
#define XIW_WR_BIND IB_WR_RESERVED1

struct xiw_bind_wr {
	struct ib_send_wr wr;
	u32 rkey;		/* new rkey of the MW */
	u32 region;		/* lkey of the MR */
	u64 base;
	u64 length;
	int access;		/* IB_ACCESS_REMOTE_* */
};

/**
 * xiw_wr_encode - fill a send queue entry
 * @qp: QP whose limits apply
 * @sqe: entry; the function sets all its members, and encodes the descriptor into its image
 * @wr: work request
 * @cookie: cookie that the RNIC returns for the work request
 *
 * Context: any, QP.sq_lock held.
 *
 * Return: 0, -EINVAL (malformed), -EMSGSIZE (too long), or -EOPNOTSUPP (the driver does not support
 * the operation).
 */
int xiw_wr_encode(struct xiw_qp *qp, struct xiw_sqe *sqe, const struct ib_send_wr *wr,
		  u32 cookie);

/*
 * Encode the Immediate Data message after a Write (RFC 7306 §6). @desc: one unit. @imm: eight
 * octets.
 */
void xiw_wr_encode_immediate(struct xiw_tx_desc *desc, const u8 *imm, bool solicited);

/* Get the size in octets of the image in a send queue entry of a QP with these limits. */
u32 xiw_wr_image_size(u32 max_sge, u32 max_inline);

/* Convert IB_ACCESS_* to enum xiw_stag_access. The result always includes local reads. */
u8 xiw_access_of_ib(int access);

#endif
