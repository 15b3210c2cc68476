/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A listener: its sockets, the slots posted to it, and the assignment of TCP connections to
 * slots.
 *
 * The work item owns the sockets, and only the work item accepts connections. The lock protects the
 * list of conns that have not reported a Request. A conn checks @down, reports its Request and
 * leaves the list in one critical section, so the answer to UNLISTEN comes after the events of all
 * conns that have left the list. References are held by the slot, by each conn that was posted here
 * (until it is freed), and by each queued run of the work item.
 */
#ifndef XIW_SOFT_LISTEN_H
#define XIW_SOFT_LISTEN_H

#include "soft/conn.h"

/*
 * A wildcard address accepts connections that arrive on this netdev. Traffic of this host to the
 * current addresses of the netdev uses the loopback interface, so these addresses have sockets of
 * their own.
 */
enum {
	XIW_LISTEN_OWN = 8,		/* maximum number of such addresses */
	XIW_LISTEN_SOCKETS = 1 + XIW_LISTEN_OWN,
	/*
	 * Time for which a connected peer may keep a slot without a Request while other connections
	 * wait. An initiator sends its Request as soon as it is connected. The limit is long enough
	 * to send the Request twice. Time that the connection spends in the queue of TCP counts.
	 */
	XIW_LISTEN_SILENT_MS = 500,
	/*
	 * Minimum length of TCP's queue of connections that wait for slots. If silent peers filled
	 * this queue, no other peer could connect, because silent peers reconnect as fast as they
	 * are reset.
	 */
	XIW_LISTEN_WAITING = 1024,
};

struct xiw_soft_listener {
	struct xiw_soft *soft;
	u32 index;
	refcount_t refs;
	struct delayed_work work;
	struct list_head node;		/* cm->lock */
	struct list_head commands;	/* cm->lock */
	struct xiw_conn_params params;

	spinlock_t lock;		/* process context */
	bool down;
	struct list_head conns;

	/* the work item owns the members below */
	bool slotted;
	struct socket *sock[XIW_LISTEN_SOCKETS];
	struct xiw_soft_socket_calls calls;	/* callbacks of all sockets, accepted or not */
	struct xiw_soft_command *unlisten;	/* answered when conns is empty */
};

enum xiw_status xiw_soft_listener_create(struct xiw_soft *soft, u32 index, struct xiw_conn_buf *buf,
					 u32 backlog);
void xiw_soft_listener_put(struct xiw_soft_listener *l);
void xiw_soft_listener_kick(struct xiw_soft_listener *l);
/* Mark the listener as down; its work item then ends the listener. The caller holds a reference. */
void xiw_soft_listener_stop(struct xiw_soft_listener *l);

/* Add a conn that waits for a TCP connection. Return: false if the listener is going down. */
bool xiw_soft_listener_post(struct xiw_soft_conn *conn);
/* Report the Request of a conn, which leaves the list. Return: false if the listener ends. */
bool xiw_soft_listener_request(struct xiw_soft_conn *conn);
/*
 * The peer has begun or finished a TLS handshake. The time limit for the handshake, or for the
 * Request, begins now. The conn is in the list.
 */
void xiw_soft_listener_heard(struct xiw_soft_conn *conn);
/* Remove a conn that ends without a Request. */
void xiw_soft_listener_forget(struct xiw_soft_conn *conn);

#endif
