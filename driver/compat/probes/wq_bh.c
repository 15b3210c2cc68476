// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.9: work queues that run in softirq
#include <linux/workqueue.h>

unsigned int probe = WQ_BH;
