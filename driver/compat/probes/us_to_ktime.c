// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: us_to_ktime and secs_to_jiffies
#include <linux/jiffies.h>
#include <linux/ktime.h>

static ktime_t __maybe_unused probe(unsigned long *j)
{
	*j = secs_to_jiffies(1);
	return us_to_ktime(1);
}
