/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The STag table. The driver provides the memory of the table in chunks. The software RNIC keeps a
 * use count for each entry. A reference pins the contents and the pages of an entry, and must not
 * outlive one pass of a stream.
 */
#ifndef XIW_SOFT_STAG_H
#define XIW_SOFT_STAG_H

#include <linux/atomic.h>
#include <linux/spinlock.h>

#include "core/stag.h"
#include "ring/rnic.h"

struct xiw_soft;
struct xiw_soft_stream;

#define XIW_STAG_DYING INT_MIN	/* bit of xiw_soft_stag.use: no new references */

struct xiw_soft_stag {
	atomic_t use;		/* references, plus XIW_STAG_DYING if the entry is not valid */
	u32 waiter;		/* index + 1 of the stream that waits for the invalidation, or 0 */
	u32 clear_tag;		/* tag of the admin command that waits for the last put */
	u8 waiter_bit;		/* enum xiw_soft_pending */
	bool pending;		/* invalidated, but references remain */
	bool clear;		/* the last put frees the entry and answers the command */
};

/*
 * Number of entries whose shadow is one allocation. The allocation must not sleep, so it fits a
 * page: free contiguous pages may be scarce.
 */
#define XIW_STAG_PIECE 256

struct xiw_soft_stag_chunk {
	struct xiw_stag_entry *entry;
	struct xiw_soft_stag *shadow[XIW_STAG_CHUNK / XIW_STAG_PIECE];
	spinlock_t lock;	/* protects generation, and all members of shadow except use */
	u32 generation;		/* generation of the MR that became valid last */
};

/* A reference to a valid entry and, for an MW, to the entry of its MR. */
struct xiw_soft_ref {
	u32 stag;		/* valid if chunk is set */
	u32 index, region_index;
	struct xiw_soft_stag_chunk *chunk, *region_chunk;
	/* Decoded once, because a referenced entry cannot change. */
	struct xiw_stag_view view;
	struct xiw_stag_view region;	/* valid for an MW */
};

int xiw_soft_stag_chunk(struct xiw_soft *soft, u32 index, struct xiw_stag_entry *entries);
void xiw_soft_stags_free(struct xiw_soft *soft);

/*
 * Write an entry. @s: stream of the descriptor; NULL for an admin command. Returns enum
 * xiw_status.
 */
int xiw_soft_stag_set(struct xiw_soft *soft, u32 stag, const struct xiw_stag_entry *entry,
		      const struct xiw_soft_stream *s);
/*
 * Invalidate and free an entry, for the admin command with tag @tag. Returns XIW_OK, an error, or
 * -EINPROGRESS if the command is answered later.
 */
int xiw_soft_stag_clear(struct xiw_soft *soft, u32 stag, u32 tag);
/*
 * Invalidate an entry. The caller must not hold a reference to it. Returns XIW_OK if the entry is
 * now invalid; -EINPROGRESS if other contexts hold references; or an error. After -EINPROGRESS, the
 * last put completes the invalidation, sets @bit in s->pending, and queues @s.
 */
int xiw_soft_stag_invalidate(struct xiw_soft_stream *s, u32 stag, bool remote, u8 bit);
void xiw_soft_stag_forget(struct xiw_soft_stream *s, u32 stag);

enum xiw_stag_verdict xiw_soft_stag_check(struct xiw_soft_stream *s, struct xiw_soft_ref *ref,
					  u32 pd, u32 stag, u64 to, u64 length, u8 access);
/*
 * Get the address of a range that xiw_soft_stag_check() has checked. Returns the number of
 * contiguous octets, at most @length.
 */
u32 xiw_soft_stag_span(const struct xiw_soft_ref *ref, u64 to, u32 length, void **va);
void xiw_soft_stag_put(struct xiw_soft *soft, struct xiw_soft_ref *ref);

#endif
