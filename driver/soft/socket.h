/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * TCP sockets of the connection side: made, named, read and closed here. All in
 * process context without a socket lock held; none of it waits for the network.
 *
 * They keep the lock classes that the kernel gives to its own sockets: classes of
 * a module pin it for as long as TCP lingers, long after the device has gone.
 */
#ifndef XIW_SOFT_SOCKET_H
#define XIW_SOFT_SOCKET_H

#include <linux/net.h>

#include "soft/soft.h"

/* The callbacks a socket came with, to be put back before it is released. */
struct xiw_soft_socket_calls {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
};

/**
 * xiw_soft_socket_create - a TCP socket in the namespace of the device
 * @soft: the RNIC
 * @family: 4 or 6, as in struct xiw_addr
 * @out: result; keeps the namespace alive until TCP is through with it
 *
 * Return: 0; -ENODEV if the namespace is going; or what the family answers.
 */
int xiw_soft_socket_create(struct xiw_soft *soft, u8 family, struct socket **out);

/**
 * xiw_soft_socket_accepted - make an accepted socket one of ours
 * @sock: from kernel_accept() on one of our listeners
 */
void xiw_soft_socket_accepted(struct socket *sock);

/**
 * xiw_soft_socket_options - per-connection options
 * @sock: any of ours
 * @params: TOS or traffic class where XIW_CONNF_TOS is set
 */
int xiw_soft_socket_options(struct socket *sock, const struct xiw_conn_params *params);

/**
 * xiw_soft_socket_segments - have TCP segments that FPDUs can fill
 * @sock: not yet connected
 * @mtu: of the device
 *
 * An FPDU is a multiple of four octets long; TSO cuts between FPDUs if a segment
 * is, too. The peer is told and does the same, so a listener, whose MTU may change,
 * needs no limit. For an odd path MTU below the device's nothing can be done.
 */
void xiw_soft_socket_segments(struct socket *sock, u32 mtu);

/**
 * xiw_soft_socket_peer_time - bound how long a silent peer is believed to be there
 * @sock: connected
 * @ms: bound; 0: TCP's own, which for an idle connection is none
 */
void xiw_soft_socket_peer_time(struct socket *sock, u32 ms);

/* Let an IPv6 socket that is tied to one device bind to an address of another. */
int xiw_soft_socket_freebind(struct socket *sock);
int xiw_soft_socket_bind(struct socket *sock, const struct xiw_addr *local);

/**
 * xiw_soft_socket_bind_initiator - bind before a connect
 * @sock: new socket
 * @local: address and port, 0 for any
 *
 * The connection manager draws ports from the ephemeral range without asking TCP, so
 * another program of the host may have the one it drew. TCP chooses one then; the
 * addresses of the connection tell which. A port outside of the range was asked for.
 *
 * Context: process. Return: 0 or an error, -EADDRINUSE for a port that was asked for.
 */
int xiw_soft_socket_bind_initiator(struct socket *sock, const struct xiw_addr *local);
/* Return: 0, -EINPROGRESS (state_change tells), or an error. */
int xiw_soft_socket_connect(struct socket *sock, const struct xiw_addr *remote);

/* Addresses as of now; an IPv4 connection of an IPv6 listener is given as IPv4. */
void xiw_soft_socket_addrs(const struct sock *sk, struct xiw_addr *local, struct xiw_addr *remote);
bool xiw_soft_addr_is_any(const struct xiw_addr *addr);

/* Return: octets, 0 at the peer's FIN, -EAGAIN, or an error. */
int xiw_soft_socket_read(struct socket *sock, void *buf, u32 len);
int xiw_soft_socket_write(struct socket *sock, const void *buf, u32 len);
/* Are there octets nobody has read? */
bool xiw_soft_socket_has_octets(struct socket *sock);
/* Drop up to @len octets; as xiw_soft_socket_read(). */
int xiw_soft_socket_discard(struct socket *sock, u32 len);

/* FIN behind what was written; raises no callback of its own. */
void xiw_soft_socket_fin(struct socket *sock);
/* Close as TCP sees fit, or with a reset. */
void xiw_soft_socket_release(struct socket *sock, bool reset);

/* What a TCP that is not, or no more, established died of. */
enum xiw_status xiw_soft_socket_status(struct sock *sk);
enum xiw_status xiw_soft_status(int err);

#endif
