/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * RX of a stream: octets from TCP in, placed data and events out.
 *
 * An FPDU that lies whole in one skb is summed and placed from where it lies; one
 * that is split is staged in pages first. Nothing is placed before its CRC.
 */
#ifndef XIW_SOFT_RX_H
#define XIW_SOFT_RX_H

#include "core/ddp.h"
#include "core/fpdu.h"
#include "core/solicited.h"
#include "soft/soft.h"
#include "soft/stag.h"

enum xiw_soft_rx_limit {
	XIW_RX_SPANS = 20,		/* pieces of an FPDU; more: it is staged */
	XIW_RX_STAGE_PAGES = DIV_ROUND_UP(XIW_FPDU_PLAIN_MAX, 4096),
	XIW_RX_PASS = 1 << 20,		/* octets before another stream's turn */
	XIW_RX_PASS_FPDUS = 1024,	/* the same, FPDUs: the shortest one has 20 octets */
	XIW_RX_WHOLE_MS = 900000,	/* without peer_ms: as long as TCP itself tries */
};

/*
 * An FPDU that came in parts. What a TCP segment of this end's MSS holds needs no more than
 * floor pages, which each stream may have whatever the others do. A longer FPDU gets the
 * rest out of the device's quota, all of it at once: nobody waits for more while holding some.
 */
struct xiw_soft_stage {
	u32 have;			/* octets here */
	u32 need;			/* octets of the FPDU, 0: not known yet */
	u32 granted;			/* octets of the quota */
	bool checked;			/* CRC and markers are good already */
	unsigned long deadline;		/* jiffies: the FPDU is whole, or the stream is lost */
	struct xiw_frame frame;
	struct page *page[XIW_RX_STAGE_PAGES];
	u8 *linear;			/* instead of pages where markers are on */
};

/* The receive that was taken for the message being received. */
struct xiw_soft_receive {
	bool taken;
	u32 cookie, room;
	u32 sges, sge_at, sge_off;
	struct xiw_sge sge[XIW_SOFT_MAX_GATHER];
};

struct xiw_soft_rx {
	struct xiw_framing framing;
	struct xiw_ddp_rx ddp;
	struct xiw_solicited fifo;	/* what the peer may answer */
	bool dead;			/* drop whatever comes */
	bool faulted;			/* dead, but take nothing before the order */
	bool arrived;			/* an FPDU came, good or bad */
	bool first_seen;		/* a good one came, or TX never was held */
	bool blocked;			/* this pass goes no further */
	bool unreadable;		/* TCP has octets that the CPU cannot read */
	bool parked, park_over;
	bool slot;			/* one event is reserved */
	bool recorded;			/* the segment looked at is, for when it is kept */
	bool held;			/* event waits for an invalidation */
	u32 inv_stag;			/* the one that held waits for */
	u32 head;			/* private ring, slots */
	u32 pass, pass_fpdus;		/* octets and FPDUs of this pass */
	u64 octets;			/* payload so far */
	u64 write_octets;		/* of these, of Writes */
	u32 writes;			/* whole ones */
	struct xiw_soft_receive recv;
	struct xiw_soft_stage stage;
	struct xiw_soft_ref ref;	/* of the last STag, for one pass */
	struct xiw_event event;
};

/* All with the socket lock, BH off. */

/* rx.c; run: true if there is more to do */
bool xiw_soft_rx_run(struct xiw_soft_stream *s);
void xiw_soft_rx_wait_over(struct xiw_soft_stream *s);
void xiw_soft_rx_late(struct xiw_soft_stream *s);
void xiw_soft_rx_stop(struct xiw_soft_stream *s);
void xiw_soft_rx_drop(struct xiw_soft_stream *s);

/* segment.c: a whole FPDU; false: it cannot be taken now, keep it */
bool xiw_soft_segment(struct xiw_soft_stream *s, const struct xiw_span *spans, u32 count,
		      const struct xiw_frame *frame, bool staged);

/* place.c */
struct xiw_soft_source {
	const struct xiw_span *spans;
	u32 count;
	u32 at;				/* first octet of the payload */
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
