// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.7: napi_schedule returns whether it scheduled the poll
#include <linux/netdevice.h>

static bool __maybe_unused probe(struct napi_struct *n)
{
	return napi_schedule(n);
}
