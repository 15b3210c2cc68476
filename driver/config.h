/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Settings of a device. A change applies to the next connect, accept, listen, modify_qp or post. */
#ifndef XIW_CONFIG_H
#define XIW_CONFIG_H

#include <linux/types.h>

struct xiw_config {
	bool crc;		/* request CRC32C (RFC 5044 §4.4: the default) */
	bool markers;		/* request markers from the peer */
	bool peer_to_peer;	/* as initiator, request the peer-to-peer RTR of RFC 6581 */
	bool atomics;		/* execute Atomic Requests of the peer */
	bool immediates;	/* accept Immediate Data */
	bool send_imm;		/* accept Send with Immediate */
	bool by_number;		/* connect QPs that name their peer by number */
	bool latency;		/* measure the latency of work requests */
	bool require_encryption;	/* refuse connections without encryption */
	u8 mpa_rev;		/* MPA revision that the initiator sends, 1 or 2 */
	u32 rtr;		/* XIW_CONNF_RTR_*: forms of RTR to offer and accept */
	u32 mulpdu_max;		/* longest ULPDU in octets; 0: derived from the path MTU */
	u32 startup_ms;		/* time limit of connection setup */
	u32 rtr_ms;		/* responder: time limit of the wait for the first FPDU */
	u32 park_ms;		/* time limit of a wait for a receive (DEC-62) */
	u32 linger_ms;		/* time limit of the close handshake */
	u32 peer_ms;		/* time limit for an answer of the peer's TCP; 0: TCP's default */
	char congestion[16];	/* name of TCP's congestion control; "": TCP's default */
	u8 tls;			/* enum xiw_nl_tls */
};

/*
 * A link outage of half a minute must not end a connection. TCP doubles the time between
 * retransmissions. If an outage lasts for the time T, the first successful retransmission may
 * therefore be as late as 2 T plus one retransmission timeout after the start of the outage.
 */
#define XIW_PEER_MS_DEFAULT 70000

#define XIW_CONFIG_DEFAULT {				\
	.crc = true,					\
	.peer_to_peer = true,				\
	.atomics = true,				\
	.immediates = true,				\
	.mpa_rev = 2,					\
	.rtr = XIW_CONNF_RTR_WRITE | XIW_CONNF_RTR_READ,	\
	.startup_ms = 10000,				\
	.rtr_ms = 10000,				\
	.park_ms = 5000,				\
	.linger_ms = 5000,				\
	.peer_ms = XIW_PEER_MS_DEFAULT,			\
}

#endif
