// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.2: get_random_u32_below
#include <linux/random.h>

static u32 __maybe_unused probe(void)
{
	return get_random_u32_below(7);
}
