/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_REGION_H
#define XT_REGION_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"

/* The name of an exported region is "PD.DEVICE.BUFFER", where PD is the value of pd=. */
#define XT_REGION_NAME_MAX (IB_DEVICE_NAME_MAX + XT_NAME_MAX + 16)

struct ib_device;
struct ib_mr;
struct xt_args;
struct xt_dev;
struct xt_ep;
struct xt_session;
struct xt_work;

/**
 * struct xt_region - a fast-registration MR and the memory to which it was last mapped
 * @node: link in the session's list
 * @name: name that commands use
 * @dev: device of the MR
 * @pd: index of the protection domain
 * @mr: the MR; its key changes with each registration
 * @buf: the buffer
 * @map: DMA mapping of the registered part of the buffer
 * @len: number of octets that may be accessed
 * @registrar: endpoint that registers this exported region; NULL if no registration is pending
 * @live: the registration of an exported region has succeeded
 */
struct xt_region {
	struct list_head	node;
	char			name[XT_REGION_NAME_MAX];
	struct xt_dev		*dev;
	unsigned int		pd;
	struct ib_mr		*mr;
	struct xt_buf		*buf;
	struct xt_map		*map;
	u64			len;
	struct xt_ep		*registrar;
	bool			live;
};

struct xt_region_spec {
	const char *name;
	struct xt_buf *buf;
	u64 off, len, iova;
	unsigned int sgoff, pd;
	int access;
	bool has_iova;
};

struct xt_region *xt_region_find(struct xt_session *s, const char *name);
struct xt_region *xt_region_prepare(struct xt_ep *ep, const struct xt_region_spec *spec,
				    struct xt_work *w);
void xt_region_registered(struct xt_region *r, bool ok);
void xt_regions_abandon(struct xt_ep *ep);
void xt_regions_destroy(struct xt_session *s, struct ib_device *ib);

int xt_reg_command(struct xt_session *s, struct xt_args *a);
int xt_regs_command(struct xt_session *s, struct xt_args *a);
int xt_dereg_command(struct xt_session *s, struct xt_args *a);

#endif
