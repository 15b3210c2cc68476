// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Ignore counters and allocations. A bench that checks them defines these functions itself. */
#include "diag/counters.h"

void __weak __xiw_count_many(struct xiw_device *dev, enum xiw_counter counter, unsigned int n)
{
}

void __weak xiw_test_allocate(gfp_t gfp)
{
}
