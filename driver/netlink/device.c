// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* device-get: identity, limits and numbers of objects of a device. */
#include "cm/cm.h"
#include "core/wire.h"
#include "netlink/put.h"
#include "verbs/qp.h"

static u8 xiw_nl_state(struct xiw_device *dev)
{
	if (atomic_read(&dev->failed))
		return XIW_NL_DEVICE_STATE_FAILED;
	return ib_get_curr_port_state(dev->netdev) == IB_PORT_ACTIVE ?
		       XIW_NL_DEVICE_STATE_ACTIVE : XIW_NL_DEVICE_STATE_DOWN;
}

static int xiw_nl_put_limits(struct sk_buff *skb, struct xiw_device *dev)
{
	const struct ib_device_attr *attrs = &dev->ibdev.attrs;
	const struct xiw_rnic_caps *caps = &dev->rnic.caps;
	struct nlattr *nest = nla_nest_start(skb, XIW_A_DEVICE_LIMITS);

	if (!nest ||
	    nla_put_u32(skb, XIW_A_LIMITS_QP, attrs->max_qp) ||
	    nla_put_u32(skb, XIW_A_LIMITS_CQ, attrs->max_cq) ||
	    nla_put_u32(skb, XIW_A_LIMITS_MR, attrs->max_mr) ||
	    nla_put_u32(skb, XIW_A_LIMITS_SRQ, attrs->max_srq) ||
	    nla_put_u32(skb, XIW_A_LIMITS_PD, attrs->max_pd) ||
	    nla_put_u32(skb, XIW_A_LIMITS_MW, attrs->max_mw) ||
	    nla_put_u32(skb, XIW_A_LIMITS_WR, attrs->max_qp_wr) ||
	    nla_put_u32(skb, XIW_A_LIMITS_CQE, attrs->max_cqe) ||
	    nla_put_u32(skb, XIW_A_LIMITS_SGE, attrs->max_send_sge) ||
	    nla_put_u32(skb, XIW_A_LIMITS_INLINE, le16_to_cpu(caps->max_inline)) ||
	    nla_put_u32(skb, XIW_A_LIMITS_IRD, le16_to_cpu(caps->max_ird)) ||
	    nla_put_u32(skb, XIW_A_LIMITS_ORD, le16_to_cpu(caps->max_ord)) ||
	    nla_put_u32(skb, XIW_A_LIMITS_PRIVATE_DATA, XIW_MPA_ENHANCED_PD_MAX))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Get the number of connections. Slots that are posted to a listener are not connections yet. */
static u32 xiw_nl_connections(struct xiw_device *dev)
{
	struct xiw_listener *listener;
	unsigned long index;
	int count = 0;

	xa_lock_bh(&dev->listeners);
	xa_for_each(&dev->listeners, index, listener)
		count -= atomic_read(&listener->posted);
	xa_unlock_bh(&dev->listeners);
	return max(count + atomic_read(&dev->objects[XIW_OBJ_CONN]), 0);
}

static u32 xiw_nl_parked(struct xiw_device *dev)
{
	unsigned long index = 0;
	struct xiw_qp *qp;
	u32 count = 0;

	while ((qp = xiw_qp_next(dev, &index))) {
		count += !!READ_ONCE(qp->ctx->rx_waiting);
		xiw_qp_put(qp);
		cond_resched();
	}
	return count;
}

static int xiw_nl_put_objects(struct sk_buff *skb, struct xiw_device *dev)
{
	static const struct {
		u8 attribute, object;
	} counts[] = {
		{ XIW_A_OBJECTS_QP, XIW_OBJ_QP },
		{ XIW_A_OBJECTS_CQ, XIW_OBJ_CQ },
		{ XIW_A_OBJECTS_MR, XIW_OBJ_MR },
		{ XIW_A_OBJECTS_MW, XIW_OBJ_MW },
		{ XIW_A_OBJECTS_SRQ, XIW_OBJ_SRQ },
		{ XIW_A_OBJECTS_PD, XIW_OBJ_PD },
		{ XIW_A_OBJECTS_LISTENER, XIW_OBJ_LISTENER },
	};
	struct nlattr *nest = nla_nest_start(skb, XIW_A_DEVICE_OBJECTS);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (nla_put_u32(skb, counts[i].attribute,
				atomic_read(&dev->objects[counts[i].object])))
			return -EMSGSIZE;
	if (nla_put_u32(skb, XIW_A_OBJECTS_CONNECTION, xiw_nl_connections(dev)) ||
	    nla_put_u32(skb, XIW_A_OBJECTS_PARKED, xiw_nl_parked(dev)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_device(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	void *header = xiw_nl_start(out, dev);

	if (!header)
		return -EMSGSIZE;
	return xiw_nl_end(out, header,
			  nla_put_u32(out->skb, XIW_A_DEVICE_IFINDEX, dev->netdev->ifindex) ||
			  nla_put_u8(out->skb, XIW_A_DEVICE_KIND, dev->rnic.ops->kind) ||
			  nla_put_u8(out->skb, XIW_A_DEVICE_STATE, xiw_nl_state(dev)) ||
			  nla_put_string(out->skb, XIW_A_DEVICE_VERSION, XIW_VERSION) ||
			  xiw_nl_put_limits(out->skb, dev) ||
			  xiw_nl_put_objects(out->skb, dev));
}

int xiw_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_device);
}

int xiw_nl_device_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_nl_dump(skb, cb, xiw_nl_put_device);
}
