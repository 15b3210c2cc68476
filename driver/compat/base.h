/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Timers, workqueues, locks and memory. */
#ifndef XIW_COMPAT_BASE_H
#define XIW_COMPAT_BASE_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
/* On PREEMPT_RT, local_lock.h needs this header but does not include it. */
#include <linux/spinlock.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#ifndef HAVE_TIMER_CONTAINER_OF
#define timer_container_of(var, timer, field) \
	container_of(timer, typeof(*(var)), field)
#endif

#ifndef HAVE_TIMER_SHUTDOWN_SYNC
/*
 * Unlike a real timer_shutdown_sync(), del_timer_sync() permits a later mod_timer(). Callers must
 * not arm the timer again.
 */
#define timer_delete(t)		del_timer(t)
#define timer_shutdown_sync(t)	del_timer_sync(t)
#endif

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#ifndef HAVE_US_TO_KTIME
static inline ktime_t us_to_ktime(u64 us)
{
	return ns_to_ktime(us * NSEC_PER_USEC);
}
#endif

#ifndef HAVE_WQ_PERCPU
/* In older kernels, workqueues are per-CPU by default, and WQ_PERCPU does not exist. */
#define WQ_PERCPU		0
#define system_dfl_wq		system_unbound_wq
#define system_percpu_wq	system_wq
#endif

#ifndef HAVE_LOCAL_LOCK_NESTED_BH
/*
 * On PREEMPT_RT, local_bh_disable() of older kernels takes a per-CPU lock, so no further lock is
 * necessary.
 */
#define local_lock_nested_bh(lock)	((void)(lock))
#define local_unlock_nested_bh(lock)	((void)(lock))
#endif

#ifndef HAVE_VM_FLAGS_CLEAR
/* Call this function only in mmap(), before another task can access the VMA. */
static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
