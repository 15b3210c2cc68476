/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_LOCK_H
#define XIW_COMPAT_LOCK_H

/* With PREEMPT_RT local_lock.h needs it, and does not include it. */
#include <linux/spinlock.h>
#include <linux/local_lock.h>

#ifndef HAVE_LOCAL_LOCK_NESTED_BH
/* local_bh_disable() itself is a lock of the CPU on PREEMPT_RT of these kernels. */
#define local_lock_nested_bh(lock)	((void)(lock))
#define local_unlock_nested_bh(lock)	((void)(lock))
#endif

#endif
