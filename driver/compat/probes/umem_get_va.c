// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: ib_umem_get became ib_umem_get_va
#include <rdma/ib_umem.h>

static struct ib_umem * __maybe_unused probe(struct ib_device *dev)
{
	return ib_umem_get_va(dev, 0, 1, 0);
}
