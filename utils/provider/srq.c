// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Shared receive queues. */
#include "provider.h"

#include <errno.h>
#include <stdlib.h>

struct xiw_create_srq_req {
	struct ibv_create_srq ib;
	struct xiw_abi_create_srq_req drv;
};

struct xiw_create_srq_resp {
	struct ib_uverbs_create_srq_resp ib;
	struct xiw_abi_create_srq_resp drv;
};
_Static_assert(offsetof(struct xiw_create_srq_req, drv) == sizeof(struct ibv_create_srq), "gap");
_Static_assert(offsetof(struct xiw_create_srq_resp, drv) ==
	       sizeof(struct ib_uverbs_create_srq_resp), "gap");

struct ibv_srq *xiw_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct xiw_create_srq_resp resp = {};
	struct xiw_create_srq_req req = {};
	struct xiw_srq *srq = calloc(1, sizeof(*srq));
	int err;

	if (!srq)
		return NULL;
	pthread_mutex_init(&srq->lock, NULL);
	err = ibv_cmd_create_srq(pd, &srq->base, attr, &req.ib, sizeof(req), &resp.ib,
				 sizeof(resp));
	if (err)
		goto free;
	err = xiw_map(pd->context, &srq->ring, &resp.drv.rq);
	if (err)
		goto destroy;
	srq->max_sge = attr->attr.max_sge;
	xiw_doorbell_init(&srq->bell, pd->context->cmd_fd, IB_USER_VERBS_CMD_POST_SRQ_RECV,
			  srq->base.handle, sizeof(struct ib_uverbs_recv_wr));
	return &srq->base;

destroy:
	ibv_cmd_destroy_srq(&srq->base);
free:
	pthread_mutex_destroy(&srq->lock);
	free(srq);
	errno = err;
	return NULL;
}

int xiw_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	return ibv_cmd_modify_srq(ibsrq, attr, mask, &cmd, sizeof(cmd));
}

int xiw_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
}

int xiw_destroy_srq(struct ibv_srq *ibsrq)
{
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	int err = ibv_cmd_destroy_srq(ibsrq);

	if (err)
		return err;
	xiw_unmap(&srq->ring);
	pthread_mutex_destroy(&srq->lock);
	free(srq);
	return 0;
}
