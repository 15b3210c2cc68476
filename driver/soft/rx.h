/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * RX of a stream: reads octets from TCP, places data and raises events.
 *
 * If an FPDU has no markers and is complete in one skb, RX computes the CRC and places the payload
 * directly from the skb. RX first copies other FPDUs, such as an FPDU that is split across skbs, to
 * memory of the RNIC (staging). RX places nothing before the CRC check.
 */
#ifndef XIW_SOFT_RX_H
#define XIW_SOFT_RX_H

#include "core/fpdu.h"
#include "core/receive.h"
#include "soft/soft.h"
#include "soft/stag.h"

enum xiw_soft_rx_limit {
	XIW_RX_SPANS = 20,		/* max pieces of an FPDU that is not staged */
	XIW_RX_STAGE_PAGES = DIV_ROUND_UP(XIW_FPDU_PLAIN_MAX, 4096),
	XIW_RX_PASS = 1 << 20,		/* max octets of a pass; another stream runs afterwards */
	XIW_RX_PASS_FPDUS = 1024,	/* max FPDUs of a pass; the shortest FPDU has 20 octets */
	/* whole_ms if peer_ms is 0. TCP retransmits for about the same time. */
	XIW_RX_WHOLE_MS = 900000,
};

/*
 * An FPDU that is staged. Each stream may always use stage_floor() pages, which are enough for an
 * FPDU that fits into one TCP segment of the peer. For a longer FPDU, the stream takes all further
 * pages in one step from the quota of the device. So no stream holds some of these pages while it
 * waits for the others.
 */
struct xiw_soft_stage {
	u32 have;			/* staged octets */
	u32 need;			/* octets of the FPDU; 0 if unknown */
	u32 granted;			/* octets taken from the quota of the device */
	bool checked;			/* CRC and markers have been checked */
	unsigned long deadline;		/* jiffies; an FPDU incomplete by then ends the stream */
	bool record;			/* TLS: a part of a record has arrived */
	unsigned long record_deadline;	/* jiffies; limit for the rest of the record */
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
	bool faulted;			/* a fault: read nothing until the stream stops or closes */
	bool arrived;			/* an FPDU has arrived, valid or not */
	bool first_seen;		/* a valid FPDU has arrived, or TX was never held */
	bool blocked;			/* the pass must end early; the next pass resets it */
	bool spent;			/* TLS: this pass ended so that other streams run */
	bool unreadable;		/* TCP has octets that the CPU cannot read */
	bool parked, park_over;		/* RX waits for a receive; park_ms has expired */
	bool slot;			/* room for one event is reserved */
	bool recorded;			/* the flight recorder has the current segment */
	bool held;			/* an event waits for an invalidation */
	u32 inv_stag;			/* STag of that invalidation */
	u32 head;			/* consumer index of the private receive ring, in slots */
	u32 pass, pass_fpdus;		/* octets and FPDUs of this pass */
	u64 octets;			/* payload received so far */
	struct xiw_soft_receive recv;
	struct xiw_soft_stage stage;
	struct xiw_soft_ref ref;	/* reference to the STag used last; held for one pass */
	struct xiw_event event;
};

/* All functions below need the socket lock, with BH disabled. */

/* rx.c; xiw_soft_rx_run() returns true if there is more to do */
bool xiw_soft_rx_run(struct xiw_soft_stream *s);

/*
 * Call this for a closed socket. Return: true if both ends have sent a FIN, and octets before the
 * peer's FIN wait for a receive, an invalidation, memory, room in the event ring, or (after a
 * fault) an order of the driver. The linger timer of the connection limits the wait.
 */
bool xiw_soft_rx_waits(const struct xiw_soft_stream *s);
void xiw_soft_rx_late(struct xiw_soft_stream *s);
void xiw_soft_rx_stop(struct xiw_soft_stream *s);
void xiw_soft_rx_drop(struct xiw_soft_stream *s);

/* segment.c: process a complete FPDU; returns false if it must be processed again later */
bool xiw_soft_segment(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		      const struct xiw_frame *frame, bool staged);
/* segment.c: handle the end of a wait for the first FPDU, or for a receive */
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
