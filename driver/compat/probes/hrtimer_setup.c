// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.13: hrtimer_setup() replaces hrtimer_init(), and also takes the callback
#include <linux/hrtimer.h>

static enum hrtimer_restart fired(struct hrtimer *t)
{
	return HRTIMER_NORESTART;
}

static void __maybe_unused probe(struct hrtimer *t)
{
	hrtimer_setup(t, fired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}
