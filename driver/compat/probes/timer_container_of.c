// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.16: from_timer became timer_container_of
#include <linux/timer.h>

struct holder {
	struct timer_list t;
};

static struct holder * __maybe_unused probe(struct timer_list *t)
{
	struct holder *h = timer_container_of(h, t, t);

	return h;
}
