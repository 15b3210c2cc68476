/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Fault injection: which faults an RNIC commits, and how often (netlink: fault-set).
 *
 * It tests ULPs and peers. It is in a module only if that was built with XIW_INJECT=1; otherwise
 * all functions are empty. A device has a list of injected faults. The RNIC calls
 * xiw_inject_passes() wherever a fault of some kind could strike. So the n-th place is the same
 * in each run of the same traffic.
 */
#ifndef XIW_INJECT_H
#define XIW_INJECT_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <uapi/linux/xiw.h>

#define XIW_INJECTIONS 16	/* max per device */

/* An armed fault. */
struct xiw_injection {
	u32 stream;		/* any stream if 0 */
	u8 kind;		/* enum xiw_nl_fault */
	u32 at, every;		/* strikes number at, at + every, ... of what passes */
	u32 count;		/* max number of strikes; 0: no limit */
	u32 time;		/* ms */
	u32 octets;
	u64 seen, hits;		/* number of places passed, number of strikes */
};

/* Part of an RNIC. */
struct xiw_injector {
#ifdef CONFIG_INFINIBAND_XIW_INJECT
	spinlock_t lock;	/* protects all; inside all others */
	unsigned long kinds;	/* kinds in the list */
	unsigned int count;
	struct xiw_injection list[XIW_INJECTIONS];
#endif
};

#ifdef CONFIG_INFINIBAND_XIW_INJECT

void xiw_inject_init(struct xiw_injector *injector);

/**
 * xiw_inject_arm - arm a fault
 * @injector: injector of the RNIC
 * @injection: fault; seen and hits are 0
 *
 * Context: any. Return: 0; -ENOSPC if XIW_INJECTIONS faults are armed already.
 */
int xiw_inject_arm(struct xiw_injector *injector, const struct xiw_injection *injection);

/**
 * xiw_inject_clear - disarm faults
 * @injector: injector of the RNIC
 * @stream: stream whose faults are disarmed; 0: all faults
 *
 * Context: any.
 */
void xiw_inject_clear(struct xiw_injector *injector, u32 stream);

/**
 * xiw_inject_list - list armed faults, the oldest first
 * @injector: injector of the RNIC
 * @list: array of XIW_INJECTIONS
 *
 * Context: any. Return: number of faults.
 */
unsigned int xiw_inject_list(struct xiw_injector *injector, struct xiw_injection *list);

/**
 * xiw_inject_passes - check whether a fault strikes here
 * @injector: injector of the RNIC
 * @stream: number of the stream
 * @kind: kind of the fault that could strike
 * @struck: the fault that strikes
 *
 * Context: any. Return: true if a fault strikes; the oldest one if there are several.
 */
bool xiw_inject_passes(struct xiw_injector *injector, u32 stream, enum xiw_nl_fault kind,
		       struct xiw_injection *struck);

#else

static inline void xiw_inject_init(struct xiw_injector *injector)
{
}

static inline int xiw_inject_arm(struct xiw_injector *injector,
				 const struct xiw_injection *injection)
{
	return -EOPNOTSUPP;
}

static inline void xiw_inject_clear(struct xiw_injector *injector, u32 stream)
{
}

static inline unsigned int xiw_inject_list(struct xiw_injector *injector,
					   struct xiw_injection *list)
{
	return 0;
}

#endif

#endif
