/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Flight recorder of a stream. It keeps the headers of the last segments in both directions. The
 * event that reports the end of the stream contains a copy of them. The recorder is always on,
 * because errors cannot be foreseen. It uses 512 octets per stream, and each segment costs a copy
 * of 32 octets.
 *
 * There is one writer at a time. The software RNIC records DDP segments, under its socket lock. The
 * driver does not see the segments of other RNICs. For these RNICs, the driver records the messages
 * that descriptors and events describe, under QP.sq_lock. Any context may read at any time, without
 * a lock. A reader omits entries that are overwritten while it reads. The recorder exists as long
 * as its stream.
 */
#ifndef XIW_RECORDER_H
#define XIW_RECORDER_H

#include <asm/barrier.h>
#include <linux/kconfig.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rnic/xiw_rnic.h>

#include "core/wire.h"

#define XIW_RECORDER_SLOTS 16	/* a reader skips the slot that is written next */

enum xiw_record_flag {
	XIW_RECORD_SENT = 1 << 0,
	XIW_RECORD_MESSAGE = 1 << 1,	/* a whole message, from a descriptor or an event */
};

struct xiw_record {
	u64 time;		/* monotonic, ns; in a snapshot: ns before the snapshot */
	u32 length;		/* octets that follow the header */
	u8 flags;		/* enum xiw_record_flag */
	u8 header_length;	/* 0 if there is no valid header */
	u8 header[XIW_DDP_HDR_MAX];
};

/* The slots are a separate allocation of exactly 512 octets. */
struct xiw_recorder {
	u64 next;		/* free-running; written with release */
	struct xiw_record *record;	/* NULL in a QP whose RNIC records segments */
};

/* A snapshot of a recorder, the oldest entry first. */
struct xiw_recording {
	u32 count;
	struct xiw_record record[XIW_RECORDER_SLOTS - 1];
};

/* Allocate the slots of a zeroed recorder. Any context that @gfp allows. Return: 0 or -ENOMEM. */
int xiw_recorder_init(struct xiw_recorder *recorder, gfp_t gfp);
void xiw_recorder_free(struct xiw_recorder *recorder);

/* Remove all entries. Only the writer calls this, and only while there are no readers. */
void xiw_recorder_clear(struct xiw_recorder *recorder);

/* Fill in the next entry. Only the writer calls this. xiw_record_done() makes the entry visible. */
static inline void xiw_record_fill(struct xiw_recorder *recorder, u64 time, u8 flags,
				   const u8 *header, u32 header_length, u32 length)
{
	struct xiw_record *record = &recorder->record[recorder->next % XIW_RECORDER_SLOTS];

	if (IS_ENABLED(CONFIG_XIW_UNRECORDED))
		return;
	/*
	 * The current index must be visible before the new contents. A reader that has copied new
	 * contents therefore also sees this index, and omits the entry. Pairs with smp_rmb() in
	 * xiw_recorder_read().
	 */
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
	/* release: a reader that sees the new index also sees the entry */
	smp_store_release(&recorder->next, recorder->next + 1);
}

/* Get the newest entry. Only the writer calls this. There must be an entry. */
static inline const struct xiw_record *xiw_recorder_last(const struct xiw_recorder *recorder)
{
	return &recorder->record[(recorder->next - 1) % XIW_RECORDER_SLOTS];
}

/**
 * xiw_recorder_read - take a snapshot
 * @recorder: recorder; the caller ensures that it is not freed
 * @recording: result; times are relative to the snapshot
 *
 * Context: any.
 */
void xiw_recorder_read(const struct xiw_recorder *recorder, struct xiw_recording *recording);

/*
 * Record the message or segment that a descriptor or an event describes. Only the writer calls
 * this. Return: false if nothing was recorded, because the descriptor or event describes neither a
 * message nor a segment.
 */
bool xiw_recorder_descriptor(struct xiw_recorder *recorder, const struct xiw_tx_desc *desc);
bool xiw_recorder_event(struct xiw_recorder *recorder, const struct xiw_event *event);

#endif
