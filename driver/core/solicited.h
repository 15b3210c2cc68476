/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The FIFO of expected responses. An entry is added before TCP gets the request of the entry. A
 * Read Response is placed only inside the sink of the oldest entry. A queue 3 message is accepted
 * only if the oldest entry expects a queue 3 message. So an unsolicited response is never placed.
 * The caller provides storage for ORD entries.
 */
#ifndef XIW_CORE_SOLICITED_H
#define XIW_CORE_SOLICITED_H

#include "core/ddp_header.h"
#include "core/fault.h"

enum xiw_solicited_kind {
	XIW_SOLICITED_READ = 1,
	XIW_SOLICITED_QUEUE3 = 2,
};

/**
 * struct xiw_solicited_entry - one expected response
 * @to: sink TO
 * @stag: sink STag
 * @length: requested octets
 * @received: octets placed so far
 * @cookie: cookie of the caller
 * @kind: enum xiw_solicited_kind
 * @flags: flags of the caller (XIW_SINK_INVALIDATE)
 */
struct xiw_solicited_entry {
	u64 to;
	u32 stag;
	u32 length;
	u32 received;
	u32 cookie;
	u8 kind;
	u8 flags;
};

/**
 * struct xiw_solicited - the FIFO
 * @entry: storage
 * @size: capacity, in entries
 * @head: index of the oldest entry
 * @count: entries in use
 * @queue3: number of used entries of the kind XIW_SOLICITED_QUEUE3
 */
struct xiw_solicited {
	struct xiw_solicited_entry *entry;
	u16 size;
	u16 head;
	u16 count;
	u16 queue3;
};

static inline void xiw_solicited_init(struct xiw_solicited *s,
				      struct xiw_solicited_entry *entry, u16 size)
{
	s->entry = entry;
	s->size = size;
	s->head = 0;
	s->count = 0;
	s->queue3 = 0;
}

/**
 * xiw_solicited_oldest - get the response that must arrive next
 * @s: FIFO
 *
 * Return: the entry; NULL if no response is expected.
 */
static inline struct xiw_solicited_entry *xiw_solicited_oldest(struct xiw_solicited *s)
{
	return s->count ? &s->entry[s->head] : NULL;
}

/**
 * xiw_solicited_push_read - add an entry for a Read Request
 * @s: FIFO
 * @stag: sink STag
 * @to: sink TO
 * @length: requested octets, may be 0
 * @cookie: returned with the entry
 * @flags: returned with the entry
 *
 * Return: false if the FIFO is full; the request must not be sent.
 */
bool xiw_solicited_push_read(struct xiw_solicited *s, u32 stag, u64 to, u32 length, u32 cookie,
			     u8 flags);

/**
 * xiw_solicited_push_queue3 - add an entry for a request with a queue 3 response
 * @s: FIFO
 * @stag: STag of the sink for the original value; returned with the entry
 * @to: sink TO; returned with the entry
 * @cookie: returned with the entry
 *
 * Return: false if the FIFO is full; the request must not be sent.
 */
bool xiw_solicited_push_queue3(struct xiw_solicited *s, u32 stag, u64 to, u32 cookie);

/**
 * xiw_solicited_available - check whether a queue 3 message is expected
 * @s: FIFO
 *
 * Return: true if an entry, not necessarily the oldest, expects a queue 3 message. Pass this value
 * as @available to xiw_ddp_rx_untagged().
 */
static inline bool xiw_solicited_available(const struct xiw_solicited *s)
{
	return s->queue3;
}

/**
 * xiw_solicited_check - check whether a segment may be placed
 * @s: FIFO, not changed
 * @h: a Read Response segment, or a queue 3 message that passed xiw_ddp_rx_untagged()
 *
 * Follows DEC-39. An empty Read Response to an empty Read is valid with any STag and TO.
 *
 * Return: XIW_FAULT_NONE or the fault.
 */
enum xiw_fault xiw_solicited_check(struct xiw_solicited *s, const struct xiw_ddp_header *h);

/**
 * xiw_solicited_placed - advance after a checked segment has been placed
 * @s: FIFO
 * @h: header of the segment
 *
 * Return: the entry that the segment has completed, valid until the next push; NULL if more
 * segments are expected.
 */
struct xiw_solicited_entry *xiw_solicited_placed(struct xiw_solicited *s,
						 const struct xiw_ddp_header *h);

#endif
