// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.2: timer_shutdown_sync(), also in later stable kernels of 6.1
#include <linux/timer.h>

static int __maybe_unused probe(struct timer_list *t)
{
	return timer_delete(t) + timer_shutdown_sync(t);
}
