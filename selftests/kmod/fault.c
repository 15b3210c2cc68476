// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "fault.h"

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "command.h"
#include "session.h"

/* Leak memory. A leak detector must find this. */
int xt_leak_command(struct xt_session *s, struct xt_args *a)
{
	unsigned int n = xt_arg_max(a, "n", 1, 1024), i;

	if (a->err)
		return a->err;
	for (i = 0; i < n; i++)
		if (!kzalloc(128, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

/* Access freed memory. KASAN must detect this. */
int xt_stale_command(struct xt_session *s, struct xt_args *a)
{
	u8 *memory = kzalloc(128, GFP_KERNEL), *stale = memory;

	if (!memory)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(stale);	/* hides the bug from the compiler */
	kfree(memory);
	xt_say(s, " octet=%u", READ_ONCE(stale[5]));
	return 0;
}

static DEFINE_MUTEX(xt_first);
static DEFINE_MUTEX(xt_second);

static void take(struct mutex *outer, struct mutex *inner)
{
	mutex_lock(outer);
	mutex_lock(inner);
	mutex_unlock(inner);
	mutex_unlock(outer);
}

/* Take two locks in both orders. No thread waits, but lockdep must report a possible deadlock. */
int xt_inversion_command(struct xt_session *s, struct xt_args *a)
{
	take(&xt_first, &xt_second);
	take(&xt_second, &xt_first);
	return 0;
}

static unsigned int xt_raced;

/*
 * Change a word without synchronization until jiffies reaches @end. Two threads run this function
 * at the same time, and KCSAN must report the data race.
 */
static noinline void race(unsigned long end)
{
	do {
		xt_raced++;
		barrier();
		cond_resched();
	} while (time_before(jiffies, end));
}

static int race_thread(void *end)
{
	race((unsigned long)end);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

int xt_race_command(struct xt_session *s, struct xt_args *a)
{
	unsigned long end = jiffies + HZ;
	struct task_struct *thread = kthread_run(race_thread, (void *)end, "xt_race");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	race(end);
	kthread_stop(thread);
	return 0;
}
