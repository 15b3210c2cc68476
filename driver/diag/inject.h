/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Error injection, to test ULPs and peers. A device has a list of injections (netlink: inject-set).
 * The list determines which errors the RNIC injects, and how often. In a module that was built
 * without XIW_INJECT=1, the functions do nothing.
 *
 * An occasion is a point at which an injection of some kind can cause an error. The RNIC calls
 * xiw_inject_passes() at each occasion. An injection counts occasions, and does not measure time.
 * So the n-th occasion is the same in each run of the same traffic.
 */
#ifndef XIW_INJECT_H
#define XIW_INJECT_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <uapi/linux/xiw.h>

#define XIW_INJECTIONS 16	/* max per device */

/* An armed injection. */
struct xiw_injection {
	u32 stream;		/* number of the stream, 0: any stream */
	u8 kind;		/* enum xiw_nl_inject */
	u32 at, every;		/* first occasion with an error; period of errors, in occasions */
	u32 count;		/* max number of errors; 0: no limit */
	u32 time;		/* ms */
	u32 octets;
	u64 seen, hits;		/* number of occasions and of errors so far */
};

/* Injector of an RNIC. */
struct xiw_injector {
#ifdef CONFIG_INFINIBAND_XIW_INJECT
	spinlock_t lock;	/* protects all members; innermost lock */
	unsigned long kinds;	/* bits of the kinds in the list */
	unsigned int count;
	struct xiw_injection list[XIW_INJECTIONS];
#endif
};

#ifdef CONFIG_INFINIBAND_XIW_INJECT

void xiw_inject_init(struct xiw_injector *injector);

/**
 * xiw_inject_arm - arm an injection
 * @injector: injector of the RNIC
 * @injection: what to inject; its members seen and hits must be 0
 *
 * Context: any.
 *
 * Return: 0; -ENOSPC if XIW_INJECTIONS injections are armed already.
 */
int xiw_inject_arm(struct xiw_injector *injector, const struct xiw_injection *injection);

/**
 * xiw_inject_clear - disarm injections
 * @injector: injector of the RNIC
 * @stream: stream whose injections are disarmed; 0 for all injections
 *
 * Context: any.
 */
void xiw_inject_clear(struct xiw_injector *injector, u32 stream);

/**
 * xiw_inject_list - list armed injections, the oldest first
 * @injector: injector of the RNIC
 * @list: array of XIW_INJECTIONS
 *
 * Context: any.
 *
 * Return: number of injections.
 */
unsigned int xiw_inject_list(struct xiw_injector *injector, struct xiw_injection *list);

/**
 * xiw_inject_passes - count an occasion, and check whether an injection causes an error
 * @injector: injector of the RNIC
 * @stream: number of the stream
 * @kind: kind of the error
 * @struck: result: the injection that causes the error
 *
 * Context: any.
 *
 * Return: true if an injection causes an error. Of several such injections, @struck is the oldest.
 */
bool xiw_inject_passes(struct xiw_injector *injector, u32 stream, enum xiw_nl_inject kind,
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
