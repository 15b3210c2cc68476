// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.17: per-CPU workqueues have a flag, and system_wq and system_unbound_wq have new names
#include <linux/workqueue.h>

unsigned int probe = WQ_PERCPU;

static bool __maybe_unused probe_queue(struct work_struct *w)
{
	return queue_work(system_dfl_wq, w) || queue_work(system_percpu_wq, w);
}
