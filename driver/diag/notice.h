/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Events of a device and its connections, for netlink. The device keeps the last XIW_NOTICES_KEPT
 * errors. All events are multicast to the subscribers of the netlink family. An event is queued
 * first. A work item sends the queued events in order, one message per event, in process context.
 * Without subscribers, an event that is not an error is dropped at once.
 *
 * Reporting an event allocates no memory and works in any context. The lock of struct xiw_notices
 * is a leaf: no other lock is taken under it. Events are copied to and from the queue under this
 * lock. If the queue is full, a new event is lost. A later event reports the loss. A lost event
 * also has a number. So the number of the next event shows a subscriber how many events were lost.
 *
 * The queue is created before the RNIC is started. It is destroyed after the RNIC is stopped and
 * the queued events are sent.
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

/* Reason of an event: the device requires encryption, and the connection is not encrypted. */
#define XIW_WHY_UNENCRYPTED "not encrypted"
/* Reason of an event: iw_cm cannot pass all private data of the peer to the ULP. */
#define XIW_WHY_PRIVATE_DATA "more than 255 octets of private data"

#define XIW_NOTICES_KEPT 64
#define XIW_NOTICES_QUEUED 512	/* holds 50 ms of events at 10,000 per second */

struct xiw_notice {
	u64 number;		/* from 1 */
	u64 time;		/* ns since 1970 */
	const char *text;	/* constant string with the reason, or NULL */
	u32 qpn;		/* QP number; 0: none */
	u32 cm_id;
	u32 error;		/* positive errno, or 0 */
	u8 kind;		/* enum xiw_nl_notice */
	u8 origin;		/* enum xiw_nl_origin */
	u8 role;		/* enum xiw_nl_role */
	bool connected;		/* cm_id, role and the addresses are valid */
	u8 from, to;		/* enum xiw_qps; for XIW_NL_NOTICE_QP_STATE */
	u8 term_length;
	u8 term[XIW_TERM_LEN_MAX];
	struct xiw_addr local, remote;
};

struct xiw_notices {
	struct xiw_device *dev;
	struct work_struct work;
	spinlock_t lock;	/* protects all members below */
	u64 number;		/* number of the latest event */
	u64 next;		/* number of events kept so far; modulo XIW_NOTICES_KEPT, this is
				 * the next index in kept[]
				 */
	u32 head, tail;		/* indexes in queue[]; free-running */
	bool lost;		/* an event was lost, and no event has reported the loss yet */
	struct xiw_notice kept[XIW_NOTICES_KEPT];
	struct xiw_recording recorded[XIW_NOTICES_KEPT];	/* snapshot for each kept event */
	struct xiw_notice queue[XIW_NOTICES_QUEUED];
};

int xiw_notices_add(struct xiw_device *dev);
void xiw_notices_remove(struct xiw_device *dev);

/**
 * xiw_notice_from - get the oldest kept event whose number is at least @number
 * @dev: device
 * @number: lowest number to return
 * @notice: result: the event
 * @recording: result: the flight recorder's snapshot for the event, empty if there is none
 *
 * Context: any.
 *
 * Return: false if there is no such event.
 */
bool xiw_notice_from(struct xiw_device *dev, u64 number, struct xiw_notice *notice,
		     struct xiw_recording *recording);

/*
 * Report that a QP's stream ends, with a Terminate or without one. Call this before the RNIC gets
 * the order that ends the stream, because the connection may be freed after this order.
 * @term: Terminate message of @length octets. @why: constant string.
 * Any context; QP.lock is not held.
 */
void xiw_notice_terminate(struct xiw_qp *qp, enum xiw_nl_origin origin, const u8 *term,
			  u32 length);
void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why);

/* Report a CRC error of a QP's stream. Any context; QP.lock is not held. */
void xiw_notice_crc_error(struct xiw_qp *qp);

/* Report that the state of a QP changes to @to. Call this before the change. QP.lock is held. */
void xiw_notice_state(struct xiw_qp *qp, u8 to);

/*
 * Report that a connection was rejected, or that its setup failed. @err: positive or negative
 * errno. The caller holds a reference on @conn. Any context.
 */
void xiw_notice_reject(struct xiw_conn *conn, enum xiw_nl_origin origin);
void xiw_notice_connect_error(struct xiw_conn *conn, int err);

/*
 * Report that a listener waits because its port is in use. @err: positive or negative errno. Any
 * context.
 */
void xiw_notice_listen_error(struct xiw_device *dev, u32 index, const struct xiw_addr *local,
			     int err);

/* Report that a connection is open. The caller holds a reference on @conn. Any context. */
void xiw_notice_connect(struct xiw_conn *conn);

/* Report that the settings of a device have changed. Any context. */
void xiw_notice_config(struct xiw_device *dev);
/* Report that a device has failed. @why: constant string. Any context. */
void xiw_notice_device_failed(struct xiw_device *dev, const char *why);

/* netlink/notice.c: check for subscribers (any context); multicast an event (process context). */
bool xiw_nl_notice_wanted(const struct xiw_device *dev);
void xiw_nl_notice_tell(struct xiw_device *dev, const struct xiw_notice *notice);

#endif
