/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * RX of a stream: reads octets from TCP, places data and raises events.
 *
 * If an FPDU is complete in one skb, its CRC is computed and its payload placed directly
 * from the skb. An FPDU that is split across skbs is first staged in pages. Nothing is
 * placed before the CRC check.
 */
#ifndef XIW_SOFT_RX_H
#define XIW_SOFT_RX_H

#include "core/fpdu.h"
#include "core/receive.h"
#include "soft/soft.h"
#include "soft/stag.h"

enum xiw_soft_rx_limit {
	XIW_RX_SPANS = 20,		/* max pieces; an FPDU with more pieces is staged */
	XIW_RX_STAGE_PAGES = DIV_ROUND_UP(XIW_FPDU_PLAIN_MAX, 4096),
	XIW_RX_PASS = 1 << 20,		/* octets before another stream gets its turn */
	XIW_RX_PASS_FPDUS = 1024,	/* FPDUs before that; the shortest FPDU has 20 octets */
	XIW_RX_WHOLE_MS = 900000,	/* default without peer_ms: as long as TCP retransmits */
};

/*
 * An FPDU that arrives in parts. If the FPDU fits into a TCP segment of this end's MSS, it needs at
 * most stage_floor() pages, which are guaranteed to each stream. A longer FPDU takes all other
 * pages from the quota of the device at once, so that no stream waits for more quota while it holds
 * some.
 */
struct xiw_soft_stage {
	u32 have;			/* staged octets */
	u32 need;			/* octets of the FPDU; 0 if unknown */
	u32 granted;			/* octets that are taken from the quota */
	bool checked;			/* CRC and markers have been checked */
	unsigned long deadline;		/* jiffies; after it, an incomplete FPDU ends the stream */
	bool record;			/* TLS: a part of a record has arrived */
	unsigned long record_deadline;	/* jiffies; the same for the record */
	struct xiw_frame frame;
	struct page *page[XIW_RX_STAGE_PAGES];
	u8 *linear;			/* used instead of pages if there are markers */
};

/* The receive that the current message uses. */
struct xiw_soft_receive {
	bool taken;
	u32 cookie, room;
	u32 sges, sge_at, sge_off;
	struct xiw_sge sge[XIW_SOFT_MAX_GATHER];
};

struct xiw_soft_rx {
	struct xiw_framing framing;
	struct xiw_receiver core;
	bool dead;			/* drop all received octets */
	bool faulted;			/* like dead, but read nothing before the order to stop */
	bool arrived;			/* an FPDU has arrived, valid or not */
	bool first_seen;		/* a valid FPDU has arrived, or TX was never held */
	bool blocked;			/* this pass must end */
	bool spent;			/* this pass ended to give others a turn */
	bool unreadable;		/* TCP has octets that the CPU cannot read */
	bool parked, park_over;
	bool slot;			/* room for one event is reserved */
	bool recorded;			/* the current segment is recorded; RX may retry it */
	bool held;			/* an event waits for an invalidation */
	u32 inv_stag;			/* STag of that invalidation */
	u32 head;			/* consumer index of the private ring, in slots */
	u32 pass, pass_fpdus;		/* octets and FPDUs of this pass */
	u64 octets;			/* payload received so far */
	struct xiw_soft_receive recv;
	struct xiw_soft_stage stage;
	struct xiw_soft_ref ref;	/* reference to the last STag, for one pass */
	struct xiw_event event;
};

/* All functions below need the socket lock, with BH off. */

/* rx.c; xiw_soft_rx_run() returns true if there is more to do */
bool xiw_soft_rx_run(struct xiw_soft_stream *s);

/*
 * Return: true if both ends have sent a FIN, and octets before the FIN of the peer wait for a
 * receive, an invalidation, memory or room in the event ring. The time limit of the close bounds
 * the wait.
 */
bool xiw_soft_rx_waits(const struct xiw_soft_stream *s);
void xiw_soft_rx_late(struct xiw_soft_stream *s);
void xiw_soft_rx_stop(struct xiw_soft_stream *s);
void xiw_soft_rx_drop(struct xiw_soft_stream *s);

/* segment.c: process a complete FPDU; returns false if it must be retried later */
bool xiw_soft_segment(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		      const struct xiw_frame *frame, bool staged);
/* segment.c: the first FPDU, or the receive that a message waits for, has not come in time */
void xiw_soft_rx_wait_over(struct xiw_soft_stream *s);

/* place.c */
struct xiw_soft_source {
	const struct xiw_span *spans;
	u32 count;
	u32 at;				/* offset of the payload */
	u32 len;
};

enum xiw_fault xiw_soft_place_tagged(struct xiw_soft_stream *s, const struct xiw_soft_source *from,
				     u32 stag, u64 to, u8 access);
void xiw_soft_place_bus(const struct xiw_soft_source *from, u64 to);
enum xiw_status xiw_soft_place_value(struct xiw_soft_stream *s,
				     const struct xiw_soft_source *from,
				     const struct xiw_solicited_entry *sink);
enum xiw_fault xiw_soft_place_receive(struct xiw_soft_stream *s,
				      const struct xiw_soft_source *from);

#endif
