/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Flight recorder: the headers of what passed last on a stream, both ways, for the notice
 * of its end. Always on: it is wanted when nobody expected it. A stream has half a KiB of
 * it, and each header costs a copy of 32 octets.
 *
 * One writes at a time: the software RNIC records DDP segments under its socket lock.
 * What other RNICs send and receive the driver never sees; of those it records messages
 * as descriptors and events tell them, under QP.sq_lock. Anybody may read at any time,
 * without a lock: what was written over meanwhile is left out. It lives as long as its
 * stream; the notice has a copy.
 */
#ifndef XIW_RECORDER_H
#define XIW_RECORDER_H

#include <asm/barrier.h>
#include <linux/kconfig.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rnic/xiw_rnic.h>

#include "core/wire.h"

#define XIW_RECORDER_SLOTS 16	/* the one that is written next is not told */

enum xiw_record_flag {
	XIW_RECORD_SENT = 1 << 0,
	XIW_RECORD_MESSAGE = 1 << 1,	/* whole, as a descriptor or an event told it */
};

struct xiw_record {
	u64 time;		/* ns, monotonic; in a recording: before the recording */
	u32 length;		/* octets behind the header */
	u8 flags;		/* enum xiw_record_flag */
	u8 header_length;	/* 0: none that can be believed */
	u8 header[XIW_DDP_HDR_MAX];
};

/* The slots by themselves: they are half a KiB just so. */
struct xiw_recorder {
	u32 next;		/* free running; release */
	struct xiw_record *record;	/* XIW_RECORDER_SLOTS; NULL: another records */
};

/* What a recorder had, the oldest first. */
struct xiw_recording {
	u32 count;
	struct xiw_record record[XIW_RECORDER_SLOTS - 1];
};

/* @recorder is zero. Any context that @gfp allows. Return: 0 or -ENOMEM. */
int xiw_recorder_init(struct xiw_recorder *recorder, gfp_t gfp);
void xiw_recorder_free(struct xiw_recorder *recorder);

/* Forget all. The writer; nobody reads. */
void xiw_recorder_clear(struct xiw_recorder *recorder);

/* The writer. Nobody sees it before xiw_record_done(), which may never come. */
static inline void xiw_record_fill(struct xiw_recorder *recorder, u64 time, u8 flags,
				   const u8 *header, u32 header_length, u32 length)
{
	struct xiw_record *record = &recorder->record[recorder->next % XIW_RECORDER_SLOTS];

	if (IS_ENABLED(CONFIG_XIW_UNRECORDED))
		return;
	/* Who reads of this record in the slot sees the index: pairs with xiw_recorder_read() */
	smp_wmb();
	record->time = time;
	record->length = length;
	record->flags = flags;
	record->header_length = header_length;
	memcpy(record->header, header, header_length);
}

static inline void xiw_record_done(struct xiw_recorder *recorder)
{
	if (IS_ENABLED(CONFIG_XIW_UNRECORDED))
		return;
	/* release: who sees the index sees the record */
	smp_store_release(&recorder->next, recorder->next + 1);
}

/* The newest one. The writer; there is one. */
static inline const struct xiw_record *xiw_recorder_last(const struct xiw_recorder *recorder)
{
	return &recorder->record[(recorder->next - 1) % XIW_RECORDER_SLOTS];
}

/**
 * xiw_recorder_read - what passed last
 * @recorder: recorder, which the caller keeps
 * @recording: copy; times count back from now
 *
 * Context: any.
 */
void xiw_recorder_read(const struct xiw_recorder *recorder, struct xiw_recording *recording);

/*
 * The writer, from the ring: a descriptor that the RNIC is given, an event that it gave.
 * Return: false if it is no message.
 */
bool xiw_recorder_descriptor(struct xiw_recorder *recorder, const struct xiw_tx_desc *desc);
bool xiw_recorder_event(struct xiw_recorder *recorder, const struct xiw_event *event);

#endif
