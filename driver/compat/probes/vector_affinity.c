// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: the get_vector_affinity operation is gone
#include <rdma/ib_verbs.h>

static const struct cpumask *affinity(struct ib_device *dev, int vector)
{
	return NULL;
}

const struct ib_device_ops probe = { .get_vector_affinity = affinity };
