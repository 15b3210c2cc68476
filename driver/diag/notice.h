/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What has happened to a device and its connections, for netlink to tell. Trouble is
 * kept with the device, the last XIW_NOTICES_KEPT. All is told to who listens: a notice
 * is queued, and a work item multicasts from process context, one at a time and so in
 * their order. If nobody listens, what is no trouble costs a look at a bit.
 *
 * Noting allocates nothing and may be done in any context. The lock is a leaf: nothing is
 * taken inside, a notice is copied in and out under it. What does not fit into the queue
 * is counted, and told when there is room. Every notice has a number, also one that is
 * lost on its way, so that a listener sees by the next one what it has missed.
 *
 * The notices live from before the RNIC is started until after it was stopped; what is
 * queued then is told first.
 */
#ifndef XIW_NOTICE_H
#define XIW_NOTICE_H

#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rnic/xiw_rnic.h>
#include <uapi/linux/xiw.h>

#include "core/wire.h"
#include "diag/recorder.h"

struct xiw_conn;
struct xiw_device;
struct xiw_qp;

#define XIW_NOTICES_KEPT 64
#define XIW_NOTICES_QUEUED 512	/* 50 ms at 10,000 per second */

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
	u8 from, to;		/* enum xiw_qps, of XIW_NL_NOTICE_QP_STATE */
	u8 term_length;
	u8 term[XIW_TERM_LEN_MAX];
	struct xiw_addr local, remote;
};

struct xiw_notices {
	struct xiw_device *dev;
	struct work_struct work;
	spinlock_t lock;	/* all below */
	u64 number;		/* of the latest */
	u32 next;		/* free running */
	u32 head, tail;		/* free running */
	bool lost;		/* the queue was full, and nobody was told yet */
	struct xiw_notice kept[XIW_NOTICES_KEPT];
	struct xiw_recording recorded[XIW_NOTICES_KEPT];	/* what went before each */
	struct xiw_notice queue[XIW_NOTICES_QUEUED];
};

int xiw_notices_add(struct xiw_device *dev);
void xiw_notices_remove(struct xiw_device *dev);

/**
 * xiw_notice_from - look at what was kept
 * @dev: device
 * @number: first one of interest
 * @notice: the oldest one from there
 * @recording: what passed last on its stream
 *
 * Context: any. Return: false if there is none.
 */
bool xiw_notice_from(struct xiw_device *dev, u64 number, struct xiw_notice *notice,
		     struct xiw_recording *recording);

/*
 * Of a QP's stream: before its RNIC is ordered to end it, as the connection may be gone
 * behind. Any context, QP.lock not held.
 */
void xiw_notice_terminate(struct xiw_qp *qp, enum xiw_nl_origin origin, const u8 *term,
			  u32 length);
void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why);

void xiw_notice_crc_error(struct xiw_qp *qp);

/* QP.lock is held, and the state is not yet changed. */
void xiw_notice_state(struct xiw_qp *qp, u8 to);

/* Of a connection that the caller keeps. Any context. */
void xiw_notice_reject(struct xiw_conn *conn, enum xiw_nl_origin origin);
void xiw_notice_connect_error(struct xiw_conn *conn, int err);

void xiw_notice_connect(struct xiw_conn *conn);

void xiw_notice_config(struct xiw_device *dev);
/* @why: a constant. Any context. */
void xiw_notice_device_failed(struct xiw_device *dev, const char *why);

/* netlink/notice.c: does anybody listen (any context); tell all who do (process context). */
bool xiw_nl_notice_wanted(const struct xiw_device *dev);
void xiw_nl_notice_tell(struct xiw_device *dev, const struct xiw_notice *notice);

#endif
