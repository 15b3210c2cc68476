// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.16: skb_crc32c replaces __skb_checksum with an ops table
#include <linux/skbuff.h>

static u32 __maybe_unused probe(const struct sk_buff *skb)
{
	return skb_crc32c(skb, 0, 1, ~0);
}
