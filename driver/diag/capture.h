/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Capture: DDP segments as they pass, for who asked for them.
 *
 * The software RNIC shows the segment of every FPDU, both ways. What other RNICs send and
 * receive the driver never sees; of those it shows messages as descriptors and events tell
 * them, with no more than their headers. While nobody captures this is one branch that is
 * not taken.
 *
 * A device has one capture at most. It belongs to a netlink socket and ends when that says
 * so, with the socket, or with the device. Segments are copied into a ring of bounded size;
 * one that finds no room there is counted and lost.
 *
 * Locks: who begins, reads and ends captures is serialised by a mutex of capture.c, outside
 * config_lock and everything else here. Who shows a segment finds the capture under RCU and
 * holds its lock, which is inside all others, for the copy.
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

/* In front of a segment in the ring. */
struct xiw_captured {
	u64 time;		/* ns since 1970 */
	u32 stream;
	u32 length;		/* octets of the segment */
	u32 kept;		/* those of them that follow, the first ones */
	u32 flags;		/* enum xiw_nl_segment_flag */
};

struct xiw_capture_wish {
	u32 stream;		/* 0: of all */
	u32 snap;		/* octets of each segment, 1 to XIW_NL_SNAP_MAX */
	u32 size;		/* octets of the ring; it takes the power of two below */
};

/* Who may read and end a capture. */
struct xiw_capture_owner {
	const struct net *net;
	u32 portid;
};

struct xiw_capture_totals {
	u64 seen, lost;		/* segments */
};

extern struct static_key_false_deferred xiw_capture_key;

/* Would xiw_capture_segment() do anything? */
static inline bool xiw_capturing(const struct xiw_rnic *rnic)
{
	return static_branch_unlikely(&xiw_capture_key.key) && rcu_access_pointer(rnic->capture);
}

/**
 * xiw_capture_segment - a DDP segment passes
 * @rnic: the RNIC that sends or has received it
 * @stream: number of its stream
 * @flags: enum xiw_nl_segment_flag
 * @spans: where it lies; may end before it does
 * @count: number of spans
 * @at: where in the spans it begins
 * @length: its octets
 *
 * Context: any, any locks.
 */
void xiw_capture_segment(struct xiw_rnic *rnic, u32 stream, u32 flags,
			 const struct xiw_span *spans, u32 count, u32 at, u32 length);

/* The message that a recorder has just got, and RDMAP headers that stand behind DDP's. */
void xiw_capture_message(struct xiw_rnic *rnic, u32 stream, const struct xiw_recorder *recorder,
			 const void *behind, u32 behind_length);

/**
 * xiw_capture_begin - capture what passes from now on
 * @dev: device, which the caller keeps
 * @owner: who asks
 * @wish: what to capture
 *
 * Context: process. Return: 0; -EBUSY if somebody captures already; -ENOMEM.
 */
int xiw_capture_begin(struct xiw_device *dev, const struct xiw_capture_owner *owner,
		      const struct xiw_capture_wish *wish);

/**
 * xiw_capture_end - end it
 * @dev: device
 * @owner: who asks
 *
 * Context: process. Return: 0; -ENOENT if it has no capture there.
 */
int xiw_capture_end(struct xiw_device *dev, const struct xiw_capture_owner *owner);

/**
 * xiw_capture_open - look at a capture
 * @dev: device
 * @owner: who asks
 *
 * Context: process. Return: it, for xiw_capture_close(); NULL if it has none there.
 */
struct xiw_capture *xiw_capture_open(struct xiw_device *dev,
				     const struct xiw_capture_owner *owner);
void xiw_capture_close(struct xiw_capture *capture);

/* The oldest segment, which stays in the ring. Return: false if there is none. */
bool xiw_capture_next(struct xiw_capture *capture, struct xiw_captured *head);

/* Takes the octets that xiw_capture_next() told of, and the segment out of the ring. */
void xiw_capture_take(struct xiw_capture *capture, void *to);

/* Since it began. */
void xiw_capture_totals(struct xiw_capture *capture, struct xiw_capture_totals *totals);

/* With the device. Process context. */
void xiw_capture_remove(struct xiw_device *dev);

int xiw_capture_init(void);
void xiw_capture_exit(void);

#endif
