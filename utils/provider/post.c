// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Post work requests: write the slots, then the index `producer`. Then ring the doorbell. Receive
 * queues need the doorbell only if the kernel requests it.
 */
#include "provider.h"

#include <errno.h>

/* Get the work request at position @n, from 0, in the list that starts at @wr. */
static struct ibv_send_wr *xiw_nth(struct ibv_send_wr *wr, uint32_t n)
{
	while (n-- && wr->next)
		wr = wr->next;
	return wr;
}

/*
 * Restore the rkeys of the MWs whose binds were refused. @bad is the first refused work request. It
 * is in slot @first. The last refused work request is in the slot before @end. Begin with the last
 * bind, because several binds may name the same MW.
 */
static void xiw_unbind(const struct xiw_ring *sq, struct ibv_send_wr *bad, uint32_t first,
		       uint32_t end)
{
	const struct xiw_abi_send *slot;

	while (end != first) {
		slot = xiw_ring_entry(sq, --end);
		if (slot->opcode == XIW_ABI_OP_BIND)
			xiw_nth(bad, end - first)->bind_mw.mw->rkey = slot->compare;
	}
}

bool xiw_sq_has_room(struct xiw_qp *qp, uint32_t next)
{
	if (xiw_ring_has_room(&qp->sq, next))
		return true;
	if (next == qp->sq.next)
		xiw_doorbell_ring(&qp->sq_bell);
	return xiw_ring_has_room(&qp->sq, next);
}

int xiw_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct ibv_send_wr *first = wr;
	uint32_t start, next;
	int err = 0, refused;

	pthread_mutex_lock(&qp->sq_lock);
	start = qp->sq.next;
	for (next = start; wr; wr = wr->next, next++) {
		if (!xiw_sq_has_room(qp, next))
			err = ENOMEM;
		else
			err = xiw_slot_send(xiw_ring_entry(&qp->sq, next), wr, qp->signal_all,
					    &qp->limits);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (next != start) {
		xiw_ring_produce(&qp->sq, next);
		refused = xiw_doorbell_ring(&qp->sq_bell);
		if (refused) {
			err = refused;
			*bad_wr = xiw_nth(first, xiw_ring_take_back(&qp->sq, start));
			xiw_unbind(&qp->sq, *bad_wr, qp->sq.next, next);
		}
	}
	pthread_mutex_unlock(&qp->sq_lock);
	return err;
}

static int xiw_post_receives(struct xiw_ring *ring, struct xiw_doorbell *bell, uint32_t max_sge,
			     struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	uint32_t next = ring->next;
	int err = 0;

	for (; wr; wr = wr->next, next++) {
		if (!xiw_ring_has_room(ring, next))
			err = ENOMEM;
		else
			err = xiw_slot_recv(xiw_ring_entry(ring, next), wr, max_sge);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (next != ring->next) {
		xiw_ring_produce(ring, next);
		/*
		 * If the doorbell fails, the QP, SRQ or device has been destroyed. The posted slots
		 * then have no effect, so ignore the error.
		 */
		if (xiw_ring_wants_bell(ring))
			xiw_doorbell_ring(bell);
	}
	return err;
}

int xiw_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int err;

	if (!qp->rq.shared) {	/* the QP has an SRQ */
		*bad_wr = wr;
		return EINVAL;
	}
	pthread_mutex_lock(&qp->rq_lock);
	err = xiw_post_receives(&qp->rq, &qp->rq_bell, qp->max_recv_sge, wr, bad_wr);
	pthread_mutex_unlock(&qp->rq_lock);
	return err;
}

int xiw_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	int err;

	pthread_mutex_lock(&srq->lock);
	err = xiw_post_receives(&srq->ring, &srq->bell, srq->max_sge, wr, bad_wr);
	pthread_mutex_unlock(&srq->lock);
	return err;
}
