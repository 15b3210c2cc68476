/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_SKB_H
#define XIW_COMPAT_SKB_H

#include <linux/crc32.h>
#include <linux/crc32c.h>
#include <linux/skbuff.h>

#ifndef HAVE_SKB_CRC32C
static inline __wsum xiw_crc32c_block(const void *mem, int len, __wsum sum)
{
	return (__force __wsum)crc32c((__force u32)sum, mem, len);
}

static inline __wsum xiw_crc32c_join(__wsum a, __wsum b, int offset, int len)
{
	return (__force __wsum)__crc32c_le_combine((__force u32)a,
						   (__force u32)b, len);
}

/* Over the linear part and all fragments; no inversion at either end. */
static inline u32 skb_crc32c(const struct sk_buff *skb, int offset, int len,
			     u32 crc)
{
	static const struct skb_checksum_ops ops = {
		.update = xiw_crc32c_block,
		.combine = xiw_crc32c_join,
	};

	return (__force u32)__skb_checksum(skb, offset, len,
					   (__force __wsum)crc, &ops);
}
#endif

#ifndef HAVE_SKB_FRAGS_READABLE
/* Before devmem TCP all fragments are memory of the host. */
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif
