/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Connections between QPs that name each other by number (docs/connect-by-number.md). This file
 * defines the private data of their MPA frames, and determines which end opens the connection.
 */
#ifndef XIW_CORE_NUMBER_H
#define XIW_CORE_NUMBER_H

#include "core/types.h"

#define XIW_NUMBER_LEN 16		/* octets of private data */
#define XIW_NUMBER_MAGIC 0x58495751	/* "XIWQ" */
#define XIW_NUMBER_VERSION 1
#define XIW_NUMBER_PORT 7306		/* TCP port of a responder */
#define XIW_NUMBER_GID_LEN 16

enum xiw_number_kind {
	XIW_NUMBER_OPEN = 1,		/* in a Request */
	XIW_NUMBER_ACCEPT = 2,		/* in a Reply */
	XIW_NUMBER_REFUSE = 3,		/* in a Reply that rejects */
};

/**
 * struct xiw_number - the private data of an MPA frame
 * @kind: enum xiw_number_kind
 * @source: QP number of the sender of the frame
 * @destination: QP number of the receiver of the frame
 */
struct xiw_number {
	u8 kind;
	u32 source;
	u32 destination;
};

/**
 * xiw_number_put - write private data
 * @octets: XIW_NUMBER_LEN octets
 * @number: contents
 */
void xiw_number_put(u8 *octets, const struct xiw_number *number);

/**
 * xiw_number_get - read private data of a peer
 * @number: result
 * @octets: private data
 * @length: length of the private data
 *
 * Return: false if the data is not of this protocol, or has another version.
 */
bool xiw_number_get(struct xiw_number *number, const u8 *octets, u32 length);

/**
 * xiw_number_order - determine which end opens the connection
 * @gid: local address, XIW_NUMBER_GID_LEN octets
 * @qpn: local QP number
 * @peer_gid: address of the peer
 * @peer_qpn: QP number of the peer
 *
 * Return: negative if this end opens the connection; positive if the peer opens the connection; 0
 * if the QP names itself as its peer.
 */
int xiw_number_order(const u8 *gid, u32 qpn, const u8 *peer_gid, u32 peer_qpn);

#endif
