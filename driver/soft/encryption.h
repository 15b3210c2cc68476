/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Find the layers below TCP that encrypt a connection: ESP, WireGuard or MACsec
 * (docs/encryption.md). All functions need process context and lock the socket.
 */
#ifndef XIW_SOFT_ENCRYPTION_H
#define XIW_SOFT_ENCRYPTION_H

#include <linux/types.h>

struct sock;

/**
 * xiw_soft_encrypted - get the layers that encrypt what a socket sends
 * @sk: connected TCP socket
 *
 * If the route of the socket is out of date, the function looks up a new route, as TCP does before
 * it sends.
 *
 * Return: bits of XIW_CONNF_ENCRYPTED; 0 if segments leave in the clear; -EAGAIN if no segment can
 * leave now, because there is no route or ESP has no key yet; or -ENOMEM.
 */
int xiw_soft_encrypted(struct sock *sk);

/**
 * xiw_soft_encrypted_both_ways - get the layers that encrypt in both directions
 * @sk: connected TCP socket
 *
 * The result includes ESP only if the policies of the host also drop unprotected segments of the
 * peer.
 *
 * Return: as xiw_soft_encrypted().
 */
int xiw_soft_encrypted_both_ways(struct sock *sk);

/**
 * xiw_soft_encrypt_require - check that a connection is encrypted in both directions
 * @sk: connected TCP socket
 *
 * If only the interface encrypts the connection, the function binds the connection to that
 * interface, so that no segment leaves or arrives by another interface.
 *
 * Return: 0; -ENOKEY if the connection is not encrypted or cannot be bound to the interface, or if
 * no segment can leave now; or -ENOMEM.
 */
int xiw_soft_encrypt_require(struct sock *sk);

/**
 * xiw_soft_encrypt_check - check that a connection is still encrypted
 * @sk: TCP socket that xiw_soft_encrypt_require() has accepted
 *
 * If ESP no longer encrypts the connection, but the interface of the connection does, the function
 * binds the connection to that interface, as xiw_soft_encrypt_require() does.
 *
 * Return: as xiw_soft_encrypted(); also 0 if the connection cannot be bound to the interface.
 */
int xiw_soft_encrypt_check(struct sock *sk);

#endif
