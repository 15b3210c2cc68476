// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* inject-set, -get, -clear: errors that the RNIC of a device injects, for tests. */
#include <linux/slab.h>

#include "diag/inject.h"
#include "netlink/put.h"

static int xiw_nl_inject_none(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "The module was built without error injection (XIW_INJECT=1)");
	return -EOPNOTSUPP;
}

/* ------------------------------------------------------------------------ get */

static int xiw_nl_put_injection(struct sk_buff *skb, const struct xiw_injection *one)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_INJECT_ENTRY);

	if (!nest || nla_put_u8(skb, XIW_A_INJECT_ENTRY_KIND, one->kind) ||
	    (one->stream && nla_put_u32(skb, XIW_A_INJECT_ENTRY_QPN, one->stream)) ||
	    nla_put_u32(skb, XIW_A_INJECT_ENTRY_AT, one->at) ||
	    nla_put_u32(skb, XIW_A_INJECT_ENTRY_EVERY, one->every) ||
	    nla_put_u32(skb, XIW_A_INJECT_ENTRY_COUNT, one->count) ||
	    (one->time && nla_put_u32(skb, XIW_A_INJECT_ENTRY_TIME, one->time)) ||
	    (one->kind == XIW_NL_INJECT_RESET &&
	     nla_put_u32(skb, XIW_A_INJECT_ENTRY_OCTETS, one->octets)) ||
	    nla_put_u64_64bit(skb, XIW_A_INJECT_ENTRY_SEEN, one->seen, XIW_A_INJECT_ENTRY_PAD) ||
	    nla_put_u64_64bit(skb, XIW_A_INJECT_ENTRY_HITS, one->hits, XIW_A_INJECT_ENTRY_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_injections(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct xiw_injection *list = kcalloc(XIW_INJECTIONS, sizeof(*list), GFP_KERNEL);
	unsigned int count, i;
	void *header;
	int err = 0;

	if (!list)
		return -ENOMEM;
	count = xiw_inject_list(&dev->rnic.injector, list);
	header = xiw_nl_start(out, dev);
	for (i = 0; header && i < count && !err; i++)
		err = xiw_nl_put_injection(out->skb, &list[i]);
	kfree(list);
	return header ? xiw_nl_end(out, header, err) : -EMSGSIZE;
}

int xiw_nl_inject_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	if (!IS_ENABLED(CONFIG_INFINIBAND_XIW_INJECT))
		return xiw_nl_inject_none(info->extack);
	return xiw_nl_answer(info, xiw_nl_put_injections);
}

int xiw_nl_inject_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (!IS_ENABLED(CONFIG_INFINIBAND_XIW_INJECT))
		return xiw_nl_inject_none(cb->extack);
	return xiw_nl_dump(skb, cb, xiw_nl_put_injections);
}

/* --------------------------------------------------------------------- change */

static u32 xiw_nl_inject_number(struct genl_info *info, int type, u32 otherwise)
{
	return info->attrs[type] ? nla_get_u32(info->attrs[type]) : otherwise;
}

/*
 * The netlink policy has checked each attribute. Check their combination, and check whether the
 * device has the QP and supports the kind of injection.
 */
static int xiw_nl_inject_check(struct genl_info *info, struct xiw_device *dev)
{
	struct nlattr **attrs = info->attrs;
	bool waits;
	u8 kind;

	if (!attrs[XIW_A_INJECT_KIND]) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, XIW_A_INJECT_KIND);
		NL_SET_ERR_MSG(info->extack, "The request has no kind of injection");
		return -EINVAL;
	}
	kind = nla_get_u8(attrs[XIW_A_INJECT_KIND]);
	waits = kind == XIW_NL_INJECT_DELAY || kind == XIW_NL_INJECT_STALL;
	if (!(dev->rnic.ops->inject_kinds & BIT(kind))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_NL_INDEX],
				    "This RNIC does not support this kind of injection");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_INJECT_QPN] && !xa_load(&dev->qps, nla_get_u32(attrs[XIW_A_INJECT_QPN]))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_INJECT_QPN],
				    "No QP with this number on the device");
		return -ENOENT;
	}
	if (waits && !attrs[XIW_A_INJECT_TIME]) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, XIW_A_INJECT_TIME);
		NL_SET_ERR_MSG(info->extack, "This kind of injection requires a time");
		return -EINVAL;
	}
	if (!waits && attrs[XIW_A_INJECT_TIME]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_INJECT_TIME],
				    "Only delay and stall have a time");
		return -EINVAL;
	}
	if (kind != XIW_NL_INJECT_RESET && attrs[XIW_A_INJECT_OCTETS]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_INJECT_OCTETS],
				    "Only reset has octets");
		return -EINVAL;
	}
	return 0;
}

static int xiw_nl_inject_arm(struct genl_info *info, struct xiw_device *dev)
{
	const struct xiw_injection one = {
		.stream = xiw_nl_inject_number(info, XIW_A_INJECT_QPN, 0),
		.kind = nla_get_u8(info->attrs[XIW_A_INJECT_KIND]),
		.at = xiw_nl_inject_number(info, XIW_A_INJECT_AT, 1),
		.every = xiw_nl_inject_number(info, XIW_A_INJECT_EVERY, 1),
		.count = xiw_nl_inject_number(info, XIW_A_INJECT_COUNT, 1),
		.time = xiw_nl_inject_number(info, XIW_A_INJECT_TIME, 0),
		.octets = xiw_nl_inject_number(info, XIW_A_INJECT_OCTETS, 0),
	};
	int err = xiw_inject_arm(&dev->rnic.injector, &one);

	if (err == -ENOSPC)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[XIW_NL_INDEX],
				    "The device has the maximum number of armed injections");
	return err;
}

int xiw_nl_inject_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_device *dev;
	int err;

	if (!IS_ENABLED(CONFIG_INFINIBAND_XIW_INJECT))
		return xiw_nl_inject_none(info->extack);
	dev = xiw_nl_device(info);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = xiw_nl_inject_check(info, dev);
	if (!err)
		err = xiw_nl_inject_arm(info, dev);
	xiw_device_put(dev);
	return err;
}

int xiw_nl_inject_clear_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_device *dev;

	if (!IS_ENABLED(CONFIG_INFINIBAND_XIW_INJECT))
		return xiw_nl_inject_none(info->extack);
	dev = xiw_nl_device(info);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	xiw_inject_clear(&dev->rnic.injector, xiw_nl_inject_number(info, XIW_A_INJECT_QPN, 0));
	xiw_device_put(dev);
	return 0;
}
