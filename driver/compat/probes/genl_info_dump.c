// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.6: genl_info_dump(): dumps also have a struct genl_info
#include <net/genetlink.h>

static void * __maybe_unused probe(struct netlink_callback *cb)
{
	return genl_info_dump(cb)->attrs;
}
