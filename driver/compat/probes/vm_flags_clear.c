// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.3: drivers change the flags of a VMA through functions
#include <linux/mm.h>

static void __maybe_unused probe(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYEXEC);
}
