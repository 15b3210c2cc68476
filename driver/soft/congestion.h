/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The congestion control of a device's TCP connections. */
#ifndef XIW_SOFT_CONGESTION_H
#define XIW_SOFT_CONGESTION_H

#include <linux/types.h>

struct socket;
struct xiw_rnic;

/**
 * xiw_soft_congestion_choose - choose the congestion control of new connections
 * @rnic: the RNIC; started or not
 * @name: name as in the sysctl net.ipv4.tcp_congestion_control; "" for TCP's default
 *
 * If TCP has no congestion control of this name, the kernel tries to load a module that contains
 * it. The module cannot be unloaded while its congestion control is chosen. After an error, the
 * earlier choice stays.
 *
 * Context: process, may sleep; the caller serializes calls for one RNIC.
 *
 * Return: 0; -ENOENT if TCP has no congestion control of this name; or another error of a socket.
 */
int xiw_soft_congestion_choose(struct xiw_rnic *rnic, char *name);

/**
 * xiw_soft_congestion_end - return to TCP's default, and release the module
 * @rnic: the RNIC
 *
 * Context: process, may sleep.
 */
void xiw_soft_congestion_end(struct xiw_rnic *rnic);

/**
 * xiw_soft_congestion_set - apply the chosen congestion control to a connection
 * @rnic: the RNIC
 * @sock: socket of a connection whose stream is not open yet
 *
 * If TCP rejects the chosen congestion control, the connection keeps the congestion control of its
 * route, or TCP's default. If TCP no longer has the chosen congestion control, the function also
 * clears the choice, as if TCP's default had been chosen. If the route of an initiator specifies a
 * congestion control, TCP may use the congestion control of the route instead.
 *
 * Context: process, without a socket lock.
 */
void xiw_soft_congestion_set(struct xiw_rnic *rnic, struct socket *sock);

#endif
