// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.12: fragments of an skb may be outside of host memory
#include <linux/skbuff.h>

static bool __maybe_unused probe(const struct sk_buff *skb)
{
	return skb_frags_readable(skb);
}
