// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.12: ib_core records whether the user has chosen the device name
#include <rdma/ib_verbs.h>

static void __maybe_unused probe(struct ib_device *dev)
{
	ib_mark_name_assigned_by_user(dev);
}
