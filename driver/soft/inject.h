/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Functions that inject errors into the software RNIC, see diag/inject.h. All functions need the
 * socket lock. No function changes a Terminate message, because a Terminate reports the effect of
 * an injection.
 */
#ifndef XIW_SOFT_INJECT_H
#define XIW_SOFT_INJECT_H

#include "core/ddp.h"
#include "diag/inject.h"

struct xiw_soft_stream;

/* State of the injections of a stream. */
struct xiw_soft_injected {
#ifdef CONFIG_INFINIBAND_XIW_INJECT
	bool again;			/* build the last segment a second time */
	struct {
		unsigned long until;	/* end of the delay, in jiffies */
		u32 head;		/* ring index of the last message that was checked */
		bool looked;		/* a message was checked; head is valid */
		bool held;
	} q[XIW_TXQ_COUNT];
#endif
};

#ifdef CONFIG_INFINIBAND_XIW_INJECT

#define XIW_SOFT_INJECT_KINDS (BIT(XIW_NL_INJECT_MAX + 1) - 1)

/*
 * Inject errors into the last FPDU of the batch, which begins at offset @start. Return: true if the
 * caller must set the message back to the start of this FPDU, to build the FPDU again.
 */
bool xiw_soft_inject_fpdu(struct xiw_soft_stream *s, u32 start);

/*
 * Called if the batch contains no octets. If injections have dropped all its FPDUs, reset the
 * batch. Return: true if the batch was reset and the stream has more to send.
 */
bool xiw_soft_inject_emptied(struct xiw_soft_stream *s);

/* Check whether an injection delays the next message of ring @queue. Return: true if it does. */
bool xiw_soft_inject_hold(struct xiw_soft_stream *s, u8 queue);

/* Return: true while an injection delays ring @queue. */
bool xiw_soft_inject_held(struct xiw_soft_stream *s, u8 queue);

/*
 * Return: the fault to report for a segment with a valid header; XIW_FAULT_NONE if there is none.
 */
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
