/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Peers that are named by number. A modify to RTR gives the address and the QP number of the peer,
 * and both ends connect by themselves (docs/connect-by-number.md). For the functions of cm.h, a
 * peer takes the place of a client of iw_cm: it connects, or accepts what a listener of the device
 * offers, and gets the events.
 *
 * A QP in NAMED has a peer until the QP is reset or destroyed. QP.lock protects QP.peer. QP.peer
 * holds a reference on the peer, and so does the cm_id of each connection. The QP and the port of a
 * peer are valid while QP.peer points to the peer; the work item and the events of a connection of
 * the QP use them.
 *
 * Only the work item of a peer connects, accepts, and gives the peer up. While a connection is
 * pending or open, the peer is busy and begins no other connection.
 *
 * A responder listens at the address that it has named as its own. All responders of a device with
 * that address share a port (peer_port.c), which exists while there is such a responder. The port
 * keeps a Request as an offer, for a bounded time, until the QP that the Request names has also
 * named the sender. The work item of a peer takes the offer. The port wakes the peer after it has
 * added an offer, and a QP queues the work item after it has named the peer. So no offer is missed.
 *
 * xiw_device.peer_lock (a mutex) protects the list of ports and their users. It is held across
 * admin commands. PEER.lock is inside QP.lock and disables interrupts. PORT.lock is a leaf and
 * disables bottom halves.
 */
#ifndef XIW_PEER_H
#define XIW_PEER_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#define XIW_PEER_OFFER_MS 5000	/* time that an offer waits */

struct xiw_conn_buf;
struct xiw_conn_params;
struct xiw_device;
struct xiw_number;
struct xiw_peer_port;
struct xiw_qp;

struct xiw_peer {
	struct iw_cm_id cm_id;		/* for the functions of cm.h; not from iw_cm */
	struct xiw_qp *qp;
	struct mem_cgroup *memcg;	/* memory cgroup charged for connections, or NULL */
	struct xiw_peer_port *port;	/* NULL: this end is the initiator */
	union ib_gid gid;		/* address of the peer */
	u32 qpn;			/* QP number of the peer */
	u32 ird, ord;
	u32 opcodes;			/* XIW_CONNF_OPCODES of each connection */
	refcount_t refs;
	struct ib_qp_attr attr;		/* for query_qp; protected by QP.lock */

	spinlock_t lock;		/* protects the members below */
	bool over;			/* the QP no longer has this peer */
	bool busy;			/* a connection is pending or open */
	bool awaited;			/* a work request waits: the deadline counts */
	bool wake;			/* responder: there may be an offer */
	unsigned long attempt;		/* initiator: time of the next connect, jiffies */
	unsigned long pause;		/* initiator: jiffies from a failed connect to the next */
	unsigned long deadline;		/* jiffies */
	struct delayed_work work;
};

/**
 * xiw_peer_name - modify a QP to RTR with an address vector
 * @qp: QP
 * @attr: attributes
 * @mask: enum ib_qp_attr_mask, complete for this transition
 *
 * Context: process.
 *
 * Return: 0; -EINVAL if an address is not usable, the QP is not in IDLE, or the QP names itself; or
 * the error of the listener.
 */
int xiw_peer_name(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask);

/**
 * xiw_peer_modify - store other attributes of a QP that is named by number
 * @qp: QP
 * @attr: attributes
 * @mask: enum ib_qp_attr_mask
 *
 * Context: process.
 *
 * Return: 0; -EINVAL if the attributes are not complete for RTS, or the QP has no such peer.
 */
int xiw_peer_modify(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask);

/*
 * Get the attributes of a QP that is named by number. Return: false if the QP is not named by
 * number. Any context.
 */
bool xiw_peer_query(struct xiw_qp *qp, struct ib_qp_attr *attr);

/*
 * End the peer of a QP, if it has one, and wait for the peer's work. The stream of the QP has been
 * aborted. Process context.
 */
void xiw_peer_end(struct xiw_qp *qp);

/*
 * Handle a post to a QP in NAMED: from the first post on, the peer must answer within a bounded
 * time. Any context, no lock held.
 */
void xiw_peer_awaited(struct xiw_qp *qp);

/* Set the listener parameters that connections by number require, whatever the configuration is. */
void xiw_peer_port_params(struct xiw_conn_params *params);

/* Set the parameters of a connection of a peer. */
void xiw_peer_params(const struct xiw_peer *peer, struct xiw_conn_params *params);

/*
 * Check the private data of a Reply. Any context. Return: false if the Reply is not from the peer
 * that the QP has named.
 */
bool xiw_peer_accepted(const struct xiw_peer *peer, const struct xiw_conn_buf *buf);

/* Wake the peer of a QP, because there may be an offer. peer_port.c calls this. Any context. */
void xiw_peer_wake(struct xiw_device *dev, u32 qpn);

/**
 * xiw_peer_expects - check whether a QP waits for a Request
 * @dev: device
 * @port: port of the Request
 * @number: private data of the Request
 * @gid: address of the peer
 *
 * Context: any, no lock held.
 *
 * Return: true if the QP has named this peer.
 */
bool xiw_peer_expects(struct xiw_device *dev, const struct xiw_peer_port *port,
		      const struct xiw_number *number, const union ib_gid *gid);

/**
 * xiw_peer_address - get the socket address of a GID
 * @dev: device
 * @gid: GID
 * @port: TCP port
 * @ss: result
 *
 * Return: 0; -EINVAL if the GID is not a unicast address.
 */
int xiw_peer_address(const struct xiw_device *dev, const union ib_gid *gid, u16 port,
		     struct sockaddr_storage *ss);

/* ------------------------------------------------- peer_port.c: process context */

/**
 * xiw_peer_port_get - listen for initiators
 * @dev: device
 * @gid: local address
 *
 * Return: the port, which xiw_peer_port_put() drops, or ERR_PTR.
 */
struct xiw_peer_port *xiw_peer_port_get(struct xiw_device *dev, const union ib_gid *gid);
void xiw_peer_port_put(struct xiw_peer_port *port);

/**
 * xiw_peer_port_take - take the offer of a peer
 * @port: port
 * @peer: peer of the QP @qpn
 * @qpn: local QP number
 *
 * Return: the id for xiw_cm_accept_peer(), NULL if there is no offer.
 */
void *xiw_peer_port_take(struct xiw_peer_port *port, const struct xiw_peer *peer, u32 qpn);

#endif
