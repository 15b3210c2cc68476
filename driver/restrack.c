// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "restrack.h"

#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "cq.h"
#include "mr.h"
#include "qp.h"

static struct nlattr *xiw_res_begin(struct sk_buff *msg)
{
	return nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
}

static int xiw_res_end(struct sk_buff *msg, struct nlattr *table, bool failed)
{
	if (failed) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

int xiw_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct nlattr *table = xiw_res_begin(msg);
	bool failed;

	if (!table)
		return -EMSGSIZE;
	failed = rdma_nl_put_driver_string(msg, "stream", xiw_qps_name[READ_ONCE(qp->state)]) ||
		 rdma_nl_put_driver_u32(msg, "sq_depth", qp->sq_depth) ||
		 rdma_nl_put_driver_u32(msg, "sq_used", qp->sq_tail - qp->sq_head) ||
		 rdma_nl_put_driver_u32(msg, "rq_depth", qp->rq_depth) ||
		 rdma_nl_put_driver_u32(msg, "rq_used", qp->rq_tail - qp->rq_head) ||
		 rdma_nl_put_driver_u32(msg, "ord", qp->orq.depth) ||
		 rdma_nl_put_driver_u32(msg, "ord_used", qp->orq.count) ||
		 rdma_nl_put_driver_u32(msg, "mulpdu", le32_to_cpu(qp->ctx->mulpdu)) ||
		 rdma_nl_put_driver_u32(msg, "parked", le32_to_cpu(qp->ctx->parked)) ||
		 rdma_nl_put_driver_u64(msg, "tx_bytes", le64_to_cpu(qp->ctx->tx_octets)) ||
		 rdma_nl_put_driver_u64(msg, "rx_bytes", le64_to_cpu(qp->ctx->rx_octets));
	return xiw_res_end(msg, table, failed);
}

int xiw_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	struct nlattr *table = xiw_res_begin(msg);
	bool failed;

	if (!table)
		return -EMSGSIZE;
	failed = rdma_nl_put_driver_u32(msg, "entries", cq->mask + 1) ||
		 rdma_nl_put_driver_u32(msg, "used", cq->tail - cq->head) ||
		 rdma_nl_put_driver_u32(msg, "armed", cq->armed) ||
		 rdma_nl_put_driver_u32(msg, "overrun", cq->overrun) ||
		 rdma_nl_put_driver_u32(msg, "moderate_count", cq->moderate_count) ||
		 rdma_nl_put_driver_u32(msg, "moderate_us", cq->moderate_us);
	return xiw_res_end(msg, table, failed);
}

int xiw_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct xiw_mr *mr = to_xiw_mr(ibmr);
	struct nlattr *table = xiw_res_begin(msg);
	bool failed;

	if (!table)
		return -EMSGSIZE;
	failed = rdma_nl_put_driver_u32(msg, "max_pages", mr->max_pages) ||
		 rdma_nl_put_driver_u32(msg, "pages", mr->page_count);
	return xiw_res_end(msg, table, failed);
}
