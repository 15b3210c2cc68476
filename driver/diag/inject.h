/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Faults on demand: what an RNIC is to do wrong, and how often (netlink: fault-set).
 *
 * For tests, of what is above RDMA and of peers. It is in a module only if that was built
 * with XIW_INJECT=1; otherwise all of it is nothing. A device has a list of them. It knows
 * what passes by being asked at each place where one of a kind could strike, so that the
 * n-th is the same one in each run of the same traffic.
 */
#ifndef XIW_INJECT_H
#define XIW_INJECT_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <uapi/linux/xiw.h>

#define XIW_INJECTIONS 16	/* of a device */

/* One that is armed. */
struct xiw_injection {
	u32 stream;		/* 0: any */
	u8 kind;		/* enum xiw_nl_fault */
	u32 at, every;		/* strikes number at, at + every, ... of what passes */
	u32 count;		/* so often at most; 0: without end */
	u32 time;		/* ms */
	u32 octets;
	u64 seen, hits;		/* passed, struck */
};

/* Part of an RNIC. */
struct xiw_injector {
#ifdef CONFIG_INFINIBAND_XIW_INJECT
	spinlock_t lock;	/* all of it; inside all others */
	unsigned long kinds;	/* those in the list */
	unsigned int count;
	struct xiw_injection list[XIW_INJECTIONS];
#endif
};

#ifdef CONFIG_INFINIBAND_XIW_INJECT

void xiw_inject_init(struct xiw_injector *injector);

/**
 * xiw_inject_arm - a fault is to happen
 * @injector: of the RNIC
 * @injection: what, of whom, how often; seen and hits are 0
 *
 * Context: any. Return: 0; -ENOSPC: there are XIW_INJECTIONS already.
 */
int xiw_inject_arm(struct xiw_injector *injector, const struct xiw_injection *injection);

/**
 * xiw_inject_clear - faults are not to happen any more
 * @injector: of the RNIC
 * @stream: only what was armed for this one; 0: all
 *
 * Context: any.
 */
void xiw_inject_clear(struct xiw_injector *injector, u32 stream);

/**
 * xiw_inject_list - what is armed, the oldest first
 * @injector: of the RNIC
 * @list: room for XIW_INJECTIONS
 *
 * Context: any. Return: how many.
 */
unsigned int xiw_inject_list(struct xiw_injector *injector, struct xiw_injection *list);

/**
 * xiw_inject_passes - something passes that a fault of this kind could strike
 * @injector: of the RNIC
 * @stream: number of its stream
 * @kind: the kind
 * @struck: the fault that strikes
 *
 * Context: any. Return: true if one does; of several the oldest.
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
