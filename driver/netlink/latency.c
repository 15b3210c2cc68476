// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* latency-get: histograms of the latency of work requests. */
#include <linux/slab.h>

#include "diag/latency.h"
#include "netlink/put.h"

static int xiw_nl_put_operation(struct sk_buff *skb, const struct xiw_latency *total,
				unsigned int row)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_LATENCY_ENTRY);

	if (!nest || nla_put_u8(skb, XIW_A_LATENCY_ENTRY_OPERATION, row) ||
	    nla_put_u64_64bit(skb, XIW_A_LATENCY_ENTRY_SUM, total->sum[row],
			      XIW_A_LATENCY_ENTRY_PAD) ||
	    nla_put(skb, XIW_A_LATENCY_ENTRY_COUNTS, sizeof(total->count[row]),
		    total->count[row]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_operations_of(struct sk_buff *skb, const struct xiw_latency *total)
{
	unsigned int row;
	int err = 0;

	for (row = 0; row <= XIW_NL_LATENCY_MAX && !err; row++)
		err = xiw_nl_put_operation(skb, total, row);
	return err;
}

static int xiw_nl_put_latency(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct xiw_latency *total = kmalloc(sizeof(*total), GFP_KERNEL);
	void *header;
	int err;

	if (!total)
		return -ENOMEM;
	xiw_latency_read(dev, total);
	header = xiw_nl_start(out, dev);
	err = header ? xiw_nl_end(out, header,
				  nla_put_u8(out->skb, XIW_A_LATENCY_ON,
					     READ_ONCE(dev->config.latency)) ||
				  xiw_nl_put_operations_of(out->skb, total)) : -EMSGSIZE;
	kfree(total);
	return err;
}

int xiw_nl_latency_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_latency);
}

int xiw_nl_latency_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_nl_dump(skb, cb, xiw_nl_put_latency);
}
