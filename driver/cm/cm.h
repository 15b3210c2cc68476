/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Connections: between iw_cm and the RNIC, which does TCP and MPA negotiation.
 *
 * iw_cm relies on the following (otherwise it waits without limit, or BUGs):
 *  active:  after iw_connect() returned 0, exactly one CONNECT_REPLY; CLOSE only
 *           after a successful one, once.
 *  passive: after iw_accept() returned 0, exactly one ESTABLISHED, then one CLOSE;
 *           also if the connection failed in between.
 * Events of a connection come from two vectors (connection and stream). The events are collected as
 * flags under CONN.lock and delivered by one deliverer at a time.
 *
 * A connection owns its slot and buffer, a reference on the cm_id and one on the QP, from
 * connect or accept until CLOSE has been delivered. The release work of the connection returns all
 * of them in process context.
 *
 * iw_cm silently drops a CONNECT_REQUEST when its listener is destroyed or memory is short. So
 * iw_cm gets an id instead of a pointer, and an offer lapses if neither accept nor reject comes
 * in time. Accept or reject with an id that is not offered returns an error.
 *
 * Until its worker has handled ESTABLISHED, iw_cm lets a user accept or reject the request
 * again, and BUGs when ESTABLISHED follows (docs/upstream). rdma_ucm holds a mutex of the
 * connection while it accepts. So the accept of a user's QP returns when the worker has handled
 * the event, and the event does not wait for the peer's first FPDU.
 *
 * While a connect is pending, an accept or a reject of its id makes iw_cm forget that it waits
 * for the Reply, and a disconnect or the end of the id BUGs (docs/upstream). rdma_ucm passes all
 * these calls on. So a user never meets iw_cm in that state: iw_cm gets a CONNECT_REPLY before
 * iw_connect() returns, and treats the connection as established. The client of iw_cm does not see
 * this event. The client gets the outcome from the RNIC: a success from the driver's own worker, a
 * failure in place of the CLOSE that ends the connection for iw_cm. A success comes before
 * DISCONNECT and CLOSE. iw_cm modifies the QP when its client goes away or gives up the connection;
 * from then on, only iw_cm calls the client.
 */
#ifndef XIW_CM_H
#define XIW_CM_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>
#include <rnic/xiw_rnic.h>

struct xiw_device;
struct xiw_qp;
struct xiw_vector;

/*
 * A listener. rdma_cm gives up a device on which it cannot create one of its wildcard listeners
 * while the core registers the device. So at that time the driver creates a listener even if its
 * port is taken. The RNIC has no listener yet. The work of the listener asks the RNIC again, with
 * increasing delays, until the port is free or the listener is destroyed.
 *
 * xiw_iw_create_listen() owns the listener until it returns. From then on, the work of the listener
 * owns port_taken, retry and, while the port is taken, buf. xiw_iw_destroy_listen() cancels the
 * work, waits for it, and owns these members afterwards. No lock protects these members: while the
 * port is taken, netlink reads only the flags and the address in the cm_id. The work item runs on
 * the device's queue of work items that wait for the RNIC, and waits for at most one admin command.
 */
struct xiw_listener {
	struct xiw_device *dev;
	struct iw_cm_id *cm_id;
	u32 index;
	u32 user;			/* user that listens, share.h */
	struct mem_cgroup *memcg;	/* cgroup charged for slots; NULL: none */
	u32 backlog;			/* maximum number of posted slots */
	u32 wanted;			/* wanted number of posted slots; vector 0's poll */
	atomic_t posted;		/* slots that the RNIC has */
	spinlock_t lock;		/* slots; a leaf */
	struct list_head slots;		/* struct xiw_conn: posted, without a peer */
	bool open;			/* the RNIC accepts connections; release/acquire */
	bool closing;
	bool port_taken;		/* the RNIC has no listener: its port is in use */
	unsigned long retry;		/* jiffies to the next attempt, if the port is taken */
	struct xiw_conn_buf *buf;
	u64 bus;
	struct delayed_work work;	/* posts slots, and listens when the port is free */
	refcount_t refs;		/* one, and one for each posted slot */
	struct completion released;
};

/*
 * The state names the holder of the first reference, and the next event of the RNIC. Only the
 * caller that moves a connection out of a state (xiw_conn_move()) takes the reference over: the
 * event that answers a command, a failed command, the end of a listener, the reset, a call of
 * iw_cm, or the time limit of an offer.
 */
enum xiw_conn_state {
	XIW_CS_HELD,		/* the function that currently handles it */
	XIW_CS_POSTED,		/* its listener; XIW_CONN_REQUEST follows */
	XIW_CS_OFFERED,		/* iw_cm: accept or reject follows, or the offer lapses */
	XIW_CS_CONNECTING,	/* the deliverer; XIW_CONN_REPLY follows */
	XIW_CS_ACCEPTING,	/* the deliverer; XIW_CONN_ACCEPTED or FAILED follows */
	XIW_CS_ANSWERED,	/* the deliverer; the outcome is known */
};

/* Events of a connection that have been collected. */
enum xiw_conn_news {
	XIW_NEWS_OUTCOME = 1 << 0,	/* the RNIC has reported the outcome */
	XIW_NEWS_FIRST_FPDU = 1 << 1,
	XIW_NEWS_DISCONNECT = 1 << 2,	/* the peer has closed */
	XIW_NEWS_STOPPED = 1 << 3,	/* the stream has stopped */
	XIW_NEWS_ANNOUNCED = 1 << 4,	/* a user's client has been notified of the success */
};

/* Events for iw_cm, in this order. */
enum xiw_upcall {
	XIW_UP_NONE,
	XIW_UP_REPORT,			/* CONNECT_REPLY or ESTABLISHED */
	XIW_UP_DISCONNECT,
	XIW_UP_CLOSE,			/* nothing follows */
};

struct xiw_conn {
	struct xiw_device *dev;
	u32 slot;
	u32 generation;			/* id together with the slot, see xiw_conn_id() */
	struct xiw_conn_buf *buf;
	u64 bus;
	u32 user;			/* user that is charged for the slot, share.h */
	struct xiw_listener *listener;	/* while the slot is posted */
	struct list_head posted;	/* in listener->slots; listener->lock */
	struct iw_cm_id *cm_id;
	struct xiw_qp *qp;
	struct xiw_inbound *inbound;	/* for the QP, until it is bound */
	u32 inbound_depth;
	struct xiw_conn_params offered;	/* requests of the ULP and the configuration; lock */
	u16 private_sent, private_received;
	refcount_t refs;		/* one of the state; deliverers, the time limit */
	enum xiw_conn_state state;	/* cmpxchg() */
	bool active;			/* constant after creation */
	bool rtr;			/* passive: established at the first FPDU; constant */
	iw_cm_handler handler;		/* of cm_id, if a user accepts or connects; else NULL */
	struct completion established;	/* iw_cm has left the state of the accept or connect */
	struct mutex announcing;	/* a user's connect: while the client is notified */
	bool given_up;			/* protected by announcing: only iw_cm calls the client */
	bool refuse;			/* the release rejects first; set by the holder */

	spinlock_t lock;		/* protects news .. status */
	u8 news;			/* enum xiw_conn_news */
	u8 told;			/* bits of enum xiw_upcall that have been delivered */
	bool delivering;
	int status;			/* active: status of the CONNECT_REPLY */
	struct work_struct work;	/* release */
	struct work_struct grow;	/* active: allocates for agreed depths; a reference */
	struct work_struct announce;	/* a user's connect succeeded; has a reference */
	struct delayed_work lapse;	/* time limit of an offer; has a reference while queued */
};

/* The known part of a connection's MPA negotiation. */
struct xiw_startup {
	bool initiator;
	bool outcome;			/* success or not, it is decided */
	bool opened;			/* agreed is valid */
	bool heard;			/* the peer's frame is valid */
	bool said;			/* so is the one we sent */
	struct xiw_conn_params offered;	/* mpa_rev is 0 before we have decided */
	struct xiw_conn_params agreed;
	u8 peer_flags, peer_rev;
	u16 peer_offer;			/* XIW_CONNF_ENHANCED, _P2P, _RTR_* */
	u16 peer_ird, peer_ord;
	u16 private_sent, private_received;
	u32 mulpdu;
};

int xiw_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_reject(struct iw_cm_id *cm_id, const void *data, u8 length);
int xiw_iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int xiw_iw_destroy_listen(struct iw_cm_id *cm_id);

/* Handle a connection event. Softirq, from vector 0. */
void xiw_cm_conn_event(struct xiw_vector *vec, const struct xiw_event *event);

/* Handle events of the stream of a connected QP. Any context, no lock held. */
void xiw_cm_stream_first_fpdu(struct xiw_qp *qp);
void xiw_cm_stream_disconnect(struct xiw_qp *qp);
void xiw_cm_stream_stopped(struct xiw_qp *qp);

/*
 * Handle iw_cm's modify of a user's QP: its client goes away. Process context; waits for the
 * client.
 */
void xiw_cm_given_up(struct xiw_qp *qp);

/* Deliver the events that iw_cm still waits for; the RNIC has been reset. */
void xiw_cm_device_failed(struct xiw_device *dev);

/* Release offers that iw_cm has dropped. Process context; iw_cm no longer uses the device. */
void xiw_cm_device_stops(struct xiw_device *dev);

/* listen.c */
struct xiw_listener *xiw_listener_leave(struct xiw_conn *conn);
void xiw_listener_used(struct xiw_listener *listener);

/* conn.c */
struct xiw_conn *xiw_conn_new(struct xiw_device *dev, u32 user);
bool xiw_conn_move(struct xiw_conn *conn, enum xiw_conn_state from, enum xiw_conn_state to);
int xiw_conn_ask(struct xiw_conn *conn, u8 op, u32 other, enum xiw_conn_state until);
void *xiw_conn_id(const struct xiw_conn *conn);
void xiw_conn_offer(struct xiw_conn *conn);
bool xiw_conn_withdraw(struct xiw_conn *conn);
struct xiw_conn *xiw_conn_take(struct xiw_device *dev, const void *id);
struct xiw_conn *xiw_conn_of(struct xiw_qp *qp);
void xiw_conn_detach(struct xiw_conn *conn);
void xiw_conn_put(struct xiw_conn *conn);
void xiw_conn_deliver(struct xiw_conn *conn);
int xiw_conn_precede(struct xiw_conn *conn);
void xiw_conn_watch(struct xiw_conn *conn);
void xiw_conn_unwatch(struct xiw_conn *conn);
void xiw_conn_trace(const struct xiw_conn *conn, const struct iw_cm_event *event);
int xiw_conn_command(struct xiw_conn *conn, u8 op, u32 other);
int xiw_conn_reject(struct xiw_conn *conn);
void xiw_conn_wish(const struct xiw_device *dev, struct xiw_conn_params *params);
void xiw_conn_params(struct xiw_device *dev, struct iw_cm_id *cm_id, struct xiw_conn_buf *buf);
void xiw_addr_from_sockaddr(struct xiw_addr *addr, const struct sockaddr_storage *ss);
void xiw_addr_to_sockaddr(struct sockaddr_storage *ss, const struct xiw_addr *addr);
/* Maximum IRD and ORD of a connection. */
u32 xiw_max_ird(const struct xiw_device *dev);
u32 xiw_max_ord(const struct xiw_device *dev);
u8 xiw_depth_u8(u32 depth, u32 max);
u8 xiw_private_length(const struct xiw_conn_buf *buf);

/* startup.c: any context but with CONN.lock held */
void xiw_startup_read(struct xiw_startup *startup, struct xiw_conn *conn);

#endif
