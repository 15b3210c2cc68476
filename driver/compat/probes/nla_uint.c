// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.7: variable length integers in netlink
#include <net/netlink.h>

static int __maybe_unused probe(struct sk_buff *skb)
{
	return nla_put_uint(skb, 1, 2);
}
