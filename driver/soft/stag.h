/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * STag table. The driver gives the memory in chunks; beside each entry stands a
 * use count that lives here. A reference pins the entry's contents and its
 * pages; it must not outlive one pass over a stream.
 */
#ifndef XIW_SOFT_STAG_H
#define XIW_SOFT_STAG_H

#include <linux/atomic.h>
#include <linux/spinlock.h>

#include "core/stag.h"
#include "rnic.h"

struct xiw_soft;
struct xiw_soft_stream;

#define XIW_STAG_DYING INT_MIN	/* in xiw_soft_stag.use: no new reference */

struct xiw_soft_stag {
	atomic_t use;		/* references; XIW_STAG_DYING unless valid */
	u32 waiter;		/* stream index + 1, 0: none */
	u32 clear_tag;
	u8 waiter_bit;		/* enum xiw_soft_pending */
	bool pending;		/* invalidated, last reference still out */
	bool clear;		/* then free the entry and answer clear_tag */
};

struct xiw_soft_stag_chunk {
	struct xiw_stag_entry *entry;
	struct xiw_soft_stag *shadow;
	spinlock_t lock;	/* all of a shadow but use */
};

/* A reference to a valid entry and, for a window, to the region behind it. */
struct xiw_soft_ref {
	u32 stag;		/* valid if chunk is set */
	u32 index, region_index;
	struct xiw_soft_stag_chunk *chunk, *region_chunk;
	struct xiw_stag_view view;	/* decoded once; it cannot change meanwhile */
};

int xiw_soft_stag_chunk(struct xiw_soft *soft, u32 index, struct xiw_stag_entry *entries);
void xiw_soft_stags_free(struct xiw_soft *soft);

/* s: stream whose descriptor it is, NULL: admin command. Returns enum xiw_status. */
int xiw_soft_stag_set(struct xiw_soft *soft, u32 stag, const struct xiw_stag_entry *entry,
		      const struct xiw_soft_stream *s);
/* XIW_OK, an error, or -EINPROGRESS: tag is answered later. */
int xiw_soft_stag_clear(struct xiw_soft *soft, u32 stag, u32 tag);
/*
 * The caller holds no reference of its own. XIW_OK: state is written. -EINPROGRESS:
 * bit is set in s->pending, and s queued, when it is. Else the error.
 */
int xiw_soft_stag_invalidate(struct xiw_soft_stream *s, u32 stag, bool remote, u8 bit);
void xiw_soft_stag_forget(struct xiw_soft_stream *s, u32 stag);

enum xiw_stag_verdict xiw_soft_stag_check(struct xiw_soft_stream *s, struct xiw_soft_ref *ref,
					  u32 stag, u64 to, u64 length, u8 access);
/* A piece of memory behind a checked (stag, to): returns its octets, at most length. */
u32 xiw_soft_stag_span(const struct xiw_soft_ref *ref, u64 to, u32 length, void **va);
void xiw_soft_stag_put(struct xiw_soft *soft, struct xiw_soft_ref *ref);

#endif
