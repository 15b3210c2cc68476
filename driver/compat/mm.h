/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_MM_H
#define XIW_COMPAT_MM_H

#include <linux/mm.h>

#ifndef HAVE_VM_FLAGS_CLEAR
/* In mmap(), where nobody else sees the area yet. */
static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
