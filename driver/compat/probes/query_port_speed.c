// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: port speed beyond the speed-times-width enums
#include <rdma/ib_verbs.h>

static int speed(struct ib_device *dev, u32 port, u64 *speed)
{
	return 0;
}

const struct ib_device_ops probe = { .query_port_speed = speed };
