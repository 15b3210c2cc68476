// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: us_to_ktime() exists
#include <linux/ktime.h>

static ktime_t __maybe_unused probe(void)
{
	return us_to_ktime(1);
}
