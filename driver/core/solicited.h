/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The FIFO of what the peer may answer. An entry is pushed when a request is handed
 * to TCP; a Read Response is placed only inside the oldest sink range, a queue-3
 * message is taken only if one is the oldest entry. So a peer cannot answer what
 * nobody asked. Storage belongs to the caller; ORD entries are enough.
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
 * struct xiw_solicited_entry - one awaited answer
 * @to: sink TO
 * @stag: sink STag
 * @length: octets asked for
 * @received: octets placed so far
 * @cookie: the caller's
 * @kind: enum xiw_solicited_kind
 * @flags: the caller's (XIW_SINK_INVALIDATE)
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
 * @size: entries there
 * @head: oldest
 * @count: entries in use
 * @queue3: of these, how many are XIW_SOLICITED_QUEUE3
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
 * xiw_solicited_oldest - the answer that must come next
 * @s: FIFO
 *
 * Return: entry, NULL if nothing is awaited.
 */
static inline struct xiw_solicited_entry *xiw_solicited_oldest(struct xiw_solicited *s)
{
	return s->count ? &s->entry[s->head] : NULL;
}

/**
 * xiw_solicited_push_read - a Read Request goes out
 * @s: FIFO
 * @stag: sink STag
 * @to: sink TO
 * @length: octets, 0 allowed
 * @cookie: comes back with the entry
 * @flags: comes back with the entry
 *
 * Return: false if the FIFO is full; the request must wait.
 */
bool xiw_solicited_push_read(struct xiw_solicited *s, u32 stag, u64 to, u32 length, u32 cookie,
			     u8 flags);

/**
 * xiw_solicited_push_queue3 - a request goes out that a queue-3 message answers
 * @s: FIFO
 * @stag: sink STag of the original value; comes back with the entry
 * @to: sink TO; the same
 * @cookie: the same
 *
 * Return: false if the FIFO is full.
 */
bool xiw_solicited_push_queue3(struct xiw_solicited *s, u32 stag, u64 to, u32 cookie);

/**
 * xiw_solicited_available - is there a buffer for a queue-3 message?
 * @s: FIFO
 *
 * Return: true if one is awaited, oldest or not; the @available argument of
 * xiw_ddp_rx_untagged().
 */
static inline bool xiw_solicited_available(const struct xiw_solicited *s)
{
	return s->queue3;
}

/**
 * xiw_solicited_check - may this segment be placed?
 * @s: FIFO, not changed
 * @h: a Read Response segment, or a queue-3 message that passed
 *	xiw_ddp_rx_untagged()
 *
 * DEC-39. An empty Read Response to an empty Read is good whatever its STag and TO.
 *
 * Return: XIW_FAULT_NONE, else the fault.
 */
enum xiw_fault xiw_solicited_check(struct xiw_solicited *s, const struct xiw_ddp_header *h);

/**
 * xiw_solicited_placed - a checked segment has been placed
 * @s: FIFO
 * @h: its header
 *
 * Return: the entry if the segment finished it; it stays readable until the next
 * push. NULL if more is to come.
 */
struct xiw_solicited_entry *xiw_solicited_placed(struct xiw_solicited *s,
						 const struct xiw_ddp_header *h);

#endif
