/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_WORKQUEUE_H
#define XIW_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

#ifndef HAVE_WQ_PERCPU
/* Per-CPU was the default, so there was nothing to ask for. */
#define WQ_PERCPU		0
#define system_dfl_wq		system_unbound_wq
#define system_percpu_wq	system_wq
#endif

#endif
