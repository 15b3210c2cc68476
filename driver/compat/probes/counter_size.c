// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.15: ib_core allocates struct rdma_counter in the size that the driver specifies
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

struct drv_counter {
	struct rdma_counter base;
	u64 mine;
};

const struct ib_device_ops probe = {
	INIT_RDMA_OBJ_SIZE(rdma_counter, drv_counter, base),
};
