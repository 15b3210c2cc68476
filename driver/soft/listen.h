/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A listener: its sockets, the slots posted to it, and the assignment of TCP connections to
 * slots.
 *
 * The work item of a listener owns its sockets, and only the work item accepts connections. If the
 * host destroys a socket, the work item opens another one. If this fails, the work item tries again
 * within a second. The lock protects the list of conns that have not reported a Request. A conn
 * checks @down, reports its Request and leaves the list in one critical section. So when the list
 * is empty and UNLISTEN is answered, all Requests have been reported.
 *
 * References to a listener: one for its entry in soft->listeners, one for each queued run of the
 * work item, and one for each conn that was posted to the listener and has not been freed.
 */
#ifndef XIW_SOFT_LISTEN_H
#define XIW_SOFT_LISTEN_H

#include "soft/conn.h"

/*
 * A listener on a wildcard address accepts connections that arrive on the interface of the RNIC.
 * Traffic of this host to the addresses of this interface uses the loopback interface. So when the
 * listener is created, it opens another socket on the loopback interface for each of these
 * addresses, except IPv6 link-local addresses, up to XIW_LISTEN_OWN sockets. If the interface of
 * the RNIC is the loopback interface, a listener on a wildcard address has only these sockets.
 */
enum {
	XIW_LISTEN_OWN = 8,		/* max sockets for the addresses of the interface */
	XIW_LISTEN_SOCKETS = 1 + XIW_LISTEN_OWN,
	/*
	 * Milliseconds for which a peer may keep a slot without a Request while other connections
	 * wait. The limit includes the time in the accept queue of TCP. An initiator sends its
	 * Request as soon as it is connected, and the limit is long enough for one retransmission.
	 */
	XIW_LISTEN_SILENT_MS = 500,
	/*
	 * Minimum length of the accept queue of TCP, in which connections wait for slots. Silent
	 * peers may reconnect as fast as they are reset. If they filled the queue, no other peer
	 * could connect.
	 */
	XIW_LISTEN_WAITING = 1024,
};

struct xiw_soft_listener {
	struct xiw_soft *soft;
	u32 index;
	refcount_t refs;
	struct delayed_work work;
	struct list_head node;		/* under cm->lock */
	struct list_head commands;	/* under cm->lock */
	struct xiw_conn_params params;
	u32 backlog;

	spinlock_t lock;		/* taken in process context */
	bool down;
	struct list_head conns;

	/*
	 * LISTEN sets each socket once. The work item replaces a socket under the lock, and closes
	 * all sockets after it has set @down.
	 */
	struct socket *sock[XIW_LISTEN_SOCKETS];
	struct xiw_soft_socket_calls calls;	/* original callbacks, also of accepted sockets */

	/* the work item owns the members below */
	bool slotted;
	bool lost;		/* the host has destroyed a socket, which is not replaced yet */
	struct xiw_soft_command *unlisten;	/* UNLISTEN command; answered when conns is empty */
};

enum xiw_status xiw_soft_listener_create(struct xiw_soft *soft, u32 index, struct xiw_conn_buf *buf,
					 u32 backlog);
void xiw_soft_listener_put(struct xiw_soft_listener *l);
void xiw_soft_listener_kick(struct xiw_soft_listener *l);
/* Mark the listener as down; its work item then ends the listener. The caller holds a reference. */
void xiw_soft_listener_stop(struct xiw_soft_listener *l);

/* Add a conn that waits for a TCP connection. Return: false if the listener ends. */
bool xiw_soft_listener_post(struct xiw_soft_conn *conn);
/*
 * Report the Request of a conn, and remove the conn from the list. Return: false if the listener
 * ends.
 */
bool xiw_soft_listener_request(struct xiw_soft_conn *conn);
/*
 * Restart the time that the peer has for its TLS handshake or its Request. Called when the
 * handshake begins, and when it is complete. The conn is in the list.
 */
void xiw_soft_listener_heard(struct xiw_soft_conn *conn);
/* Remove from the list a conn that ends without a Request. */
void xiw_soft_listener_forget(struct xiw_soft_conn *conn);

#endif
