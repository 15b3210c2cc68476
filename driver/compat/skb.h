/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_SKB_H
#define XIW_COMPAT_SKB_H

#include <linux/skbuff.h>

#ifndef HAVE_SKB_FRAGS_READABLE
/* Before devmem TCP all fragments are memory of the host. */
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif
