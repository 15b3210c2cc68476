// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.7: netlink policies point to const ranges
#include <net/netlink.h>

static_assert(__same_type(((struct nla_policy *)0)->range,
			  const struct netlink_range_validation *));
