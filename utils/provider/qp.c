// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queue pairs. */
#include "provider.h"

#include <errno.h>
#include <stdlib.h>

struct xiw_create_qp_req {
	struct ibv_create_qp ib;
	struct xiw_abi_create_qp_req drv;
};

struct xiw_create_qp_resp {
	struct ib_uverbs_create_qp_resp ib;
	struct xiw_abi_create_qp_resp drv;
};
_Static_assert(offsetof(struct xiw_create_qp_req, drv) == sizeof(struct ibv_create_qp), "gap");
_Static_assert(offsetof(struct xiw_create_qp_resp, drv) ==
	       sizeof(struct ib_uverbs_create_qp_resp), "gap");

/* Check that the slots are large enough for the limits of the created QP. */
static bool xiw_qp_fits(const struct ibv_qp_cap *cap, const struct xiw_abi_create_qp_resp *drv,
			bool has_rq)
{
	size_t send = sizeof(struct xiw_abi_send), recv = sizeof(struct xiw_abi_recv);
	size_t sges = (size_t)cap->max_send_sge * sizeof(struct xiw_abi_sge);

	if (sges > cap->max_inline_data)
		send += sges;
	else
		send += cap->max_inline_data;
	recv += (size_t)cap->max_recv_sge * sizeof(struct xiw_abi_sge);
	return drv->sq.stride >= send && (!has_rq || drv->rq.stride >= recv);
}

static int xiw_qp_map(struct xiw_qp *qp, struct ibv_context *context,
		      const struct ibv_qp_cap *cap, const struct xiw_abi_create_qp_resp *drv)
{
	bool has_rq = drv->rq.length != 0;
	int err;

	if (!xiw_qp_fits(cap, drv, has_rq))
		return EPROTO;
	err = xiw_map(context, &qp->sq, &drv->sq);
	if (!err && has_rq)
		err = xiw_map(context, &qp->rq, &drv->rq);
	if (err)
		return err;
	qp->scratch = calloc(1, drv->sq.stride);
	if (!qp->scratch)
		return ENOMEM;
	qp->slot = qp->scratch;
	return 0;
}

static void xiw_qp_free(struct xiw_qp *qp)
{
	xiw_unmap(&qp->sq);
	xiw_unmap(&qp->rq);
	pthread_mutex_destroy(&qp->sq_lock);
	pthread_mutex_destroy(&qp->rq_lock);
	free(qp->scratch);
	free(qp);
}

static struct xiw_qp *xiw_qp_new(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	uint64_t send_ops = 0;
	struct xiw_create_qp_resp resp = {};
	struct xiw_create_qp_req req = {};
	struct xiw_qp *qp;
	int err;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	pthread_mutex_init(&qp->sq_lock, NULL);
	pthread_mutex_init(&qp->rq_lock, NULL);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		send_ops = attr->send_ops_flags;
		err = xiw_wr_ops(qp, to_xiw_context(context)->limits.caps, send_ops);
		if (err)
			goto free;
	}
	err = ibv_cmd_create_qp_ex(context, &qp->base, attr, &req.ib, sizeof(req), &resp.ib,
				   sizeof(resp));
	if (err)
		goto free;
	qp->limits.max_sge = attr->cap.max_send_sge;
	qp->limits.max_inline = attr->cap.max_inline_data;
	qp->max_recv_sge = attr->cap.max_recv_sge;
	qp->signal_all = attr->sq_sig_all;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->base.comp_mask |= VERBS_QP_EX;
	err = xiw_qp_map(qp, context, &attr->cap, &resp.drv);
	if (err)
		goto destroy;
	xiw_doorbell_init(&qp->sq_bell, context->cmd_fd, IB_USER_VERBS_CMD_POST_SEND,
			  qp->base.qp.handle, sizeof(struct ib_uverbs_send_wr));
	xiw_doorbell_init(&qp->rq_bell, context->cmd_fd, IB_USER_VERBS_CMD_POST_RECV,
			  qp->base.qp.handle, sizeof(struct ib_uverbs_recv_wr));
	return qp;

destroy:
	ibv_cmd_destroy_qp(&qp->base.qp);
free:
	xiw_qp_free(qp);
	errno = err;
	return NULL;
}

struct ibv_qp *xiw_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct xiw_qp *qp = xiw_qp_new(pd->context, &ex);

	if (!qp)
		return NULL;
	attr->cap = ex.cap;
	return &qp->base.qp;
}

struct ibv_qp *xiw_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct xiw_qp *qp;

	if (attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = xiw_qp_new(context, attr);
	return qp ? &qp->base.qp : NULL;
}

static void xiw_cq_forget(struct ibv_cq *ibcq, uint32_t qp_num)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);

	pthread_spin_lock(&cq->lock);
	xiw_ring_forget(&cq->ring, qp_num);
	pthread_spin_unlock(&cq->lock);
}

/* Drop the unread completions of a QP. */
static void xiw_cqs_forget(struct ibv_qp *ibqp)
{
	xiw_cq_forget(ibqp->send_cq, ibqp->qp_num);
	if (ibqp->recv_cq != ibqp->send_cq)
		xiw_cq_forget(ibqp->recv_cq, ibqp->qp_num);
}

int xiw_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct ibv_modify_qp cmd = {};
	int err;

	if (!(mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RESET)
		return ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	/*
	 * The command drops the posted work requests, and may reset the indexes of the queues. So
	 * block posts during the command. From start_poll to end_poll, a thread holds the lock of a
	 * CQ, and this thread may post. To avoid a deadlock with this thread, release the locks of
	 * both queues before xiw_cqs_forget() takes the locks of the CQs.
	 */
	pthread_mutex_lock(&qp->sq_lock);
	pthread_mutex_lock(&qp->rq_lock);
	err = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));
	/* The driver may have reset the indexes and failed afterwards. */
	xiw_ring_restart(&qp->sq);
	if (qp->rq.shared)
		xiw_ring_restart(&qp->rq);
	pthread_mutex_unlock(&qp->rq_lock);
	pthread_mutex_unlock(&qp->sq_lock);
	if (!err)
		xiw_cqs_forget(ibqp);
	return err;
}

int xiw_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(ibqp, attr, mask, init, &cmd, sizeof(cmd));
}

int xiw_destroy_qp(struct ibv_qp *ibqp)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int err = ibv_cmd_destroy_qp(ibqp);

	if (err)
		return err;
	xiw_cqs_forget(ibqp);
	xiw_qp_free(qp);
	return 0;
}
