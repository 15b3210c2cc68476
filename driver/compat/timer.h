/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_TIMER_H
#define XIW_COMPAT_TIMER_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/timer.h>

#ifndef HAVE_TIMER_CONTAINER_OF
#define timer_container_of(var, timer, field) \
	container_of(timer, typeof(*(var)), field)
#endif

#ifndef HAVE_TIMER_SHUTDOWN_SYNC
/* Does not stop a later mod_timer(): the caller must not arm it again. */
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

#endif
