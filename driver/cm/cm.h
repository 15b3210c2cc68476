/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Connections. The driver passes them between iw_cm and the RNIC, which handles TCP and MPA
 * negotiation.
 *
 * iw_cm relies on these rules. If the driver breaks a rule, iw_cm waits forever or hits a BUG().
 *  active: after iw_connect() returns 0, exactly one CONNECT_REPLY; exactly one CLOSE, only
 *           after a successful CONNECT_REPLY.
 *  passive: after iw_accept() returns 0, exactly one ESTABLISHED, then exactly one CLOSE,
 *           even if the connection fails in between.
 * Events of a connection come from two vectors (connection and stream). They are collected as flags
 * under CONN.lock, and one caller at a time delivers them (the deliverer).
 *
 * From connect or accept until CLOSE has been delivered, a connection owns its slot, its buffer, a
 * reference on the cm_id and a reference on the QP. The release work of the connection frees or
 * drops all of them in process context.
 *
 * iw_cm silently drops a CONNECT_REQUEST when the listener is being destroyed or memory is short.
 * So the driver passes an id to iw_cm instead of a pointer, and an offer expires if iw_cm neither
 * accepts nor rejects it in time. An accept or a reject of an id that is not on offer returns an
 * error.
 *
 * Until the worker of iw_cm has handled ESTABLISHED, iw_cm lets a user accept or reject the request
 * again, and hits a BUG() when ESTABLISHED follows (docs/upstream). rdma_ucm holds a mutex of the
 * connection while it accepts. So the accept of a user's QP returns when the worker has handled the
 * event, and the event does not wait for the peer's first FPDU.
 *
 * While a connect is pending, an accept or a reject of its id makes iw_cm forget that it waits for
 * the Reply. Then a disconnect or the destruction of the id hits a BUG() (docs/upstream). rdma_ucm
 * lets a user make all these calls. So the driver never leaves iw_cm in that state during a user's
 * connect: iw_cm gets a CONNECT_REPLY before iw_connect() returns, and treats the connection as
 * established. The client of iw_cm does not see this event. The client gets the outcome that the
 * RNIC reports: a success from the driver's own worker, or a failure in place of the CLOSE that
 * ends the connection for iw_cm. A success comes before DISCONNECT and CLOSE. iw_cm modifies the QP
 * when its client goes away or gives up the connection; from then on, only iw_cm calls the client.
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
 * A listener. While the core registers a device, rdma_cm stops using the device if rdma_cm cannot
 * create one of its wildcard listeners on the device. So at that time the driver creates a listener
 * even if the port is in use. The RNIC has no listener yet. The work of the listener asks the RNIC
 * again, with increasing delays, until the port is free or the listener is destroyed.
 *
 * xiw_iw_create_listen() owns the listener until that function returns. From then on, the work of
 * the listener owns port_taken, retry and, while the port is taken, buf. xiw_iw_destroy_listen()
 * cancels the work, waits for it, and owns these members afterwards. No lock protects these
 * members: while the port is taken, netlink reads only the flags and the address in the cm_id. The
 * work item runs on the device's queue of work items that wait for the RNIC, and waits for at most
 * one admin command.
 */
struct xiw_listener {
	struct xiw_device *dev;
	struct iw_cm_id *cm_id;
	u32 index;
	u32 user;			/* user id of the listening process, share.h */
	struct mem_cgroup *memcg;	/* memory cgroup charged for slots, or NULL */
	u32 backlog;			/* maximum number of posted slots */
	u32 wanted;			/* number of slots to post; owned by vector 0's poll */
	atomic_t posted;		/* slots that the RNIC has */
	spinlock_t lock;		/* protects slots; a leaf lock */
	struct list_head slots;		/* connections that are posted and have no peer yet */
	bool by_number;			/* for peers that are named by number, peer.h */
	bool open;			/* the RNIC accepts connections; uses release/acquire */
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
 * Each state determines who holds the first reference, and which event of the RNIC comes next. Only
 * the caller that moves a connection out of a state (xiw_conn_move()) takes over the reference.
 * The callers are: the handler of the event that answers a command, a function whose command
 * failed, the destruction of a listener, the reset, a call from iw_cm, and the time limit of an
 * offer.
 */
enum xiw_conn_state {
	XIW_CS_HELD,		/* held by the function that handles the connection */
	XIW_CS_POSTED,		/* held by the listener; XIW_CONN_REQUEST follows */
	XIW_CS_OFFERED,		/* held by iw_cm until it decides, or the offer expires */
	XIW_CS_CONNECTING,	/* held by the deliverer; XIW_CONN_REPLY follows */
	XIW_CS_ACCEPTING,	/* held by the deliverer; ACCEPTED or FAILED follows */
	XIW_CS_ANSWERED,	/* held by the deliverer; the outcome is known */
};

/* Collected events of a connection. */
enum xiw_conn_news {
	XIW_NEWS_OUTCOME = 1 << 0,	/* the RNIC has reported the outcome */
	XIW_NEWS_FIRST_FPDU = 1 << 1,
	XIW_NEWS_DISCONNECT = 1 << 2,	/* the peer has closed the connection */
	XIW_NEWS_STOPPED = 1 << 3,	/* the stream has stopped */
	XIW_NEWS_ANNOUNCED = 1 << 4,	/* a user's client knows that the connect succeeded */
};

/* Events for iw_cm, in the order of delivery. */
enum xiw_upcall {
	XIW_UP_NONE,
	XIW_UP_REPORT,			/* CONNECT_REPLY or ESTABLISHED */
	XIW_UP_DISCONNECT,
	XIW_UP_CLOSE,			/* nothing follows */
};

struct xiw_conn {
	struct xiw_device *dev;
	u32 slot;
	u32 generation;			/* part of the id, see xiw_conn_id() */
	struct xiw_conn_buf *buf;
	u64 bus;
	u32 user;			/* user id charged for the slot, share.h */
	struct mem_cgroup *memcg;	/* memory cgroup charged for inbound, or NULL */
	struct xiw_listener *listener;	/* listener of a posted slot, else NULL */
	struct list_head posted;	/* link in listener->slots, under listener->lock */
	struct iw_cm_id *cm_id;
	struct xiw_peer *peer;		/* owner of cm_id; NULL: iw_cm owns it */
	u32 peer_qpn;			/* QP number of that peer; 0: none */
	struct xiw_qp *qp;
	struct xiw_inbound *inbound;	/* passed to the QP when the stream is bound */
	u32 inbound_depth;
	struct xiw_conn_params offered;	/* from the ULP's request and the settings; under lock */
	u16 private_sent, private_received;
	refcount_t refs;		/* held by the state, deliverers and the time limits */
	enum xiw_conn_state state;	/* cmpxchg() */
	bool active;			/* set at creation */
	bool rtr;			/* passive: established at first FPDU; set at creation */
	iw_cm_handler handler;		/* original handler of a user's cm_id; else NULL */
	struct completion established;	/* iw_cm has left the state of accept or connect */
	struct mutex announcing;	/* held while a user's client is notified */
	bool given_up;			/* only iw_cm calls the client; under announcing */
	bool refuse;			/* the release rejects the connection first */
	const char *why;		/* constant reason, or NULL; set before its event */

	spinlock_t lock;		/* protects news .. status */
	u8 news;			/* enum xiw_conn_news */
	u8 told;			/* bits of enum xiw_upcall: delivered events */
	bool delivering;
	int status;			/* active: status of the CONNECT_REPLY */
	struct work_struct work;	/* release */
	struct work_struct grow;	/* active: grows the inbound array; holds a reference */
	struct work_struct announce;	/* reports a user's connect; holds a reference */
	struct delayed_work lapse;	/* time limit of an offer; holds a reference while queued */
	struct delayed_work overdue;	/* the same for the outcome of a connect or accept */
};

/* The values of a connection's MPA negotiation that are known so far. */
struct xiw_startup {
	bool initiator;
	bool outcome;			/* the negotiation has succeeded or failed */
	bool opened;			/* @agreed is valid */
	bool heard;			/* values of the peer's frame are valid */
	bool said;			/* values of this end's frame are valid */
	struct xiw_conn_params offered;	/* mpa_rev is 0 if this end has not decided yet */
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
void xiw_cm_stream_first_fpdu(struct xiw_qp *qp);
void xiw_cm_stream_disconnect(struct xiw_qp *qp);
void xiw_cm_stream_stopped(struct xiw_qp *qp);

/*
 * Handle iw_cm's modify of a user's QP when the client of its connection goes away. Waits for the
 * client. Process context.
 */
void xiw_cm_given_up(struct xiw_qp *qp);

/* Deliver the events that iw_cm still waits for, after a reset of the RNIC. */
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
int xiw_private_length(const struct xiw_conn_buf *buf);

/* startup.c: any context, CONN.lock not held */
void xiw_startup_read(struct xiw_startup *startup, struct xiw_conn *conn);

#endif
