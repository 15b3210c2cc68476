// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.7: napi_schedule tells whether it did
#include <linux/netdevice.h>

static bool __maybe_unused probe(struct napi_struct *n)
{
	return napi_schedule(n);
}
