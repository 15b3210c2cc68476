// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Gather the octets of a message: RDMAP header, then inline data or gather list. */
#include "soft/stream.h"

/**
 * xiw_soft_gather - get the next piece of the current message
 * @s: stream
 * @want: number of octets; at least 1, and at most the rest of the message
 * @from: address of the octets; valid until the next call, or until the pass ends
 *
 * Checks the STag for each piece. If the STag has become invalid, the function returns an error.
 *
 * Return: number of contiguous octets, at most @want, or minus enum xiw_status.
 */
int xiw_soft_gather(struct xiw_soft_stream *s, u32 want, const void **from)
{
	struct xiw_send_message *msg = &s->tx.core.msg;
	const struct xiw_tx_desc *desc = msg->desc;
	u32 header = desc->header_length, stag, n;
	enum xiw_stag_verdict verdict;
	void *va;
	u64 to;

	if (msg->at < header) {
		*from = msg->header + msg->at;
		n = min(want, header - msg->at);
		msg->at += n;
		return n;
	}
	if (!msg->sge) {
		*from = msg->inline_data + (msg->at - header);
		msg->at += want;
		return want;
	}
	while (msg->sge_at < desc->sges &&
	       msg->sge_off == le32_to_cpu(msg->sge[msg->sge_at].length)) {
		msg->sge_at++;
		msg->sge_off = 0;
	}
	if (unlikely(msg->sge_at == desc->sges))
		return -XIW_ERR_LENGTH;
	n = min(want, le32_to_cpu(msg->sge[msg->sge_at].length) - msg->sge_off);
	to = le64_to_cpu(msg->sge[msg->sge_at].addr) + msg->sge_off;
	stag = le32_to_cpu(msg->sge[msg->sge_at].stag);
	if (stag == XIW_STAG_LOCAL_DMA && !(desc->flags & XIW_TXF_REMOTE_READ)) {
		*from = (const void *)(uintptr_t)to;
	} else {
		verdict = xiw_soft_stag_check(s, &s->tx.ref, s->pd, stag, to, n,
					      desc->flags & XIW_TXF_REMOTE_READ ?
						      XIW_ACCESS_REMOTE_READ :
						      XIW_ACCESS_LOCAL_READ);
		if (unlikely(verdict))
			return -(int)xiw_stag_status(verdict);
		n = xiw_soft_stag_span(&s->tx.ref, to, n, &va);
		*from = va;
	}
	msg->sge_off += n;
	msg->at += n;
	return n;
}
