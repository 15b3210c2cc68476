// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* ring-get: the indexes of each ring. They show where work is pending. */
#include <linux/bitmap.h>

#include "netlink/put.h"
#include "rdmap/stream.h"
#include "ring/vector.h"

#define XIW_NL_REGISTERS 16

struct xiw_nl_indexes {
	u8 kind;		/* enum xiw_nl_ring */
	u32 size, done, given, posted;
};

static int xiw_nl_put_ring(struct sk_buff *skb, const struct xiw_nl_indexes *ring)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_RING_ENTRY);

	if (!nest || nla_put_u8(skb, XIW_A_RING_ENTRY_KIND, ring->kind) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_SIZE, ring->size) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_DONE, ring->done) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_GIVEN, ring->given) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_POSTED, ring->posted))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* ------------------------------------------------------------ rings of a device */

static int xiw_nl_put_admin(struct sk_buff *skb, struct xiw_device *dev)
{
	struct xiw_nl_indexes ring = { .kind = XIW_NL_RING_ADMIN, .size = XIW_ADMIN_SLOTS };

	/* Commands complete in any order, so only the number of pending commands is meaningful. */
	spin_lock_bh(&dev->admin.lock);
	ring.posted = dev->admin.tail;
	ring.done = ring.posted - bitmap_weight(dev->admin.busy, XIW_ADMIN_SLOTS);
	spin_unlock_bh(&dev->admin.lock);
	ring.given = ring.posted;
	return xiw_nl_put_ring(skb, &ring);
}

/*
 * Put an event ring, without a producer index: the RNIC is the producer, and the driver does not
 * read the RNIC's index.
 */
static int xiw_nl_put_events(struct sk_buff *skb, const struct xiw_vector *vec)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_RING_ENTRY);

	if (!nest || nla_put_u8(skb, XIW_A_RING_ENTRY_KIND, XIW_NL_RING_EVENTS) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_VECTOR, vec->index) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_SIZE, 1U << XIW_EVENT_LOG2) ||
	    nla_put_u32(skb, XIW_A_RING_ENTRY_DONE, READ_ONCE(vec->head)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_register(struct sk_buff *skb, const struct xiw_register *reg)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_RING_REGISTER);

	if (!nest || nla_put_string(skb, XIW_A_REGISTER_ENTRY_NAME, reg->name) ||
	    nla_put_u64_64bit(skb, XIW_A_REGISTER_ENTRY_VALUE, reg->value,
			      XIW_A_REGISTER_ENTRY_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_registers(struct sk_buff *skb, struct xiw_device *dev)
{
	struct xiw_register list[XIW_NL_REGISTERS];
	unsigned int count, i;
	int err = 0;

	if (!dev->rnic.ops->registers)
		return 0;
	count = dev->rnic.ops->registers(&dev->rnic, list, ARRAY_SIZE(list));
	for (i = 0; i < count && !err; i++)
		err = xiw_nl_put_register(skb, &list[i]);
	return err;
}

static int xiw_nl_put_device_rings(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	void *header = xiw_nl_start(out, dev);
	unsigned int i;
	int err;

	if (!header)
		return -EMSGSIZE;
	err = xiw_nl_put_admin(out->skb, dev);
	for (i = 0; i < dev->num_vectors && !err; i++)
		err = xiw_nl_put_events(out->skb, &dev->vectors[i]);
	return xiw_nl_end(out, header, err || xiw_nl_put_registers(out->skb, dev));
}

/* ---------------------------------------------------------------- rings of a QP */

enum {
	XIW_NL_QP_RINGS = XIW_NL_RING_IRD + 1,
};

static void xiw_nl_look_requests(struct xiw_qp *qp, struct xiw_nl_indexes *rings)
{
	enum xiw_tx_queue q;

	rings[XIW_NL_RING_SEND_QUEUE] = (struct xiw_nl_indexes) {
		.size = qp->sq_depth, .done = qp->sq_head.index,
		.given = qp->sq_next.index, .posted = qp->sq_tail.index,
	};
	for (q = 0; q < XIW_TXQ_COUNT; q++)
		rings[XIW_NL_RING_REQUESTS + q] = (struct xiw_nl_indexes) {
			.size = qp->tx_units, .done = qp->tx_head[q],
			.given = le32_to_cpu(xiw_observe(&qp->ctx->tx_head[q])),
			.posted = qp->tx_tail[q],
		};
	/* The ORD is a number of credits without ring indexes. Report the credits in use. */
	rings[XIW_NL_RING_ORD] = (struct xiw_nl_indexes) {
		.size = qp->orq.depth, .given = qp->orq.count, .posted = qp->orq.count,
	};
	/* The indexes of this queue wrap at twice its depth. So add numbers of entries to head. */
	if (qp->inbound)
		rings[XIW_NL_RING_IRD] = (struct xiw_nl_indexes) {
			.size = qp->irrq.depth, .done = qp->irrq.head,
			.given = qp->irrq.head + xiw_irrq_answering(&qp->irrq),
			.posted = qp->irrq.head + xiw_irrq_used(&qp->irrq),
		};
}

static void xiw_nl_look_rings(struct xiw_qp *qp, struct xiw_nl_indexes *rings)
{
	unsigned long flags;
	unsigned int i;

	memset(rings, 0, XIW_NL_QP_RINGS * sizeof(*rings));
	xiw_sq_lock_settled(qp, &flags);
	xiw_nl_look_requests(qp, rings);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	spin_lock_irqsave(&qp->rq_lock, flags);
	if (!qp->srq)
		rings[XIW_NL_RING_RECEIVE_QUEUE] = (struct xiw_nl_indexes) {
			.size = qp->rq_depth, .done = qp->rq_head,
			.given = le32_to_cpu(READ_ONCE(qp->ctx->rx_head)), .posted = qp->rq_tail,
		};
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	for (i = 0; i < XIW_NL_QP_RINGS; i++)
		rings[i].kind = i;
}

/* Put the rings of a QP. The caller holds a reference on @qp. */
static int xiw_nl_put_qp_rings(const struct xiw_nl_out *out, struct xiw_device *dev,
			       struct xiw_qp *qp)
{
	struct xiw_nl_indexes rings[XIW_NL_QP_RINGS];
	void *header = xiw_nl_start(out, dev);
	unsigned int i;
	int err;

	if (!header)
		return -EMSGSIZE;
	xiw_nl_look_rings(qp, rings);
	err = nla_put_u32(out->skb, XIW_A_RING_QPN, qp->stream) ||
	      nla_put_u32(out->skb, XIW_A_RING_VECTOR, qp->vector->index) ||
	      nla_put_u32(out->skb, XIW_A_RING_STREAM, xiw_stream_bits(qp));
	for (i = 0; i < XIW_NL_QP_RINGS && !err; i++)
		if (rings[i].size)
			err = xiw_nl_put_ring(out->skb, &rings[i]);
	return xiw_nl_end(out, header, err);
}

static int xiw_nl_put_rings_of(const struct xiw_nl_out *out, struct xiw_device *dev,
			       struct xiw_qp *qp)
{
	return qp ? xiw_nl_put_qp_rings(out, dev, qp) : xiw_nl_put_device_rings(out, dev);
}

static int xiw_nl_put_rings(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	return xiw_nl_put_qps(out, dev, xiw_nl_put_rings_of);
}

int xiw_nl_ring_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_device_rings);
}

int xiw_nl_ring_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_nl_dump_objects(skb, cb, xiw_nl_put_rings);
}
