/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A listener: the sockets, the slots posted to it, and the hand-over of TCP
 * connections to them.
 *
 * Its work item owns the sockets and is the only one to accept. lock guards the
 * list of conns that have not yet reported a Request; such a conn leaves the
 * list in the same critical section in which it finds down unset, so UNLISTEN
 * either sees it or comes after its event. References: slot, each conn that was
 * posted here (until its memory goes), each queued run of the work.
 */
#ifndef XIW_SOFT_LISTEN_H
#define XIW_SOFT_LISTEN_H

#include "soft/conn.h"

/*
 * A wildcard address means what comes in by this netdev and, since that takes
 * the loopback, what this host sends to the netdev's addresses of now.
 */
enum {
	XIW_LISTEN_OWN = 8,		/* such addresses at most */
	XIW_LISTEN_SOCKETS = 1 + XIW_LISTEN_OWN,
	/*
	 * How long a peer may be connected and have a slot that another one waits for. An
	 * initiator sends its Request as soon as it is connected; this leaves time to send it
	 * twice. Who has waited in TCP meanwhile has had that time.
	 */
	XIW_LISTEN_SILENT_MS = 500,
	/*
	 * Connections that TCP keeps at least until there are slots. Where silent peers fill
	 * this queue nobody else gets in, and they come back as fast as they are reset.
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

	/* the work's own */
	bool slotted;
	struct socket *sock[XIW_LISTEN_SOCKETS];
	struct xiw_soft_socket_calls calls;	/* of all sockets, those accepted included */
	struct xiw_soft_command *unlisten;	/* completes when conns is empty */
};

enum xiw_status xiw_soft_listener_create(struct xiw_soft *soft, u32 index, struct xiw_conn_buf *buf,
					 u32 backlog);
void xiw_soft_listener_put(struct xiw_soft_listener *l);
void xiw_soft_listener_kick(struct xiw_soft_listener *l);
/* Mark it down and let its work end it; @l referenced by the caller. */
void xiw_soft_listener_stop(struct xiw_soft_listener *l);

/* conn waits for a TCP connection, for the first time or again; false: going down. */
bool xiw_soft_listener_post(struct xiw_soft_conn *conn);
/* conn has a Request: it is not the listener's any more; false: going down. */
bool xiw_soft_listener_leave(struct xiw_soft_conn *conn);
/* conn ends before it had a Request. */
void xiw_soft_listener_forget(struct xiw_soft_conn *conn);

#endif
