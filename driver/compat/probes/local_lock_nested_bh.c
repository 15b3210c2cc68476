// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.11: local_lock_nested_bh() protects per-CPU data that is used with BH off
#include <linux/spinlock.h>
#include <linux/local_lock.h>

struct probe {
	local_lock_t lock;
};

static void __maybe_unused probe(struct probe __percpu *p)
{
	local_lock_nested_bh(&p->lock);
	local_unlock_nested_bh(&p->lock);
}
