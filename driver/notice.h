/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What has happened to a device and its connections, for netlink to tell: Terminates,
 * refusals, failures. The last XIW_NOTICES_KEPT are kept with the device.
 *
 * Noting allocates nothing and may be done in any context. The lock is a leaf: nothing is
 * taken inside, a notice is copied in and out under it. The notices live from before the
 * RNIC is started until after it was stopped.
 */
#ifndef XIW_NOTICE_H
#define XIW_NOTICE_H

#include <linux/spinlock.h>
#include <rnic/xiw_rnic.h>
#include <uapi/linux/xiw.h>

#include "core/wire.h"

struct xiw_conn;
struct xiw_device;
struct xiw_qp;

#define XIW_NOTICES_KEPT 64

struct xiw_notice {
	u64 number;		/* from 1 */
	u64 time;		/* ns since 1970 */
	const char *text;	/* why, in words; NULL: nothing to say */
	u32 qpn;		/* 0: none */
	u32 cm_id;
	u32 error;		/* an errno, positive; 0: none */
	u8 kind;		/* enum xiw_nl_notice */
	u8 origin;		/* enum xiw_nl_origin */
	u8 role;		/* enum xiw_nl_role */
	bool connected;		/* cm_id, role and the addresses are valid */
	u8 term_length;
	u8 term[XIW_TERM_LEN_MAX];
	struct xiw_addr local, remote;
};

struct xiw_notices {
	spinlock_t lock;	/* all below */
	u64 number;		/* of the latest */
	u32 next;		/* free running */
	struct xiw_notice kept[XIW_NOTICES_KEPT];
};

int xiw_notices_add(struct xiw_device *dev);
void xiw_notices_remove(struct xiw_device *dev);

/**
 * xiw_notice_from - look at what was kept
 * @dev: device
 * @number: first one of interest
 * @notice: the oldest one from there
 *
 * Context: any. Return: false if there is none.
 */
bool xiw_notice_from(struct xiw_device *dev, u64 number, struct xiw_notice *notice);

/*
 * Of a QP's stream: before its RNIC is ordered to end it, as the connection may be gone
 * behind. Any context, QP.lock not held.
 */
void xiw_notice_terminate(struct xiw_qp *qp, enum xiw_nl_origin origin, const u8 *term,
			  u32 length);
void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why);

/* Of a connection that the caller keeps. Any context. */
void xiw_notice_reject(struct xiw_conn *conn, enum xiw_nl_origin origin);
void xiw_notice_connect_error(struct xiw_conn *conn, int err);

/* @why: a constant. Any context. */
void xiw_notice_device_failed(struct xiw_device *dev, const char *why);

#endif
