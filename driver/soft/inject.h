/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Where the software RNIC does wrong on demand, see ../inject.h. All with the socket lock.
 * Terminate messages are let through: they end what a fault began.
 */
#ifndef XIW_SOFT_INJECT_H
#define XIW_SOFT_INJECT_H

#include "core/ddp.h"
#include "inject.h"

struct xiw_soft_stream;

/* Part of a stream. */
struct xiw_soft_injected {
#ifdef CONFIG_XIW_INJECT
	bool again;			/* the last segment is built once more */
	struct {
		unsigned long until;	/* jiffies */
		u32 head;		/* the message that was looked at last, */
		bool looked;		/* if there was one */
		bool held;
	} q[XIW_TXQ_COUNT];
#endif
};

#ifdef CONFIG_XIW_INJECT

#define XIW_SOFT_FAULTS (BIT(XIW_NL_FAULT_MAX + 1) - 1)

/*
 * An FPDU stands at the end of the batch, from start on. Return: true if the message is to
 * go back to where it was before it.
 */
bool xiw_soft_inject_fpdu(struct xiw_soft_stream *s, u32 start);

/*
 * A batch without octets, maybe of FPDUs that were all dropped. Return: true if there is
 * more to do.
 */
bool xiw_soft_inject_emptied(struct xiw_soft_stream *s);

/* A message is next in a ring. Return: true if it has to wait. */
bool xiw_soft_inject_hold(struct xiw_soft_stream *s, u8 queue);

/* Return: true while a ring is to be left alone. */
bool xiw_soft_inject_held(struct xiw_soft_stream *s, u8 queue);

/* A segment has a good header. Return: what is said to be wrong with it. */
enum xiw_fault xiw_soft_inject_header(struct xiw_soft_stream *s, const u8 *ulpdu, u32 ulpdu_len,
				      const struct xiw_ddp_header *h);

#else

#define XIW_SOFT_FAULTS 0

static inline bool xiw_soft_inject_fpdu(struct xiw_soft_stream *s, u32 start)
{
	return false;
}

static inline bool xiw_soft_inject_emptied(struct xiw_soft_stream *s)
{
	return false;
}

static inline bool xiw_soft_inject_hold(struct xiw_soft_stream *s, u8 queue)
{
	return false;
}

static inline bool xiw_soft_inject_held(struct xiw_soft_stream *s, u8 queue)
{
	return false;
}

static inline enum xiw_fault xiw_soft_inject_header(struct xiw_soft_stream *s, const u8 *ulpdu,
						    u32 ulpdu_len,
						    const struct xiw_ddp_header *h)
{
	return XIW_FAULT_NONE;
}

#endif

#endif
