/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Peers that are named by number. A modify to RTR passes the address and the QP number of the peer.
 * The drivers of both ends then set up the connection (docs/connect-by-number.md). For the
 * functions of cm.h, struct xiw_peer takes the place of a client of iw_cm: it connects or accepts,
 * and gets the events of the connection.
 *
 * A QP has a peer from the state NAMED until the QP is reset or destroyed. QP.lock protects
 * QP.peer. QP.peer and the cm_id of each connection hold references on the peer. While QP.peer
 * points to a peer, the QP and the port of the peer are valid for the work item of the peer and for
 * the events of a connection.
 *
 * Only the work item of a peer connects and accepts. The work item also ends the stream if the
 * remote end does not answer in time. While a connection of the peer is pending or open, the peer
 * is busy, and its work item begins no other connection.
 *
 * A responder listens at its local address. All responders of a device with the same local address
 * share a port (peer_port.c). The port exists while it has responders. If the port has room, it
 * keeps a Request as an offer for a bounded time. The work item of a peer takes the offer as soon
 * as the local QP and the sender of the Request have named each other. After the port has added an
 * offer, the port wakes the peer. After the QP has named its peer, xiw_peer_name() queues the work
 * item. So the work item misses no offer.
 *
 * The mutex xiw_device.peer_lock protects the list of ports and the number of responders of each
 * port. This mutex is held across admin commands. The lock order is QP.lock, PEER.lock, QP.sq_lock;
 * these locks disable interrupts. PORT.lock is a leaf lock and disables bottom halves.
 */
#ifndef XIW_PEER_H
#define XIW_PEER_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#define XIW_PEER_OFFER_MS 5000	/* time for which a port keeps an offer */

struct xiw_conn_buf;
struct xiw_conn_params;
struct xiw_device;
struct xiw_number;
struct xiw_peer_port;
struct xiw_qp;

struct xiw_peer {
	struct iw_cm_id cm_id;		/* for the functions of cm.h; not used by iw_cm */
	struct xiw_qp *qp;
	struct mem_cgroup *memcg;	/* memory cgroup charged for connections, or NULL */
	struct xiw_peer_port *port;	/* NULL: this end is the initiator */
	union ib_gid gid;		/* address of the peer */
	u32 qpn;			/* QP number of the peer */
	u32 ird, ord;
	u32 opcodes;			/* the flags XIW_CONNF_OPCODES of each connection */
	refcount_t refs;
	struct ib_qp_attr attr;		/* for query_qp; protected by QP.lock */

	spinlock_t lock;		/* protects the members below */
	bool over;			/* the QP no longer has this peer */
	bool busy;			/* a connection is pending or open */
	bool awaited;			/* a work request waits, so deadline applies */
	bool wake;			/* responder: the port may have an offer */
	unsigned long attempt;		/* initiator: time of the next connect, jiffies */
	unsigned long pause;		/* initiator: length of the next pause, jiffies */
	unsigned long deadline;		/* time limit for the peer to answer, jiffies */
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
 * Return: 0; -EINVAL if an address is not usable, the QP is not in IDLE, or the QP names itself;
 * -ENOMEM; or the error of the listener.
 */
int xiw_peer_name(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask);

/**
 * xiw_peer_modify - store attributes of a QP that has named its peer by number
 * @qp: QP
 * @attr: attributes
 * @mask: enum ib_qp_attr_mask
 *
 * Context: process.
 *
 * Return: 0; -EINVAL if the QP has not named a peer, or if the call modifies the QP to RTS and
 * @mask is not valid for this transition.
 */
int xiw_peer_modify(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask);

/*
 * Get the attributes of a QP that has named its peer by number. Return: false if the QP has not
 * named a peer. Any context.
 */
bool xiw_peer_query(struct xiw_qp *qp, struct ib_qp_attr *attr);

/*
 * Remove the peer of a QP, if the QP has one, and wait for the work item of the peer. The caller
 * has aborted the stream of the QP. Process context.
 */
void xiw_peer_end(struct xiw_qp *qp);

/*
 * Handle a post to a QP in NAMED or LEFT. After the first post to a QP in NAMED, the peer must
 * answer within a time limit. The peer of a QP in LEFT cannot answer any more, so a post ends the
 * stream. Any context, no lock held.
 */
void xiw_peer_awaited(struct xiw_qp *qp);

/*
 * Set the parameters that each listener and each connection by number requires, whatever the
 * configuration is.
 */
void xiw_peer_port_params(struct xiw_conn_params *params);

/* Set the parameters of a connection to a peer. */
void xiw_peer_params(const struct xiw_peer *peer, struct xiw_conn_params *params);

/*
 * Check the private data of a Reply. Any context. Return: false if the Reply is not from the peer
 * that the QP has named.
 */
bool xiw_peer_accepted(const struct xiw_peer *peer, const struct xiw_conn_buf *buf);

/* Wake the peer of the QP with number @qpn, because the port may have an offer. Any context. */
void xiw_peer_wake(struct xiw_device *dev, u32 qpn);

/**
 * xiw_peer_expects - check whether a QP waits for a Request
 * @dev: device
 * @port: port that has received the Request
 * @number: private data of the Request
 * @gid: address of the sender
 *
 * Context: any, no lock held.
 *
 * Return: true if the QP that the Request names is in NAMED, its port is @port, and its peer is the
 * sender.
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
 * Context: any.
 *
 * Return: 0; -EINVAL if the GID is not a unicast address.
 */
int xiw_peer_address(const struct xiw_device *dev, const union ib_gid *gid, u16 port,
		     struct sockaddr_storage *ss);

/* ------------------------------------------------- peer_port.c: process context */

/**
 * xiw_peer_port_get - get the port that listens for initiators at a local address
 * @dev: device
 * @gid: local address
 *
 * Return: the port, which the caller drops by xiw_peer_port_put(); or ERR_PTR.
 */
struct xiw_peer_port *xiw_peer_port_get(struct xiw_device *dev, const union ib_gid *gid);
/* Drop a port. The last call for a port destroys it. */
void xiw_peer_port_put(struct xiw_peer_port *port);

/**
 * xiw_peer_port_take - take the offer of a peer
 * @port: port
 * @peer: peer of the QP @qpn
 * @qpn: local QP number
 *
 * Return: the id for xiw_cm_accept_peer(); NULL if there is no offer.
 */
void *xiw_peer_port_take(struct xiw_peer_port *port, const struct xiw_peer *peer, u32 qpn);

#endif
