/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * TCP sockets of connections: create, bind, read, close. All functions need process context. Do not
 * call them with the socket lock held, except xiw_soft_socket_is_v6(). No function waits for the
 * network.
 *
 * The sockets keep the kernel's lock classes for kernel sockets. Lock classes of this module would
 * pin the module while TCP lingers, long after the device is removed.
 */
#ifndef XIW_SOFT_SOCKET_H
#define XIW_SOFT_SOCKET_H

#include <linux/net.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "soft/soft.h"

/* The original callbacks of a socket. They are restored before the socket is released. */
struct xiw_soft_socket_calls {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
};

/**
 * xiw_soft_socket_create - create a TCP socket in the namespace of the device
 * @soft: the RNIC
 * @family: 4 or 6, as in struct xiw_addr
 * @out: the socket, which holds the namespace until TCP frees the socket
 *
 * Return: 0; -ENODEV if the namespace is ending; -EAFNOSUPPORT; or an error of sock_create_kern().
 */
int xiw_soft_socket_create(struct xiw_soft *soft, u8 family, struct socket **out);

/**
 * xiw_soft_socket_accepted - initialize an accepted socket
 * @sock: socket from kernel_accept() on a listener of this RNIC
 */
void xiw_soft_socket_accepted(struct socket *sock);

/* Return: true if the connection uses IPv6. A peer with an IPv4-mapped address uses IPv4. */
static inline bool xiw_soft_socket_is_v6(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	return sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr);
#else
	return false;
#endif
}

/**
 * xiw_soft_socket_options - set per-connection options
 * @sock: socket
 * @params: parameters; with XIW_CONNF_TOS, the TOS and the traffic class are set
 *
 * Return: 0 or an errno.
 */
int xiw_soft_socket_options(struct socket *sock, const struct xiw_conn_params *params);

/**
 * xiw_soft_socket_segments - make TCP use segments that FPDUs can fill
 * @sock: unconnected socket
 * @mtu: MTU of the network interface
 *
 * The length of an FPDU is a multiple of four. If the length of a segment is also a multiple of
 * four, FPDUs can fill a segment, and TSO cuts between FPDUs. So this function limits the MSS to a
 * multiple of four. The SYN of an initiator announces this MSS, so the MSS also limits the segments
 * of the responder. If the initiator calls this function, the responder need not call it. The
 * function does not help if the path MTU is smaller than @mtu and not a multiple of four.
 */
void xiw_soft_socket_segments(struct socket *sock, u32 mtu);

/**
 * xiw_soft_socket_peer_time - limit how long a peer may be silent
 * @sock: connected socket
 * @ms: limit in milliseconds; 0 for the limits of TCP, which does not limit an idle connection
 */
void xiw_soft_socket_peer_time(struct socket *sock, u32 ms);

/* Allow an IPv6 socket that is bound to an interface to bind to an address of another interface. */
int xiw_soft_socket_freebind(struct socket *sock);
int xiw_soft_socket_bind(struct socket *sock, const struct xiw_addr *local);

/**
 * xiw_soft_socket_may_choose - check whether TCP may use a port other than the requested one
 * @sock: socket of the device's namespace
 * @local: requested address and port
 *
 * rdma_cm chooses ports of the ephemeral range without TCP, so another program of the host may
 * already use the port. A ULP may also connect several times from one port to one destination, but
 * TCP allows only one such connection. In both cases, TCP may choose another port if the requested
 * port is in the ephemeral range. The addresses of the connection then contain the chosen port. If
 * a port is not in the ephemeral range, the ULP has requested this port, and TCP must not choose
 * another one.
 *
 * Context: process.
 *
 * Return: true if the port is in the ephemeral range.
 */
bool xiw_soft_socket_may_choose(const struct socket *sock, const struct xiw_addr *local);

/**
 * xiw_soft_socket_bind_initiator - bind a socket before a connect
 * @sock: new socket
 * @local: address and port, 0 for any
 *
 * If another socket has the port, and xiw_soft_socket_may_choose() returns true, the function binds
 * @sock to a port that TCP chooses.
 *
 * Context: process.
 *
 * Return: 0; -EADDRINUSE if TCP may not choose another port; or another error.
 */
int xiw_soft_socket_bind_initiator(struct socket *sock, const struct xiw_addr *local);
/* Return: 0, -EINPROGRESS (state_change reports the result), or an error. */
int xiw_soft_socket_connect(struct socket *sock, const struct xiw_addr *remote);

/* Get the current addresses: IPv4 addresses for an IPv4 connection of an IPv6 listener. */
void xiw_soft_socket_addrs(const struct sock *sk, struct xiw_addr *local, struct xiw_addr *remote);
bool xiw_soft_addr_is_any(const struct xiw_addr *addr);

/*
 * Read up to @len octets; drop them if @buf is NULL. The socket has no TLS. Return: number of
 * octets, 0 at the peer's FIN, -EAGAIN, or an error.
 */
int xiw_soft_socket_read(struct socket *sock, void *buf, u32 len);
int xiw_soft_socket_write(struct socket *sock, const void *buf, u32 len);
/* Copy the first unread octet, which stays unread. Return: as xiw_soft_socket_read(). */
int xiw_soft_socket_peek(struct socket *sock, u8 *octet);
/*
 * Return: true if octets have arrived that were not read. With TLS, this function does not peek,
 * because a peek decrypts records, and TLS keeps each of them in memory, even those without data.
 * So a peer could fill the memory.
 */
bool xiw_soft_socket_unread(struct socket *sock);

/*
 * Send a FIN after all written octets. TCP calls no callback for the FIN. Return: false if TLS has
 * octets for which TCP has no room yet; the caller must call this again later.
 */
bool xiw_soft_socket_fin(struct socket *sock);
/*
 * Close the TCP connection, with a reset if @reset is set. A socket with a file may be freed later.
 */
void xiw_soft_socket_release(struct socket *sock, bool reset);

/*
 * Get the status of a TCP connection that is not established, or no longer established: the error
 * of the socket, or XIW_ERR_RESET.
 */
enum xiw_status xiw_soft_socket_status(struct sock *sk);
enum xiw_status xiw_soft_status(int err);

#endif
