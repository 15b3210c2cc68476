/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* MPA negotiation (RFC 5044 §7, RFC 6581 §9). */
#ifndef XIW_CORE_MPA_H
#define XIW_CORE_MPA_H

#include "core/fault.h"
#include "core/mpa_frame.h"

/**
 * struct xiw_mpa_config - parameters that this end requests
 * @rev: initiator: revision to send, 1 or 2; responder: highest accepted revision
 * @crc: request CRC
 * @markers: request markers in the receive direction
 * @p2p: initiator: request peer-to-peer mode; responder: ignored
 * @rtr: supported forms of RTR, enum xiw_rtr bits (by default without Send, DEC-56)
 * @strict: responder: reject a Request whose IRD is below @ord (DEC-54)
 * @ird: concurrent inbound Reads and Atomics that the ULP expects
 * @ord: concurrent outbound Reads and Atomics that the ULP requests
 * @max_ird: max IRD of the device; less than XIW_MPA_DEPTH_NONE
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
 * struct xiw_mpa_agreed - negotiated parameters
 * @rev: revision of the connection
 * @crc: CRCs are on, in both directions
 * @tx_markers: this end inserts markers
 * @rx_markers: this end receives markers
 * @enhanced: the IRD and ORD fields of RFC 6581 were exchanged
 * @p2p: an RTR is required
 * @rtr: initiator: form of RTR to send; responder: forms that may arrive
 * @ird: IRD of this end
 * @ord: ORD of this end
 * @peer_ird: IRD in the peer's frame, for the ULP; XIW_MPA_DEPTH_NONE if absent
 * @peer_ord: ORD in the peer's frame; XIW_MPA_DEPTH_NONE if absent
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
	XIW_MPA_OPEN,			/* the ends agree */
	XIW_MPA_REJECTED,		/* a rejecting Reply has arrived or is to be sent; close */
	XIW_MPA_TERMINATE,		/* initiator: send Terminate with the fault, close */
	XIW_MPA_CLOSE,			/* close without a Reply or a Terminate */
};

/**
 * xiw_mpa_request - prepare the Request of an initiator
 * @req: result; the caller sets pd_len afterwards
 * @cfg: configuration of this end
 */
void xiw_mpa_request(struct xiw_mpa_frame *req, const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_respond - prepare the Reply of a responder that accepts
 * @rep: Reply to send; the caller sets pd_len afterwards
 * @agreed: result, valid with XIW_MPA_OPEN
 * @req: Request of the peer
 * @cfg: configuration of this end
 *
 * Return: XIW_MPA_OPEN; XIW_MPA_REJECTED with the required IRD and ORD in @rep (DEC-54);
 * XIW_MPA_CLOSE if the Request has a revision above @cfg->rev.
 */
enum xiw_mpa_outcome xiw_mpa_respond(struct xiw_mpa_frame *rep, struct xiw_mpa_agreed *agreed,
				     const struct xiw_mpa_frame *req,
				     const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_reject - prepare the Reply of a responder whose ULP rejects
 * @rep: Reply to send; the caller sets pd_len afterwards
 * @req: Request of the peer
 * @cfg: configuration of this end, which the Reply contains
 */
void xiw_mpa_reject(struct xiw_mpa_frame *rep, const struct xiw_mpa_frame *req,
		    const struct xiw_mpa_config *cfg);

/**
 * xiw_mpa_conclude - evaluate the Reply on the initiator
 * @agreed: result, valid with XIW_MPA_OPEN; peer_ird and peer_ord are also valid with
 *	XIW_MPA_REJECTED
 * @fault: result: XIW_FAULT_LLP_IRD or XIW_FAULT_LLP_RTR with XIW_MPA_TERMINATE
 * @req: the Request that was sent
 * @rep: Reply of the peer
 * @cfg: configuration of this end
 *
 * Return: what the caller must do next.
 */
enum xiw_mpa_outcome xiw_mpa_conclude(struct xiw_mpa_agreed *agreed, enum xiw_fault *fault,
				      const struct xiw_mpa_frame *req,
				      const struct xiw_mpa_frame *rep,
				      const struct xiw_mpa_config *cfg);

#endif
