/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What encrypts a TCP connection below the socket: ESP, WireGuard, MACsec (docs/encryption.md).
 * All functions need process context; they lock the socket.
 */
#ifndef XIW_SOFT_ENCRYPTION_H
#define XIW_SOFT_ENCRYPTION_H

#include <linux/types.h>

struct sock;

/**
 * xiw_soft_encrypted - get the layers that encrypt what a socket sends
 * @sk: connected TCP socket
 *
 * Looks the route up if TCP's is out of date, as TCP does before it sends.
 *
 * Return: enum xiw_conn_flag, some of XIW_CONNF_ENCRYPTED; 0 if segments leave in the clear;
 * -EAGAIN if none can leave now, because there is no route, or because ESP has no key yet; or
 * -ENOMEM.
 */
int xiw_soft_encrypted(struct sock *sk);

/**
 * xiw_soft_encrypted_both_ways - get the layers that encrypt in both directions
 * @sk: connected TCP socket
 *
 * ESP is among them only if the policies of the host also drop unprotected segments of the peer.
 *
 * Return: as xiw_soft_encrypted().
 */
int xiw_soft_encrypted_both_ways(struct sock *sk);

/**
 * xiw_soft_encrypt_require - check that a connection is encrypted in both directions
 * @sk: connected TCP socket
 *
 * Binds a connection that only its interface encrypts to that interface, so that its segments
 * neither leave nor arrive by another.
 *
 * Return: 0, -ENOKEY if the connection is not encrypted, or -ENOMEM.
 */
int xiw_soft_encrypt_require(struct sock *sk);

/**
 * xiw_soft_encrypt_check - check that a connection is still encrypted
 * @sk: TCP socket that xiw_soft_encrypt_require() has accepted
 *
 * Binds the connection as xiw_soft_encrypt_require() does if the interface has taken the place of
 * ESP.
 *
 * Return: as xiw_soft_encrypted(); also 0 if the connection cannot be bound.
 */
int xiw_soft_encrypt_check(struct sock *sk);

#endif
