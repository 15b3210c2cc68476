/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * TLS between MPA and TCP: the handshake of a conn (docs/encryption.md).
 *
 * The kernel has no TLS handshake of its own. An agent in user space, tlshd, performs it on the
 * socket and gives the keys to TCP. The agent waits for octets of the socket, so the socket has its
 * original callbacks during the handshake.
 */
#ifndef XIW_SOFT_TLS_H
#define XIW_SOFT_TLS_H

#include <linux/types.h>
#include <net/sock.h>

struct xiw_soft_conn;

enum {
	/* Octets of a full TLS record (RFC 8446 §5.1). FPDUs fill records like segments. */
	XIW_TLS_RECORD = 16384,
	/* First octet of a TLS client (RFC 8446 §5.1). That of an MPA Request is 'M'. */
	XIW_TLS_HANDSHAKE = 22,
	/* Milliseconds for which a cancelled handshake keeps its file and the name of the peer. */
	XIW_TLS_LEAVE_MS = 1000,
	/* Minimum milliseconds that a peer has for its handshake if other peers wait for a slot. */
	XIW_TLS_SILENT_MS = 3000,
};

/* Return: the size that FPDUs fill: that of a TCP segment, or that of a TLS record. */
static inline u32 xiw_soft_segment_size(const struct sock *sk, bool tls)
{
	return tls ? XIW_TLS_RECORD : xiw_tcp_mss(sk);
}

/**
 * xiw_soft_tls_begin - begin the TLS handshake of a connection
 * @conn: conn with an established TCP connection
 * @server: true for the TLS server, which is the responder
 * @timeout_ms: time limit for the agent; the conn has a time limit of its own
 *
 * Afterwards the socket has its original callbacks. XIW_NOTE_TLS reports the end of the handshake.
 *
 * Context: work item of the conn.
 *
 * Return: 0; -ESRCH if no agent runs in the network namespace; -EAGAIN if too many handshakes wait
 * for the agent; -ENOMEM; or another error. After -EAGAIN or -ENOMEM, call the function again later
 * if conn->sock is not NULL. In all other cases, the handshake has failed.
 */
int xiw_soft_tls_begin(struct xiw_soft_conn *conn, bool server, u32 timeout_ms);

/**
 * xiw_soft_tls_finish - get the outcome of the handshake, and take the socket back
 * @conn: conn that has received XIW_NOTE_TLS
 *
 * Context: work item of the conn.
 *
 * Return: 0 if TLS encrypts both directions; -ENOKEY if the handshake failed; or -EBUSY if the
 * socket has another owner. After -EBUSY, conn->sock is NULL.
 */
int xiw_soft_tls_finish(struct xiw_soft_conn *conn);

/*
 * Cancel the handshake, if one is in progress. Afterwards, the conn must live until
 * xiw_soft_tls_left() returns true. Work item of the conn.
 */
void xiw_soft_tls_cancel(struct xiw_soft_conn *conn);

/* Return: false if the kernel may still use a cancelled handshake. Work item of the conn. */
bool xiw_soft_tls_left(struct xiw_soft_conn *conn);

#endif
