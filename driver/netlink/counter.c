// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* counter-get: the counters of a device, and its numbers of messages by opcode. */
#include <linux/slab.h>

#include "core/opcode.h"
#include "diag/counters.h"
#include "diag/traffic.h"
#include "netlink/put.h"

static int xiw_nl_put_entry(struct sk_buff *skb, const struct xiw_counter_row *row, u64 value)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_COUNTER_ENTRY);

	if (!nest || nla_put_string(skb, XIW_A_COUNTER_ENTRY_NAME, row->name) ||
	    nla_put_u64_64bit(skb, XIW_A_COUNTER_ENTRY_VALUE, value,
			      XIW_A_COUNTER_ENTRY_PAD) ||
	    nla_put_string(skb, XIW_A_COUNTER_ENTRY_ABOUT, row->about) ||
	    (row->kind == XIW_COUNTER_ERROR && nla_put_flag(skb, XIW_A_COUNTER_ENTRY_ERROR)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_entries(struct sk_buff *skb, const u64 *values)
{
	const struct xiw_counter_row *row;
	unsigned int i;

	for (i = 0; i < xiw_counter_total(); i++) {
		row = xiw_counter_row(i);
		if (row->kind < XIW_COUNTER_COST && xiw_nl_put_entry(skb, row, values[i]))
			return -EMSGSIZE;
	}
	return 0;
}

static int xiw_nl_put_totals(struct sk_buff *skb, const struct xiw_messages *messages)
{
	struct xiw_traffic_row tx = {}, rx = {};
	unsigned int op;

	for (op = 0; op < XIW_OP_COUNT; op++) {
		if (xiw_opcode_table[op].kind == XIW_CLASS_REFUSED)
			continue;
		tx.messages = messages->sent[op];
		rx.messages = messages->received[op];
		if (xiw_nl_put_messages(skb, XIW_A_COUNTER_OPERATION, op, &tx, &rx, false))
			return -EMSGSIZE;
	}
	return 0;
}

static int xiw_nl_put_counters(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct xiw_messages messages;
	void *header;
	u64 *values;
	int err;

	values = kcalloc(xiw_counter_total(), sizeof(*values), GFP_KERNEL);
	if (!values)
		return -ENOMEM;
	xiw_counters_read(dev, &messages, values);
	header = xiw_nl_start(out, dev);
	err = header ? xiw_nl_end(out, header,
				  xiw_nl_put_entries(out->skb, values) ||
				  xiw_nl_put_totals(out->skb, &messages)) : -EMSGSIZE;
	kfree(values);
	return err;
}

int xiw_nl_counter_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_counters);
}

int xiw_nl_counter_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_nl_dump(skb, cb, xiw_nl_put_counters);
}
