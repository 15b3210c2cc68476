/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Capture: a netlink socket gets copies of the DDP segments of a device.
 *
 * The software RNIC captures the segment of every FPDU, in both directions. The driver never sees
 * the segments of other RNICs. For other RNICs it captures the headers of messages, which it gets
 * from descriptors and events. Without a capture, the cost is one branch that is not taken.
 *
 * A device has at most one capture. A capture belongs to a netlink socket, and ends on request,
 * with the socket, or with the device. Segments are copied into a ring of bounded size; a segment
 * that does not fit is dropped and counted.
 *
 * Locks: a mutex of capture.c serialises start, reads and end of captures. The mutex is outside
 * config_lock and all locks here. The writer of a segment looks up the capture under RCU, and holds
 * the lock of the capture while it copies. That lock is the innermost lock.
 */
#ifndef XIW_CAPTURE_H
#define XIW_CAPTURE_H

#include <linux/jump_label_ratelimit.h>
#include <linux/rcupdate.h>
#include <uapi/linux/xiw.h>

#include "core/fpdu.h"
#include "ring/rnic.h"

struct net;
struct xiw_device;
struct xiw_recorder;

/* Header of a segment in the ring. */
struct xiw_captured {
	u64 time;		/* ns since 1970 */
	u32 stream;
	u32 length;		/* octets of the whole segment */
	u32 kept;		/* octets of the segment that follow this header */
	u32 flags;		/* enum xiw_nl_segment_flag */
};

struct xiw_capture_wish {
	u32 stream;		/* 0: all streams */
	u32 snap;		/* max octets of each segment, 1 to XIW_NL_SNAP_MAX */
	u32 size;		/* octets of the ring, rounded down to a power of two */
};

/* The socket that may read and end a capture. */
struct xiw_capture_owner {
	const struct net *net;
	u32 portid;
};

struct xiw_capture_totals {
	u64 seen, lost;		/* segments */
};

extern struct static_key_false_deferred xiw_capture_key;

/* Return: true if a capture may be running. */
static inline bool xiw_capturing(const struct xiw_rnic *rnic)
{
	return static_branch_unlikely(&xiw_capture_key.key) && rcu_access_pointer(rnic->capture);
}

/**
 * xiw_capture_segment - copy a DDP segment to the capture
 * @rnic: RNIC that sends or has received the segment
 * @stream: number of the stream
 * @flags: enum xiw_nl_segment_flag
 * @spans: location of the segment; may be shorter than the segment
 * @count: number of spans
 * @at: offset of the segment in the spans
 * @length: octets of the segment
 *
 * Context: any; any locks may be held.
 */
void xiw_capture_segment(struct xiw_rnic *rnic, u32 stream, u32 flags,
			 const struct xiw_span *spans, u32 count, u32 at, u32 length);

/* Copy the last message of a recorder, and the RDMAP headers that follow the DDP header. */
void xiw_capture_message(struct xiw_rnic *rnic, u32 stream, const struct xiw_recorder *recorder,
			 const void *behind, u32 behind_length);

/**
 * xiw_capture_begin - start a capture
 * @dev: device; the caller holds a reference
 * @owner: socket of the request
 * @wish: what to capture
 *
 * Context: process.
 *
 * Return: 0; -EBUSY if the device has a capture already; -ENOMEM.
 */
int xiw_capture_begin(struct xiw_device *dev, const struct xiw_capture_owner *owner,
		      const struct xiw_capture_wish *wish);

/**
 * xiw_capture_end - end a capture
 * @dev: device
 * @owner: socket of the request
 *
 * Context: process.
 *
 * Return: 0; -ENOENT if @owner has no capture on this device.
 */
int xiw_capture_end(struct xiw_device *dev, const struct xiw_capture_owner *owner);

/**
 * xiw_capture_open - open a capture to read it
 * @dev: device
 * @owner: socket of the request
 *
 * Context: process, may sleep. On success, holds a mutex until xiw_capture_close(), so the caller
 * must not start or end a capture in between.
 *
 * Return: the capture, for xiw_capture_close(); NULL if @owner has no capture on this device.
 */
struct xiw_capture *xiw_capture_open(struct xiw_device *dev,
				     const struct xiw_capture_owner *owner);
void xiw_capture_close(struct xiw_capture *capture);

/*
 * Get the header of the oldest segment, which stays in the ring. Return: false if the ring is
 * empty.
 */
bool xiw_capture_next(struct xiw_capture *capture, struct xiw_captured *head);

/*
 * Copy to @to the segment whose header xiw_capture_next() has returned, and remove the segment from
 * the ring.
 */
void xiw_capture_take(struct xiw_capture *capture, void *to);

/* Get the totals since the start of the capture. */
void xiw_capture_totals(struct xiw_capture *capture, struct xiw_capture_totals *totals);

/* End the capture of a device that is being removed. Process context. */
void xiw_capture_remove(struct xiw_device *dev);

int xiw_capture_init(void);
void xiw_capture_exit(void);

#endif
