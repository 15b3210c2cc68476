/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What both ends agree on in the MPA startup (RFC 5044 §7, RFC 6581 §9). */
#ifndef XIW_CORE_MPA_H
#define XIW_CORE_MPA_H

#include "core/fault.h"
#include "core/mpa_frame.h"

/**
 * struct xiw_mpa_config - what this end wants
 * @rev: initiator: revision to send, 1 or 2; responder: highest accepted
 * @crc: CRC wanted
 * @markers: markers wanted in what this end receives
 * @p2p: initiator: ask for peer-to-peer; responder: ignored
 * @rtr: enum xiw_rtr bits supported (Send off by default, DEC-56)
 * @strict: responder: reject instead of taking an ORD below @ord (DEC-54)
 * @ird: inbound Reads plus Atomics that the ULP expects
 * @ord: outbound wanted
 * @max_ird: what the device can give; below XIW_MPA_DEPTH_NONE
 */
struct xiw_mpa_config {
	u8 rev;
	bool crc;
	bool markers;
	bool p2p;
	u8 rtr;
	bool strict;
	u16 ird;
	u16 ord;
	u16 max_ird;
};

/**
 * struct xiw_mpa_agreed - outcome
 * @rev: of the connection
 * @crc: CRCs in both directions
 * @tx_markers: this end inserts markers
 * @rx_markers: this end receives markers
 * @enhanced: RFC 6581 word exchanged
 * @p2p: RTR needed
 * @rtr: initiator: the one kind to send; responder: kinds that may come
 * @ird: own inbound depth
 * @ord: own outbound depth
 * @peer_ird: as the peer said it (for the ULP), XIW_MPA_DEPTH_NONE if not
 * @peer_ord: the same
 */
struct xiw_mpa_agreed {
	u8 rev;
	bool crc;
	bool tx_markers;
	bool rx_markers;
	bool enhanced;
	bool p2p;
	u8 rtr;
	u16 ird;
	u16 ord;
	u16 peer_ird;
	u16 peer_ord;
};

enum xiw_mpa_outcome {
	XIW_MPA_OPEN,			/* agreed */
	XIW_MPA_REJECTED,		/* by the peer; responder: send the Reply, close */
	XIW_MPA_TERMINATE,		/* initiator: send Terminate with the fault, close */
	XIW_MPA_CLOSE,			/* close without a word */
};

/**
 * xiw_mpa_request - Request of an initiator
 * @req: result; set pd_len afterwards
 * @cfg: wishes
 */
void xiw_mpa_request(struct xiw_mpa_frame *req, const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_respond - Reply of a responder that accepts
 * @rep: Reply to send; set pd_len afterwards
 * @agreed: valid with XIW_MPA_OPEN
 * @req: Request of the peer
 * @cfg: wishes
 *
 * Return: XIW_MPA_OPEN; XIW_MPA_REJECTED with the needed depths in @rep (DEC-54);
 * XIW_MPA_CLOSE if the Request has a revision above @cfg->rev.
 */
enum xiw_mpa_outcome xiw_mpa_respond(struct xiw_mpa_frame *rep, struct xiw_mpa_agreed *agreed,
				     const struct xiw_mpa_frame *req,
				     const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_reject - Reply of a responder whose ULP says no
 * @rep: Reply to send; set pd_len afterwards
 * @req: Request of the peer
 * @cfg: wishes, told to the peer
 */
void xiw_mpa_reject(struct xiw_mpa_frame *rep, const struct xiw_mpa_frame *req,
		    const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_conclude - what the Reply means for the initiator
 * @agreed: valid with XIW_MPA_OPEN; peer_ird and peer_ord also with REJECTED
 * @fault: LLP_IRD or LLP_RTR with XIW_MPA_TERMINATE
 * @req: the Request that was sent
 * @rep: Reply of the peer
 * @cfg: wishes
 *
 * Return: what to do.
 */
enum xiw_mpa_outcome xiw_mpa_conclude(struct xiw_mpa_agreed *agreed, enum xiw_fault *fault,
				      const struct xiw_mpa_frame *req,
				      const struct xiw_mpa_frame *rep,
				      const struct xiw_mpa_config *cfg);

#endif
