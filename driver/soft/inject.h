/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Places where errors are injected into the software RNIC, see diag/inject.h. All functions need
 * the socket lock. No injection changes a Terminate message, because a Terminate reports the effect
 * of an injection.
 */
#ifndef XIW_SOFT_INJECT_H
#define XIW_SOFT_INJECT_H

#include "core/ddp.h"
#include "diag/inject.h"

struct xiw_soft_stream;

/* State of the injections of a stream. */
struct xiw_soft_injected {
#ifdef CONFIG_INFINIBAND_XIW_INJECT
	bool again;			/* build the last segment again */
	struct {
		unsigned long until;	/* jiffies */
		u32 head;		/* the message that was checked last */
		bool looked;		/* a message was checked; head is valid */
		bool held;
	} q[XIW_TXQ_COUNT];
#endif
};

#ifdef CONFIG_INFINIBAND_XIW_INJECT

#define XIW_SOFT_INJECT_KINDS (BIT(XIW_NL_INJECT_MAX + 1) - 1)

/*
 * Inject errors into the last FPDU of the batch, which begins at @start. Return: true if the
 * message must return to its position before that FPDU, to send the FPDU again.
 */
bool xiw_soft_inject_fpdu(struct xiw_soft_stream *s, u32 start);

/*
 * Reset a batch that has no octets, for example because all FPDUs were dropped. Return: true if
 * there is more to do.
 */
bool xiw_soft_inject_emptied(struct xiw_soft_stream *s);

/* Check the next message of a ring. Return: true if the message must wait. */
bool xiw_soft_inject_hold(struct xiw_soft_stream *s, u8 queue);

/* Return: true while the ring must wait. */
bool xiw_soft_inject_held(struct xiw_soft_stream *s, u8 queue);

/* Check a segment with a valid header. Return: the fault to report. */
enum xiw_fault xiw_soft_inject_header(struct xiw_soft_stream *s, const u8 *ulpdu, u32 ulpdu_len,
				      const struct xiw_ddp_header *h);

#else

#define XIW_SOFT_INJECT_KINDS 0

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
