/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * TLS between MPA and TCP: the handshake of a conn (docs/encryption.md).
 *
 * The kernel does not implement the TLS handshake. An agent in user space, tlshd, performs the
 * handshake on the socket and passes the keys to the kernel. The agent waits for octets of the
 * socket, so the socket has its original callbacks during the handshake.
 */
#ifndef XIW_SOFT_TLS_H
#define XIW_SOFT_TLS_H

#include <linux/types.h>
#include <net/sock.h>

struct xiw_soft_conn;

enum {
	/*
	 * Octets of data in a full TLS record (RFC 8446 §5.1). FPDUs fill a record as they fill a
	 * segment.
	 */
	XIW_TLS_RECORD = 16384,
	/* First octet that a TLS client sends (RFC 8446 §5.1). An MPA Request begins with 'M'. */
	XIW_TLS_HANDSHAKE = 22,
	/* Milliseconds for which a conn keeps file and peer name of a cancelled handshake. */
	XIW_TLS_LEAVE_MS = 1000,
	/* Min milliseconds for a peer's handshake if other peers wait for a connection slot. */
	XIW_TLS_SILENT_MS = 3000,
};

/* Return: size of the unit that FPDUs fill: a TLS record if @tls is set, else a TCP segment. */
static inline u32 xiw_soft_segment_size(const struct sock *sk, bool tls)
{
	return tls ? XIW_TLS_RECORD : xiw_tcp_mss(sk);
}

/**
 * xiw_soft_tls_begin - begin the TLS handshake of a connection
 * @conn: conn with an established TCP connection
 * @server: true for the TLS server, which is the responder
 * @timeout_ms: time limit for the agent, in milliseconds; the conn has its own time limit
 *
 * Afterwards the socket has its original callbacks. XIW_NOTE_TLS reports the end of the handshake.
 *
 * Context: work item of the conn.
 *
 * Return: 0; -ESRCH if no agent runs in the network namespace; -EAGAIN if too many handshakes wait
 * for the agent; -ENOMEM; or another error. After -EAGAIN or -ENOMEM, call the function again later
 * if conn->sock is not NULL. After any other error, or if conn->sock is NULL, the handshake has
 * failed.
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

/*
 * Return: false while the kernel may still use the file or the peer name of a cancelled handshake.
 * Work item of the conn.
 */
bool xiw_soft_tls_left(struct xiw_soft_conn *conn);

#endif
