/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Who may touch what through an STag (RFC 5040 §8.1, RFC 5041 §8.2). */
#ifndef XIW_CORE_STAG_H
#define XIW_CORE_STAG_H

#include <rnic/xiw_rnic.h>
#include "core/fault.h"

/* In the order in which they are looked for. */
enum xiw_stag_verdict {
	XIW_STAG_OK = 0,
	XIW_STAG_UNKNOWN,		/* no entry, wrong key, not valid, stale window */
	XIW_STAG_NOT_ASSOCIATED,	/* other protection domain or stream */
	XIW_STAG_NO_ACCESS,		/* right missing */
	XIW_STAG_WRAP,			/* TO plus length passes 2^64 (DEC-28) */
	XIW_STAG_BOUNDS,
	XIW_STAG_VERDICT_COUNT,
};

/* What the checks need of struct xiw_stag_entry, host order. */
struct xiw_stag_view {
	u8 state;		/* enum xiw_stag_state */
	u8 key;
	u8 access;		/* enum xiw_stag_access */
	u32 flags;		/* enum xiw_stag_flag */
	u32 pd;
	u32 stream;
	u32 parent;
	u32 generation;
	u64 base;
	u64 length;		/* all ones: whole address space */
	u64 first;		/* of the first octet, modulo the page size; not of a window */
};

/**
 * struct xiw_stag_use - an access
 * @stag: as named by peer or consumer
 * @pd: protection domain of the stream
 * @stream: the stream
 * @access: enum xiw_stag_access bits, all needed
 * @to: first octet
 * @length: octets
 */
struct xiw_stag_use {
	u32 stag;
	u32 pd;
	u32 stream;
	u8 access;
	u64 to;
	u64 length;
};

static inline u32 xiw_stag_index(u32 stag)
{
	return stag >> 8;
}

static inline u8 xiw_stag_key(u32 stag)
{
	return stag;
}

/**
 * xiw_stag_view_get - decode a table entry
 * @view: result
 * @entry: entry of the STag table; the caller orders the read against its owner
 *
 * The RNIC, which may be a device, may write the entry at the same time. Each word is read
 * once. Whoever acts on it judges what it acts on.
 */
static inline void xiw_stag_view_get(struct xiw_stag_view *view,
				     const struct xiw_stag_entry *entry)
{
	view->state = READ_ONCE(entry->state);
	view->key = READ_ONCE(entry->key);
	view->access = READ_ONCE(entry->access);
	view->flags = le32_to_cpu(READ_ONCE(entry->flags));
	view->pd = le32_to_cpu(READ_ONCE(entry->pd));
	view->stream = le32_to_cpu(READ_ONCE(entry->stream));
	view->parent = le32_to_cpu(READ_ONCE(entry->parent));
	view->generation = le32_to_cpu(READ_ONCE(entry->generation));
	view->base = le64_to_cpu(READ_ONCE(entry->base));
	view->length = le64_to_cpu(READ_ONCE(entry->length));
	view->first = view->flags & XIW_STAGF_LINEAR ? le64_to_cpu(READ_ONCE(entry->pages)) :
						       le32_to_cpu(READ_ONCE(entry->first));
}

/**
 * xiw_stag_judge - check an access
 * @view: entry of the STag's index, NULL if there is none
 * @use: access; zero-length ones are checked like others (but see DEC-46)
 *
 * A window needs xiw_stag_window_verdict() too.
 *
 * Return: XIW_STAG_OK or the first failure.
 */
enum xiw_stag_verdict xiw_stag_judge(const struct xiw_stag_view *view,
				     const struct xiw_stag_use *use);

/**
 * xiw_stag_window_verdict - second half of a window's check: its parent
 * @window: the window, verdict OK already
 * @parent: entry of window->parent, NULL if there is none
 * @use: the same access
 *
 * The window dies with its parent: state, key, generation and bounds are looked at.
 *
 * Return: XIW_STAG_OK or the first failure.
 */
enum xiw_stag_verdict xiw_stag_window_verdict(const struct xiw_stag_view *window,
					      const struct xiw_stag_view *parent,
					      const struct xiw_stag_use *use);

/**
 * xiw_stag_placement_fault - layer 1 code of a verdict, for tagged placement
 * @verdict: verdict
 *
 * Return: the fault. A missing right is Invalid STag (DEC-34).
 */
enum xiw_fault xiw_stag_placement_fault(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_request_fault - layer 0 code of a verdict, for Read and Atomic Requests
 * @verdict: verdict
 *
 * Return: the fault (DEC-08).
 */
enum xiw_fault xiw_stag_request_fault(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_status - verdict as the RNIC reports it for descriptors
 * @verdict: verdict
 *
 * Return: XIW_OK or XIW_ERR_*.
 */
enum xiw_status xiw_stag_status(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_status_fault - layer 0 code when the RNIC refused a response descriptor
 * @status: XIW_EV_TX_ERROR status
 *
 * Return: XIW_FAULT_RDMA_PROTECTION for what has no code of its own.
 */
enum xiw_fault xiw_stag_status_fault(enum xiw_status status);

/**
 * xiw_stag_invalidate_check - may this peer invalidate the STag?
 * @view: entry of the STag's index, NULL if there is none
 * @stag: STag of a Send with Invalidate
 * @pd: protection domain of the stream
 * @stream: the stream
 *
 * RFC 5040 §8.1, DEC-31.
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_RDMA_INVALIDATE.
 */
enum xiw_fault xiw_stag_invalidate_check(const struct xiw_stag_view *view, u32 stag, u32 pd,
					 u32 stream);

#endif
