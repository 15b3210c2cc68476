/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_UMEM_H
#define XIW_COMPAT_UMEM_H

#include <rdma/ib_umem.h>

#ifndef HAVE_UMEM_GET_VA
static inline struct ib_umem *ib_umem_get_va(struct ib_device *dev,
					     unsigned long addr, size_t size,
					     int access)
{
	return ib_umem_get(dev, addr, size, access);
}
#endif

#endif
