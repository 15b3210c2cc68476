/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * TX of a stream: it executes descriptors and passes FPDUs to TCP.
 *
 * A TX pass builds a batch of FPDUs in pages of the RNIC. Without markers, it copies the data and
 * computes the CRC in one step. One call passes the batch to TCP. Usually, each TCP segment ends at
 * the end of an FPDU (tx.c). So TSO cuts between FPDUs, and GRO at the peer joins complete FPDUs.
 */
#ifndef XIW_SOFT_TX_H
#define XIW_SOFT_TX_H

#include <linux/bvec.h>

#include "core/fpdu.h"
#include "core/send.h"
#include "soft/stag.h"

struct xiw_soft_stream;

enum xiw_soft_tx_limit {
	XIW_TX_BATCH = 65535,		/* max octets that are passed to TCP at once */
	XIW_TX_BATCH_FPDUS = 128,
	XIW_TX_BATCH_BVECS = 18,	/* for 64 KiB in single pages, with unaligned ends */
	XIW_TX_QUANTUM = 4,		/* max batches of a pass; only one if other streams wait */
	XIW_TX_FILL_MIN = 256,		/* min room in a segment for a shortened FPDU, in octets */
	XIW_TX_LINEAR = 16384,		/* max octets of an FPDU with markers */
	XIW_TX_PASS_EVENTS = 3,		/* TX_DONE of both queues, and TX_ERROR */
};

/*
 * A batch of FPDUs for TCP. After a partial send, the batch keeps the octets that TCP has not
 * taken. The batch holds references to its pages.
 */
struct xiw_soft_batch {
	struct bio_vec bv[XIW_TX_BATCH_BVECS];
	u16 end[XIW_TX_BATCH_FPDUS];	/* end of each FPDU, as an offset in the batch */
	u32 len, sent;
	u16 bv_first, bv_nr, fpdus;
	bool eor;			/* the next FPDU must begin a new segment */
	bool more;			/* more octets are available */
};

struct xiw_soft_tx {
	struct xiw_sender core;
	u8 *ring[XIW_TXQ_COUNT];
	u32 mss, mulpdu;
	u32 in_step;			/* sequence number of a segment that begins with an FPDU */
	u64 octets;			/* payload octets in all FPDUs built so far */
	bool held;			/* passive side: TX waits for the first FPDU of the peer */
	bool sending;			/* TX has called TCP, and the call has not returned */
	bool wait_inv;			/* TX waits until inv_stag is invalidated */
	bool fin;			/* a FIN is requested; TX sends nothing more */
	bool term, term_due;		/* a Terminate was built; a Terminate must be built */
	u32 inv_stag;
	u8 term_length;
	u8 term_message[XIW_TERM_SIZE];
	struct xiw_framing framing;
	struct xiw_soft_batch batch;
	struct xiw_soft_ref ref;	/* reference to the STag used last; held for one pass */
	u8 *linear;			/* with markers: two buffers, for a ULPDU and its FPDU */
};

/* All functions below need the socket lock, with BH disabled. */

/* tx.c; returns true if there is more to do */
bool xiw_soft_tx_run(struct xiw_soft_stream *s);
void xiw_soft_tx_terminate(struct xiw_soft_stream *s);
void xiw_soft_tx_drop(struct xiw_soft_stream *s);
void xiw_soft_tx_mtu(struct xiw_soft_stream *s);

/* descriptor.c; xiw_soft_tx_next() sets tx.core.msg; false: there is nothing to send now */
bool xiw_soft_tx_next(struct xiw_soft_stream *s);
bool xiw_soft_tx_pending(struct xiw_soft_stream *s);
void xiw_soft_tx_message_done(struct xiw_soft_stream *s);

/* gather.c: returns the number of contiguous octets, at most @want, or -enum xiw_status */
int xiw_soft_gather(struct xiw_soft_stream *s, u32 want, const void **from);

/* fpdu.c */
int xiw_soft_fpdu_build(struct xiw_soft_stream *s, u32 mulpdu, u8 *status);
int xiw_soft_fpdu_term(struct xiw_soft_stream *s);
void xiw_soft_batch_cut(struct xiw_soft_stream *s, u32 keep);
int xiw_soft_batch_send(struct xiw_soft_stream *s);

#endif
