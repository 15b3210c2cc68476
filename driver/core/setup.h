/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The MPA negotiation of one connection, as a sequence of steps (RFC 5044 §7.1, RFC 6581). The
 * caller manages the socket, the time limits and the ULP's decision, and calls:
 *
 *   xiw_setup_initiate()	begin as initiator
 *   xiw_setup_await()		begin as responder
 *   xiw_setup_next()		get the next step
 *   xiw_setup_accept(), xiw_setup_reject()	after the step DECIDE
 *
 * Octets after a Reply belong to the stream, so no octets after a frame are read.
 */
#ifndef XIW_CORE_SETUP_H
#define XIW_CORE_SETUP_H

#include <rnic/xiw_rnic.h>

#include "core/mpa.h"

enum xiw_setup_step {
	XIW_SETUP_SEND,			/* send tx from tx_at to tx_len, and advance tx_at */
	XIW_SETUP_RECEIVE,		/* receive up to rx_want octets, and advance rx_len */
	XIW_SETUP_DECIDE,		/* responder: the Request is complete; the ULP decides */
	XIW_SETUP_OPEN,			/* both ends agree, all frames are sent: open the stream */
	XIW_SETUP_REJECTED,		/* initiator: the peer rejects; close */
	XIW_SETUP_UNABLE,		/* initiator: the ends cannot agree; send the Terminate */
	XIW_SETUP_UNFIT,		/* a Request that this end cannot answer, or a Reply that
					 * does not match the Request: end, and send nothing
					 */
	XIW_SETUP_BAD,			/* not a valid MPA frame: end, and send nothing */
	XIW_SETUP_CLOSE,		/* the last octets are sent: close */
};

enum xiw_setup_phase {
	XIW_SETUP_AWAIT_REQUEST,
	XIW_SETUP_ULP,			/* responder: the ULP decides on the Request */
	XIW_SETUP_SEND_REPLY,
	XIW_SETUP_SEND_REQUEST,
	XIW_SETUP_AWAIT_REPLY,
	XIW_SETUP_SEND_LAST,		/* a Reply that rejects, or a Terminate */
};

/**
 * struct xiw_setup - negotiation of one connection
 * @phase: enum xiw_setup_phase
 * @rev: responder: highest revision to accept in a Request
 * @max_ird: max IRD of the RNIC
 * @wish: parameters that this end requests
 * @request: Request that was sent or received
 * @reply: Reply that was sent or received
 * @agreed: valid with XIW_SETUP_OPEN and after xiw_setup_accept()
 * @rx_len: octets received
 * @rx_want: further octets that the frame needs
 * @tx_len: octets of @tx to send
 * @tx_at: octets of @tx that are sent
 * @rx: the frame of the peer
 * @tx: the frame to send, or the Terminate
 */
struct xiw_setup {
	u8 phase;
	u8 rev;
	u16 max_ird;
	struct xiw_mpa_config wish;
	struct xiw_mpa_frame request, reply;
	struct xiw_mpa_agreed agreed;
	u32 rx_len, rx_want, tx_len, tx_at;
	u8 rx[XIW_MPA_FRAME_MAX];
	u8 tx[XIW_MPA_FRAME_MAX];
};

/**
 * xiw_setup_initiate - begin as initiator
 * @s: result
 * @params: parameters that the driver requests
 * @max_ird: max IRD of the RNIC
 * @pd: private data of the ULP
 * @pd_len: length of the private data
 *
 * Return: false if the private data is too long.
 */
bool xiw_setup_initiate(struct xiw_setup *s, const struct xiw_conn_params *params,
			u16 max_ird, const u8 *pd, u16 pd_len);

/**
 * xiw_setup_await - begin as responder
 * @s: result
 * @rev: highest revision to accept; 0 means XIW_MPA_REV_MAX
 * @max_ird: max IRD of the RNIC
 */
void xiw_setup_await(struct xiw_setup *s, u8 rev, u16 max_ird);

/**
 * xiw_setup_next - determine the next step
 * @s: the negotiation
 *
 * Repeated calls return the same step until the caller has done the step. Exception:
 * XIW_SETUP_UNABLE is returned once, and then XIW_SETUP_SEND for the Terminate.
 *
 * Return: enum xiw_setup_step.
 */
enum xiw_setup_step xiw_setup_next(struct xiw_setup *s);

/**
 * xiw_setup_fits - check whether the ULP's private data fits into the Reply
 * @s: the negotiation, after XIW_SETUP_DECIDE
 * @pd_len: length of the private data
 *
 * Return: true if the private data fits.
 */
bool xiw_setup_fits(const struct xiw_setup *s, u16 pd_len);

/**
 * xiw_setup_accept - accept the Request
 * @s: the negotiation, after XIW_SETUP_DECIDE
 * @params: parameters that the driver requests
 * @pd: private data of the ULP
 * @pd_len: length of the private data, which fits
 *
 * Return: false if the revision of the Request is above the revision that the driver requests.
 */
bool xiw_setup_accept(struct xiw_setup *s, const struct xiw_conn_params *params,
		      const u8 *pd, u16 pd_len);

/**
 * xiw_setup_reject - reject the Request
 * @s: the negotiation, after XIW_SETUP_DECIDE
 * @params: parameters that the driver requests
 * @pd: private data of the ULP
 * @pd_len: length of the private data, which fits
 */
void xiw_setup_reject(struct xiw_setup *s, const struct xiw_conn_params *params,
		      const u8 *pd, u16 pd_len);

/**
 * xiw_setup_refuse - prepare a Terminate after a valid Reply
 * @s: the negotiation, after XIW_SETUP_OPEN of an initiator
 * @fault: fault to report
 *
 * This Terminate is the only FPDU that is sent without a stream (RFC 6581 §9).
 */
void xiw_setup_refuse(struct xiw_setup *s, enum xiw_fault fault);

/**
 * xiw_setup_describe - copy the values of the peer's frame, unchanged (RFC 6581 §9.1)
 * @s: the negotiation, after the frame has arrived
 * @frame: the Request or Reply, as parsed from @s
 * @buf: result: private_length, private_data, and all members whose names begin with peer
 */
void xiw_setup_describe(const struct xiw_setup *s, const struct xiw_mpa_frame *frame,
			struct xiw_conn_buf *buf);

/**
 * xiw_setup_offer - get the connection flags that a frame offers
 * @frame: a Request or Reply
 *
 * Return: enum xiw_conn_flag: ENHANCED, P2P and forms of RTR.
 */
u32 xiw_setup_offer(const struct xiw_mpa_frame *frame);

/**
 * xiw_setup_agree - replace requested parameters by agreed parameters
 * @s: the negotiation, after XIW_SETUP_OPEN
 * @params: parameters that the driver requests; replaced by the agreed ones
 */
void xiw_setup_agree(const struct xiw_setup *s, struct xiw_conn_params *params);

/**
 * xiw_setup_rtr - get the forms of RTR from connection flags
 * @flags: XIW_CONNF_RTR_*; other flags are ignored
 *
 * Return: enum xiw_rtr bits.
 */
u8 xiw_setup_rtr(u32 flags);

#endif
