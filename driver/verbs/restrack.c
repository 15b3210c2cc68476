// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/restrack.h"

#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "cm/cm.h"
#include "core/setup.h"
#include "queue/cq.h"
#include "rdmap/inbound.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "xiw.h"

/* Names of all sets of RTR forms. The index is a set of enum xiw_rtr bits. */
static const char *const xiw_res_rtr[XIW_RTR_ALL + 1] = {
	"none", "write", "read", "write+read", "send", "write+send", "read+send",
	"write+read+send",
};

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

/* Usage of a QP's SQ, RQ, ORD and IRD, read under the QP's locks. ord_depth is the QP's ORD. */
struct xiw_res_used {
	u32 sq, rq, ord, ord_depth, ird;
};

static void xiw_res_look(struct xiw_res_used *used, struct xiw_qp *qp)
{
	unsigned long flags;

	xiw_sq_lock_settled(qp, &flags);
	xiw_response_catch_up(qp);
	used->sq = xiw_sq_used(qp);
	used->ord = qp->orq.count;
	used->ord_depth = qp->orq.depth;
	used->ird = qp->inbound ? xiw_irrq_used(&qp->irrq) : 0;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	spin_lock_irqsave(&qp->rq_lock, flags);
	used->rq = qp->rq_tail - qp->rq_head;
	spin_unlock_irqrestore(&qp->rq_lock, flags);
}

/*
 * Take a reference on a QP. A kernel without rdma_restrack_begin_del() still lists a QP after
 * destroy_qp has freed the memory of the QP. struct xiw_qp itself exists until the kernel has
 * removed the QP from its list. destroy_qp removes the QP from the array first, and then waits
 * until all references on the QP are dropped. So a reference on a QP in the array keeps the memory
 * of the QP.
 *
 * Return: false if the QP is being destroyed.
 */
static bool xiw_res_get_qp(struct xiw_qp *qp)
{
	struct xiw_device *dev = to_xiw_device(qp->ibqp.device);
	bool there;

	xa_lock_bh(&dev->qps);
	there = xa_load(&dev->qps, qp->stream) == qp;
	if (there)
		xiw_qp_get(qp);
	xa_unlock_bh(&dev->qps);
	return there;
}

static const char *xiw_res_on(bool on)
{
	return on ? "on" : "off";
}

static int xiw_res_agreed(struct sk_buff *msg, const struct xiw_startup *startup)
{
	u32 flags = le32_to_cpu(startup->agreed.flags);
	u8 rtr = flags & XIW_CONNF_P2P ? xiw_setup_rtr(flags) : 0;

	return rdma_nl_put_driver_u32(msg, "mpa_revision", startup->agreed.mpa_rev) ||
	       rdma_nl_put_driver_string(msg, "crc", xiw_res_on(flags & XIW_CONNF_CRC)) ||
	       rdma_nl_put_driver_string(msg, "markers_tx",
					 xiw_res_on(flags & XIW_CONNF_TX_MARKERS)) ||
	       rdma_nl_put_driver_string(msg, "markers_rx",
					 xiw_res_on(flags & XIW_CONNF_RX_MARKERS)) ||
	       rdma_nl_put_driver_u32(msg, "ird", le16_to_cpu(startup->agreed.ird)) ||
	       (rtr && rdma_nl_put_driver_string(msg, "rtr", xiw_res_rtr[rtr & XIW_RTR_ALL]));
}

static int xiw_res_peer(struct sk_buff *msg, const struct xiw_startup *startup)
{
	u16 offer = startup->peer_offer;

	if (!(offer & XIW_CONNF_ENHANCED))
		return 0;
	return rdma_nl_put_driver_u32(msg, "peer_ird", startup->peer_ird) ||
	       rdma_nl_put_driver_u32(msg, "peer_ord", startup->peer_ord) ||
	       rdma_nl_put_driver_string(msg, "peer_rtr",
					 xiw_res_rtr[xiw_setup_rtr(offer) & XIW_RTR_ALL]);
}

/* Put the outcome of MPA negotiation into a message, if the QP has a connection. */
static int xiw_res_startup(struct sk_buff *msg, struct xiw_qp *qp)
{
	struct xiw_conn *conn = xiw_conn_of(qp);
	struct xiw_startup startup;

	if (!conn)
		return 0;
	xiw_startup_read(&startup, conn);
	xiw_conn_put(conn);
	return (startup.opened && xiw_res_agreed(msg, &startup)) ||
	       (startup.heard && xiw_res_peer(msg, &startup));
}

static int xiw_res_put_qp(struct sk_buff *msg, struct xiw_qp *qp)
{
	const struct xiw_stream_ctx *ctx = qp->ctx;
	struct nlattr *table = xiw_res_begin(msg);
	struct xiw_res_used used;
	bool failed;

	if (!table)
		return -EMSGSIZE;
	xiw_res_look(&used, qp);
	failed = rdma_nl_put_driver_string(msg, "stream", xiw_qps_name[READ_ONCE(qp->state)]) ||
		 rdma_nl_put_driver_u32(msg, "sq_depth", qp->sq_depth) ||
		 rdma_nl_put_driver_u32(msg, "sq_used", used.sq) ||
		 rdma_nl_put_driver_u32(msg, "rq_depth", qp->rq_depth) ||
		 rdma_nl_put_driver_u32(msg, "rq_used", used.rq) ||
		 rdma_nl_put_driver_u32(msg, "ord", used.ord_depth) ||
		 rdma_nl_put_driver_u32(msg, "ord_used", used.ord) ||
		 rdma_nl_put_driver_u32(msg, "mulpdu", le32_to_cpu(READ_ONCE(ctx->mulpdu))) ||
		 rdma_nl_put_driver_u32(msg, "parked", le32_to_cpu(READ_ONCE(ctx->parked))) ||
		 rdma_nl_put_driver_u64(msg, "tx_bytes", le64_to_cpu(READ_ONCE(ctx->tx_octets))) ||
		 rdma_nl_put_driver_u64(msg, "rx_bytes", le64_to_cpu(READ_ONCE(ctx->rx_octets))) ||
		 rdma_nl_put_driver_u32(msg, "ird_used", used.ird) ||
		 xiw_res_startup(msg, qp);
	return xiw_res_end(msg, table, failed);
}

int xiw_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int err;

	if (!xiw_res_get_qp(qp))
		return 0;
	err = xiw_res_put_qp(msg, qp);
	xiw_qp_put(qp);
	return err;
}

int xiw_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	struct nlattr *table = xiw_res_begin(msg);
	u32 size, used, armed, overrun, count, us;
	unsigned long flags;
	bool failed;

	if (!table)
		return -EMSGSIZE;
	spin_lock_irqsave(&cq->lock, flags);
	size = cq->size;
	used = xiw_cq_entries(cq);
	armed = cq->armed;
	overrun = cq->overran;
	count = cq->moderate_count;
	us = cq->moderate_us;
	spin_unlock_irqrestore(&cq->lock, flags);
	failed = rdma_nl_put_driver_u32(msg, "entries", size) ||
		 rdma_nl_put_driver_u32(msg, "used", used) ||
		 rdma_nl_put_driver_u32(msg, "armed", armed) ||
		 rdma_nl_put_driver_u32(msg, "overrun", overrun) ||
		 rdma_nl_put_driver_u32(msg, "moderate_count", count) ||
		 rdma_nl_put_driver_u32(msg, "moderate_us", us);
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
