/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Settings of a device. A change applies to the next connect, accept, listen or post. */
#ifndef XIW_CONFIG_H
#define XIW_CONFIG_H

#include <linux/types.h>

struct xiw_config {
	bool crc;		/* ask for CRC32C (RFC 5044 §4.4: the default) */
	bool markers;		/* ask the peer to send markers */
	bool peer_to_peer;	/* as initiator, request the peer-to-peer RTR of RFC 6581 */
	bool atomics;		/* execute Atomic Requests of the peer */
	bool immediates;	/* accept Immediate Data */
	bool latency;		/* measure the latency of work requests */
	u8 mpa_rev;		/* MPA revision as initiator, 1 or 2 */
	u32 rtr;		/* XIW_CONNF_RTR_*: kinds offered and accepted */
	u32 mulpdu_max;		/* octets; 0: derived from the path */
	u32 startup_ms;		/* time limit of connection setup */
	u32 rtr_ms;		/* passive side: wait for the first FPDU */
	u32 park_ms;		/* wait for a receive to be posted (DEC-62) */
	u32 linger_ms;		/* time limit of the close handshake */
	u32 peer_ms;		/* limit without an answer of the peer; 0: TCP's default */
};

/*
 * A link that is down for half a minute must not end a connection. TCP doubles the time between
 * its retransmissions. So after an outage of T, the first retransmission that can succeed comes
 * up to 2 T and one retransmission timeout after the loss.
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
