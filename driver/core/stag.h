/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Access checks of STags (RFC 5040 §8.1, RFC 5041 §8.2). */
#ifndef XIW_CORE_STAG_H
#define XIW_CORE_STAG_H

#include <rnic/xiw_rnic.h>
#include "core/fault.h"

/*
 * Verdicts, in the order in which the entry of the STag is checked. For an MW, the entry of its MR
 * is then checked, with the same verdicts.
 */
enum xiw_stag_verdict {
	XIW_STAG_OK = 0,
	XIW_STAG_UNKNOWN,		/* no valid entry, wrong key, or MW whose MR is gone */
	XIW_STAG_NOT_ASSOCIATED,	/* another protection domain or stream */
	XIW_STAG_NO_ACCESS,		/* missing right */
	XIW_STAG_WRAP,			/* TO plus length reaches 2^64 (DEC-28) */
	XIW_STAG_BOUNDS,
	XIW_STAG_VERDICT_COUNT,
};

/* The fields of struct xiw_stag_entry that the checks need, in host byte order. */
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
	u64 length;		/* all ones: the whole address space */
	/* LINEAR: bus address of octet 0; MW: unused; others: offset of octet 0 in its page */
	u64 first;
};

/**
 * struct xiw_stag_use - an access
 * @stag: STag in a message of the peer, or in a work request
 * @pd: protection domain of the stream
 * @stream: stream of the access
 * @access: enum xiw_stag_access bits, all required
 * @to: TO of the first octet
 * @length: number of octets
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
 * @entry: entry of the STag table
 *
 * The RNIC may write the entry at the same time, so the function reads each word once. A caller
 * that needs a consistent copy must order this read after the writes of the entry. Callers check
 * and use only the copy in @view.
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
 * xiw_stag_may_bind - check the rights of an MR for an MW (RFC 5040 §8.1)
 * @window: rights of the MW
 * @region: rights of the MR
 *
 * Return: true if an MW with these rights may be bound to the MR.
 */
static inline bool xiw_stag_may_bind(u8 window, u8 region)
{
	const u8 writes = XIW_ACCESS_REMOTE_WRITE | XIW_ACCESS_REMOTE_ATOMIC;

	return region & XIW_ACCESS_BIND && (!(window & writes) || region & XIW_ACCESS_LOCAL_WRITE);
}

/**
 * xiw_stag_judge - check an access
 * @view: entry of the STag's index, NULL if there is none
 * @region: entry of @view->parent, NULL if there is none; read for an MW only
 * @use: the access; an access of length zero is checked, too (the callers implement DEC-46)
 *
 * An MW is valid only as long as its MR. So for an MW, the function also checks the MR: state, key,
 * generation, protection domain, rights and bounds.
 *
 * Return: XIW_STAG_OK, or the verdict of the first check that fails.
 */
enum xiw_stag_verdict xiw_stag_judge(const struct xiw_stag_view *view,
				     const struct xiw_stag_view *region,
				     const struct xiw_stag_use *use);

/**
 * xiw_stag_placement_fault - convert a verdict to a layer 1 fault, for tagged placement
 * @verdict: verdict
 *
 * Return: the fault. A missing right is reported as Invalid STag (DEC-34).
 */
enum xiw_fault xiw_stag_placement_fault(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_request_fault - convert a verdict to a layer 0 fault, for Read and Atomic Requests
 * @verdict: verdict
 *
 * Return: the fault (DEC-08).
 */
enum xiw_fault xiw_stag_request_fault(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_status - convert a verdict to enum xiw_status
 * @verdict: verdict
 *
 * Return: XIW_OK or XIW_ERR_*.
 */
enum xiw_status xiw_stag_status(enum xiw_stag_verdict verdict);

/**
 * xiw_stag_status_fault - convert the status of a failed response to a layer 0 fault
 * @status: status in XIW_EV_TX_ERROR
 *
 * Return: the fault; XIW_FAULT_RDMA_STREAM for a status without a code of its own, such as the
 * status of an unaligned atomic (RFC 7306 §8.2).
 */
enum xiw_fault xiw_stag_status_fault(enum xiw_status status);

/**
 * xiw_stag_invalidate_check - check whether an STag may be invalidated on a stream
 * @view: entry of the STag's index, NULL if there is none
 * @stag: STag to invalidate
 * @pd: protection domain of the stream
 * @stream: the stream
 * @remote: true if the peer requests the invalidation, by a Send with Invalidate
 *
 * Implements RFC 5040 §8.1 and DEC-31.
 *
 * Return: XIW_OK; XIW_ERR_STAG if the entry is not valid or has another key; XIW_ERR_PD if it has
 * another protection domain; XIW_ERR_ACCESS if it belongs to another stream, or if the peer has no
 * right to invalidate it.
 */
enum xiw_status xiw_stag_invalidate_check(const struct xiw_stag_view *view, u32 stag, u32 pd,
					  u32 stream, bool remote);

#endif
