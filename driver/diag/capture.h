/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Capture: a netlink socket gets copies of the DDP segments of a device.
 *
 * The software RNIC captures the segment of every FPDU, in both directions. The driver does not see
 * the segments of other RNICs. For these RNICs, it captures the message headers that descriptors
 * and events contain. While no capture runs, each segment costs one branch that is not taken.
 *
 * A device has at most one capture. A capture belongs to a netlink socket. The capture ends on
 * request, when the socket is closed, or when the device is removed. Segments are copied into a
 * ring of fixed size. A segment that does not fit is dropped and counted.
 *
 * Locks: xiw_capture_mutex serialises the start, the reads and the end of captures. The lock of the
 * capture is the only lock of the driver that is taken under xiw_capture_mutex. The writer of a
 * segment finds the capture under RCU, and holds the lock of the capture while it copies. The lock
 * of the capture is the innermost lock.
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
	u32 snap;		/* max octets kept of each segment, 1 to XIW_NL_SNAP_MAX */
	u32 size;		/* octets of the ring, rounded down to a power of two */
};

/* The socket that may read and end a capture. */
struct xiw_capture_owner {
	const struct net *net;
	u32 portid;
};

struct xiw_capture_totals {
	u64 seen, lost;		/* number of all segments; number of dropped segments */
};

extern struct static_key_false_deferred xiw_capture_key;

/* Check for a capture of the RNIC. Return: true if there may be one. */
static inline bool xiw_capturing(const struct xiw_rnic *rnic)
{
	return static_branch_unlikely(&xiw_capture_key.key) && rcu_access_pointer(rnic->capture);
}

/**
 * xiw_capture_segment - copy a DDP segment to the capture
 * @rnic: RNIC that sends or has received the segment
 * @stream: number of the stream
 * @flags: enum xiw_nl_segment_flag
 * @spans: memory of the segment, or only of its first octets
 * @count: number of spans
 * @at: offset of the segment in the spans
 * @length: octets of the segment
 *
 * Context: any; any locks may be held.
 */
void xiw_capture_segment(struct xiw_rnic *rnic, u32 stream, u32 flags,
			 const struct xiw_span *spans, u32 count, u32 at, u32 length);

/*
 * Copy the newest message of @recorder to the capture. @behind points to the @behind_length octets
 * of RDMAP headers that follow the DDP header of the message. The writer of @recorder calls this.
 */
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
 * Context: process, may sleep. On success, the mutex is held until xiw_capture_close(). The caller
 * must not start or end a capture in between.
 *
 * Return: the capture, for xiw_capture_close(); NULL if @owner has no capture on this device.
 */
struct xiw_capture *xiw_capture_open(struct xiw_device *dev,
				     const struct xiw_capture_owner *owner);
void xiw_capture_close(struct xiw_capture *capture);

/*
 * Get the header of the oldest segment. The segment stays in the ring. Return: false if the ring is
 * empty.
 */
bool xiw_capture_next(struct xiw_capture *capture, struct xiw_captured *head);

/*
 * Move the oldest segment, without its header, from the ring to @to. The caller has got the header
 * from xiw_capture_next().
 */
void xiw_capture_take(struct xiw_capture *capture, void *to);

/* Get the totals since the start of the capture. */
void xiw_capture_totals(struct xiw_capture *capture, struct xiw_capture_totals *totals);

/* End the capture of a device that is being removed. Process context. */
void xiw_capture_remove(struct xiw_device *dev);

int xiw_capture_init(void);
void xiw_capture_exit(void);

#endif
