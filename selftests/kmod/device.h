/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_DEVICE_H
#define XT_DEVICE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ib_client;
struct ib_device;
struct ib_pd;
struct ib_srq;
struct xt_args;
struct xt_session;

/* The protection domain pd=2 has an rkey for all memory; pd=0 and pd=1 do not. */
#define XT_PDS		3
#define XT_PD_GLOBAL	2

/**
 * struct xt_dev - objects of a session on one RDMA device
 * @node: link in the session's list
 * @s: the session
 * @ib: the device
 * @pd: protection domains, created on first use
 * @srq: shared receive queue, created on first use
 * @srq_limits: number of limit events of the SRQ
 * @srq_lock: protects @srq_wrs
 * @srq_wrs: list of struct xt_work that are posted to the SRQ and not completed
 */
struct xt_dev {
	struct list_head	node;
	struct xt_session	*s;
	struct ib_device	*ib;
	struct ib_pd		*pd[XT_PDS];
	struct ib_srq		*srq;
	atomic_t		srq_limits;
	spinlock_t		srq_lock;	/* protects @srq_wrs */
	struct list_head	srq_wrs;
};

extern struct ib_client xt_client;

int xt_device_added(struct ib_device *ib);
void xt_device_removed(struct ib_device *ib);
struct xt_dev *xt_device_named(struct xt_session *s, const char *name);
struct xt_dev *xt_device_get(struct xt_session *s, struct ib_device *ib);
struct ib_pd *xt_device_pd(struct xt_dev *d, unsigned int index);
bool xt_devices_use(struct xt_session *s, struct ib_device *ib);
void xt_devices_destroy(struct xt_session *s, struct ib_device *ib);

int xt_devinfo_command(struct xt_session *s, struct xt_args *a);

#endif
