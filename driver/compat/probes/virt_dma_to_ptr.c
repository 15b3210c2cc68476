// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.3: helpers from a virtual DMA address back to the memory
#include <rdma/ib_verbs.h>

static void * __maybe_unused probe(u64 addr, struct page **page)
{
	*page = ib_virt_dma_to_page(addr);
	return ib_virt_dma_to_ptr(addr);
}
