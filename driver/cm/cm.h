/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Connections. The driver passes connections between iw_cm and the RNIC. The RNIC handles TCP and
 * MPA negotiation.
 *
 * iw_cm relies on these rules. If the driver breaks a rule, iw_cm waits forever or hits a BUG().
 *  active: if iw_connect() returns 0, exactly one CONNECT_REPLY; then exactly one CLOSE if the
 *           CONNECT_REPLY reports success, and no CLOSE otherwise.
 *  passive: if iw_accept() returns 0, exactly one ESTABLISHED, then exactly one CLOSE,
 *           even if the connection fails in between.
 *
 * The events of a connection come from two vectors: connection events from vector 0, and stream
 * events from the vector of the QP. The driver collects the events as flags under CONN.lock. One
 * caller at a time, the deliverer, passes the events to iw_cm.
 *
 * From connect or accept until the last event for iw_cm has been delivered, a connection owns its
 * slot, its buffer, a reference on the cm_id and a reference on the QP. The release work of the
 * connection frees or drops all of them in process context.
 *
 * A connection that waits for the decision of iw_cm is an offer. iw_cm silently drops a
 * CONNECT_REQUEST when the listener is being destroyed or memory is short, and then never decides.
 * So an offer expires after a time limit. iw_cm may still accept or reject an offer that has
 * expired, so the driver passes an id of the connection to iw_cm, and not a pointer. An accept or a
 * reject of an id without an offer returns an error.
 *
 * Until the worker of iw_cm has handled ESTABLISHED, iw_cm lets a user accept or reject the request
 * again. After a second accept or reject, iw_cm hits a BUG() at ESTABLISHED (docs/upstream).
 * rdma_ucm holds a mutex of the connection during an accept, and this mutex delays a second accept
 * or reject. So the accept for a user's QP returns only after the worker has handled ESTABLISHED.
 *
 * ESTABLISHED does not wait for the first FPDU of the peer. Otherwise, a peer that sends no FPDU
 * could stop all connections of the machine: iw_cm_disconnect() waits for ESTABLISHED. ULPs call
 * iw_cm_disconnect() in handlers of other connections, or while they hold a mutex that such a
 * handler takes. All handlers run on one workqueue, which also delivers ESTABLISHED. A deadlock is
 * still possible if ESTABLISHED is queued behind a CONNECT_REQUEST whose handler waits for
 * iw_cm_disconnect(); only iw_cm can prevent this deadlock.
 *
 * rdma_ucm lets a user accept or reject the cm_id of a pending connect. iw_cm refuses the accept or
 * reject, but then no longer waits for the Reply. When the cm_id is disconnected or destroyed,
 * iw_cm hits a BUG() (docs/upstream). So the driver does not leave iw_cm in the state of a pending
 * connect. For a user's connect, the driver delivers a successful CONNECT_REPLY before iw_connect()
 * returns. From then on, iw_cm treats the connection as established. rdma_cm, the client of iw_cm,
 * does not see this CONNECT_REPLY.
 *
 * For a user's connect, the driver reports the outcome to rdma_cm itself. If the connect succeeds,
 * a worker of the driver reports this to rdma_cm, and iw_cm gets DISCONNECT and CLOSE only after
 * this report. If the connect fails, iw_cm gets a CLOSE, and a handler of the driver passes this
 * CLOSE to rdma_cm as a CONNECT_REPLY that reports the failure. If rdma_cm disconnects or destroys
 * the cm_id, iw_cm modifies the QP. After this modify, the worker of the driver reports no success,
 * and rdma_cm gets events only from iw_cm.
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
struct xiw_peer;
struct xiw_qp;
struct xiw_vector;

/*
 * A listener. While ib_core registers a device, rdma_cm creates its wildcard listeners on the
 * device. If the creation of one of these listeners fails, rdma_cm stops using the device. So
 * during the registration, the driver creates a listener even if the port is in use. The RNIC does
 * not have this listener yet. The work item of the listener tries to listen again, with increasing
 * delays, until the port is free or the listener is destroyed.
 *
 * xiw_listener_open() owns the listener until it returns. From then on, the work item of the
 * listener owns port_taken, retry and, while the port is taken, buf. xiw_iw_destroy_listen()
 * cancels the work item, waits for it, and owns these members afterwards. No lock protects these
 * members: while the port is taken, netlink reads only the flags and the address in the cm_id. The
 * work item waits for the RNIC and allocates memory, so it runs on xiw_share_wq().
 */
struct xiw_listener {
	struct xiw_device *dev;
	struct iw_cm_id *cm_id;
	u32 index;
	u32 user;			/* user that is charged for the listener, see share.h */
	struct mem_cgroup *memcg;	/* memory cgroup charged for slots, or NULL */
	u32 backlog;			/* maximum number of posted slots */
	u32 wanted;			/* target number of slots; the poll of vector 0 writes it */
	atomic_t posted;		/* number of slots that the RNIC has */
	spinlock_t lock;		/* protects slots; a leaf lock */
	struct list_head slots;		/* connections that are posted and have no peer yet */
	bool by_number;			/* peers of this listener are named by number, see peer.h */
	bool open;			/* the RNIC listens; accessed with release and acquire */
	bool closing;
	bool port_taken;		/* the RNIC has no listener, because the port is in use */
	unsigned long retry;		/* delay before the next attempt, in jiffies */
	struct xiw_conn_buf *buf;
	u64 bus;
	struct delayed_work work;	/* posts slots, and listens when the port is free */
	refcount_t refs;		/* one reference, and one more for each posted slot */
	struct completion released;
};

/*
 * States of a connection. The state determines who holds the first reference (the holder), and
 * which event of the RNIC comes next. Several callers may try to take a connection from its holder
 * at the same time. Only the caller whose xiw_conn_move() succeeds becomes the new holder. A
 * connection is taken by:
 *
 * * the handler of an event of the RNIC
 * * a function whose command has failed
 * * the destruction of a listener
 * * the reset of the RNIC
 * * an accept or a reject of an offer
 * * the work item of an offer, when the time limit of the offer has expired
 * * the removal of the device, if iw_cm has dropped the offer
 */
enum xiw_conn_state {
	XIW_CS_HELD,		/* held by the function that handles the connection */
	XIW_CS_POSTED,		/* held by the listener; XIW_CONN_REQUEST follows */
	XIW_CS_OFFERED,		/* held by iw_cm until iw_cm decides or the offer expires */
	XIW_CS_CONNECTING,	/* held by the deliverer; XIW_CONN_REPLY follows */
	XIW_CS_ACCEPTING,	/* held by the deliverer; XIW_CONN_ACCEPTED or _FAILED follows */
	XIW_CS_ANSWERED,	/* held by the deliverer; the outcome is known */
};

/* Collected events of a connection. */
enum xiw_conn_news {
	XIW_NEWS_OUTCOME = 1 << 0,	/* the RNIC has reported the outcome */
	XIW_NEWS_DISCONNECT = 1 << 1,	/* the peer has closed the connection */
	XIW_NEWS_STOPPED = 1 << 2,	/* the stream has stopped */
	XIW_NEWS_ANNOUNCED = 1 << 3,	/* user's connect: the announce work item has run */
};

/* Events for iw_cm, in the order of delivery. */
enum xiw_upcall {
	XIW_UP_NONE,
	XIW_UP_REPORT,			/* CONNECT_REPLY or ESTABLISHED */
	XIW_UP_DISCONNECT,
	XIW_UP_CLOSE,			/* the last event */
};

struct xiw_conn {
	struct xiw_device *dev;
	u32 slot;
	u32 generation;			/* part of the id, see xiw_conn_id() */
	struct xiw_conn_buf *buf;
	u64 bus;
	u32 user;			/* user that is charged for the slot, see share.h */
	struct mem_cgroup *memcg;	/* memory cgroup charged for inbound, or NULL */
	struct xiw_listener *listener;	/* listener of a posted slot, else NULL */
	struct list_head posted;	/* link in listener->slots, under listener->lock */
	struct iw_cm_id *cm_id;
	struct xiw_peer *peer;		/* peer that is named by number; or NULL */
	u32 peer_qpn;			/* QP number of @peer; 0: no peer */
	struct xiw_qp *qp;
	struct xiw_inbound *inbound;	/* passed to the QP when the stream is bound */
	u32 inbound_depth;
	struct xiw_conn_params offered;	/* from the ULP and the settings; protected by lock */
	u16 private_sent, private_received;	/* octets of private data */
	refcount_t refs;		/* held by the holder, event handlers and work items */
	enum xiw_conn_state state;	/* changed by cmpxchg() */
	bool active;			/* this end is the initiator; set once */
	iw_cm_handler handler;		/* original handler of a user's cm_id; else NULL */
	struct completion established;	/* iw_cm has handled ESTABLISHED or CONNECT_REPLY */
	struct mutex announcing;	/* held while a user's client is notified */
	bool given_up;			/* do not notify the client; protected by announcing */
	bool refuse;			/* the release work must reject the connection */
	bool unlistened;		/* UNLISTEN has freed the slot in the RNIC */
	/* Reason of a failure, a constant string, or NULL. Set before the failure is reported. */
	const char *why;

	spinlock_t lock;		/* protects the members below, up to status */
	u8 news;			/* enum xiw_conn_news */
	u8 told;			/* bits of enum xiw_upcall: delivered events */
	bool delivering;
	int status;			/* active: status of the CONNECT_REPLY */
	struct work_struct work;	/* releases the connection */
	struct work_struct grow;	/* active: grows the inbound array; holds a reference */
	struct work_struct announce;	/* reports a user's successful connect; holds a reference */
	struct delayed_work lapse;	/* time limit of an offer; holds a reference while queued */
	/* Time limit of the outcome of a connect or accept; holds a reference while queued. */
	struct delayed_work overdue;
};

/* The values of a connection's MPA negotiation that are known so far. */
struct xiw_startup {
	bool initiator;
	bool outcome;			/* the negotiation has succeeded or failed */
	bool opened;			/* @agreed is valid */
	bool heard;			/* values of the peer's frame are valid */
	bool said;			/* values of this end's frame are valid */
	struct xiw_conn_params offered;	/* mpa_rev is 0 before the connect or accept */
	struct xiw_conn_params agreed;
	u8 peer_flags, peer_rev;
	u16 peer_offer;			/* XIW_CONNF_ENHANCED, _P2P, _RTR_* */
	u16 peer_ird, peer_ord;
	u16 private_sent, private_received;	/* octets of private data */
	u32 mulpdu;
};

int xiw_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_reject(struct iw_cm_id *cm_id, const void *data, u8 length);
int xiw_iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int xiw_iw_destroy_listen(struct iw_cm_id *cm_id);

/*
 * Connect, accept, reject and listen for a peer that is named by number (peer.h). Events report the
 * outcome, as for iw_cm. Process context.
 */
int xiw_cm_connect_peer(struct xiw_peer *peer, const struct iw_cm_conn_param *param);
int xiw_cm_accept_peer(struct xiw_peer *peer, void *id, const struct iw_cm_conn_param *param);
int xiw_cm_reject(struct xiw_device *dev, const void *id, const void *data, u8 length);
int xiw_listener_open(struct iw_cm_id *cm_id, int backlog, u32 user, bool by_number);

/* Handle a connection event. Softirq, from vector 0. */
void xiw_cm_conn_event(struct xiw_vector *vec, const struct xiw_event *event);

/* Handle stream events of a connected QP. Any context, no lock held. */
void xiw_cm_stream_disconnect(struct xiw_qp *qp);
void xiw_cm_stream_stopped(struct xiw_qp *qp);

/*
 * Stop notifying the client of a user's connection, because iw_cm has modified the QP. iw_cm
 * modifies the QP when the client goes away or gives up the connection. Waits for a notification
 * that is in progress. Process context.
 */
void xiw_cm_given_up(struct xiw_qp *qp);

/* Report the outcome of each pending connect and accept to iw_cm, after a reset of the RNIC. */
void xiw_cm_device_failed(struct xiw_device *dev);

/*
 * Release offers that iw_cm has dropped. Process context. Call this when iw_cm no longer uses the
 * device.
 */
void xiw_cm_device_stops(struct xiw_device *dev);

/* listen.c */
struct xiw_listener *xiw_listener_leave(struct xiw_conn *conn);
void xiw_listener_used(struct xiw_listener *listener);

/* conn.c */
struct xiw_conn *xiw_conn_new(struct xiw_device *dev, u32 user);
int xiw_conn_charge(struct xiw_conn *conn, u32 user);
bool xiw_conn_move(struct xiw_conn *conn, enum xiw_conn_state from, enum xiw_conn_state to);
bool xiw_conn_answered(struct xiw_conn *conn, enum xiw_conn_state from);
int xiw_conn_ask(struct xiw_conn *conn, u8 op, u32 other, enum xiw_conn_state until);
void *xiw_conn_id(const struct xiw_conn *conn);
void xiw_conn_offer(struct xiw_conn *conn);
bool xiw_conn_withdraw(struct xiw_conn *conn);
struct xiw_conn *xiw_conn_take(struct xiw_device *dev, const void *id);
struct xiw_conn *xiw_conn_of(struct xiw_qp *qp);
void xiw_conn_put(struct xiw_conn *conn);
void xiw_conn_put_unlistened(struct xiw_conn *conn);
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
int xiw_private_length(const struct xiw_conn_buf *buf);

/* upcall.c */
void xiw_conn_detach(struct xiw_conn *conn);
void xiw_conn_deliver(struct xiw_conn *conn);
int xiw_conn_precede(struct xiw_conn *conn);
void xiw_conn_watch(struct xiw_conn *conn);
void xiw_conn_unwatch(struct xiw_conn *conn);
void xiw_conn_trace(const struct xiw_conn *conn, const struct iw_cm_event *event);

/* startup.c: any context, CONN.lock not held */
void xiw_startup_read(struct xiw_startup *startup, struct xiw_conn *conn);

#endif
