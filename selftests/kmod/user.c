// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Kernel threads of this machine that change a buffer. cpuadd adds to a word, with atomic
 * instructions. The sum shows whether a device's atomics are atomic with respect to the CPU
 * (IB_ATOMIC_GLOB) or only to each other (IB_ATOMIC_HCA). cpulock competes for a lock with the
 * operations "lock" and "mlock" of run.c. scribble repeatedly overwrites a range, as an application
 * may overwrite the source of a pending Send.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "command.h"
#include "session.h"

struct xt_user {
	void *va;
	size_t len;
	u64 add, count;
	struct completion first;
};

static void round_done(struct xt_user *user, u64 n)
{
	if (!user->count)
		complete(&user->first);
	user->count += n;
	cond_resched();
}

static int adder_thread(void *arg)
{
	struct xt_user *user = arg;

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 64; i++)
			atomic64_add(user->add, (atomic64_t *)user->va);
		round_done(user, 64);
	}
	return 0;
}

/* Repeatedly take and release the lock. While this thread sleeps, others can take the lock. */
static int locker_thread(void *arg)
{
	struct xt_user *user = arg;
	atomic64_t *lock = user->va;
	u64 *counter = user->va + sizeof(*lock);

	/* report the start before the lock is taken, because another thread may hold the lock */
	complete(&user->first);
	while (!kthread_should_stop()) {
		s64 old = atomic64_read(lock);

		if (!lower_32_bits(old) && atomic64_try_cmpxchg(lock, &old, old | U32_MAX)) {
			WRITE_ONCE(*counter, READ_ONCE(*counter) + 1);
			atomic64_fetch_andnot_release(U32_MAX, lock);
			user->count++;
		}
		usleep_range(20, 50);
	}
	return 0;
}

static int scribbler_thread(void *arg)
{
	struct xt_user *user = arg;

	while (!kthread_should_stop()) {
		memset(user->va, user->count, user->len);
		round_done(user, 1);
	}
	return 0;
}

/* Stop the thread of a buffer. Return: number of its increments or rounds; 0 if no thread ran. */
u64 xt_user_stop(struct xt_buf *b)
{
	struct xt_user *user;
	u64 count;

	if (!b->user)
		return 0;
	user = b->user_state;
	kthread_stop(b->user);
	b->user = NULL;
	count = user->count;
	kfree(user);
	return count;
}

static int user_start(struct xt_buf *b, u64 off, u64 len, u64 add, int (*thread)(void *arg))
{
	struct xt_user *user;
	struct task_struct *task;

	if (b->user)
		return -EBUSY;
	if (!xt_buf_holds(b, off, len))
		return -EINVAL;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	user->va = b->va + off;
	user->len = len;
	user->add = add;
	init_completion(&user->first);
	task = kthread_run(thread, user, "xiw_test/user");
	if (IS_ERR(task)) {
		kfree(user);
		return PTR_ERR(task);
	}
	b->user = task;
	b->user_state = user;
	/* return after the thread has started, so that it runs during the next command */
	wait_for_completion(&user->first);
	return 0;
}

static int user_command(struct xt_session *s, struct xt_args *a, u64 len,
			int (*thread)(void *arg))
{
	const char *what = xt_arg_str(a, "do", "");
	struct xt_buf *b = xt_buf_arg(s, a, "buf");
	u64 off = xt_arg_num(a, "off", 0), add = xt_arg_num(a, "add", 1);

	if (a->err)
		return a->err;
	if (!strcmp(what, "start"))
		return user_start(b, off, len, add, thread);
	if (strcmp(what, "stop") || !b->user)
		return -EINVAL;
	xt_say(s, " count=%llu", xt_user_stop(b));
	return 0;
}

int xt_cpuadd_command(struct xt_session *s, struct xt_args *a)
{
	if (xt_arg_num(a, "off", 0) & 7)
		return -EINVAL;
	return user_command(s, a, sizeof(u64), adder_thread);
}

int xt_cpulock_command(struct xt_session *s, struct xt_args *a)
{
	if (xt_arg_num(a, "off", 0) & 7)
		return -EINVAL;
	return user_command(s, a, 2 * sizeof(u64), locker_thread);
}

int xt_scribble_command(struct xt_session *s, struct xt_args *a)
{
	return user_command(s, a, xt_arg_num(a, "len", PAGE_SIZE), scribbler_thread);
}
