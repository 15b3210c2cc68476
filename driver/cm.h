/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Connections: between iw_cm and the RNIC, which does TCP and the MPA startup.
 *
 * What iw_cm relies on (it waits without limit, or BUGs, otherwise):
 *   active:  after iw_connect() returned 0 exactly one CONNECT_REPLY; CLOSE only
 *            after a successful one, once.
 *   passive: after iw_accept() returned 0 exactly one ESTABLISHED, then one CLOSE;
 *            also if the connection failed in between.
 * Events of a connection come from two vectors (connection and stream); they are
 * collected as flags under CONN.lock and delivered by one deliverer at a time.
 *
 * A connection owns its slot and buffer, a reference on the cm_id and one on the
 * QP, from connect or accept until CLOSE was delivered; all are given back in
 * process context by its release work.
 */
#ifndef XIW_CM_H
#define XIW_CM_H

#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>
#include <rnic/xiw_rnic.h>

struct xiw_device;
struct xiw_qp;
struct xiw_vector;

struct xiw_listener {
	struct xiw_device *dev;
	struct iw_cm_id *cm_id;
	u32 index;
	u32 backlog;
	atomic_t posted;		/* slots the RNIC has */
	bool open;			/* the RNIC takes connections in */
	bool closing;
	struct xiw_conn_buf *buf;
	u64 bus;
	struct delayed_work refill;
	refcount_t refs;		/* one, and one for each slot posted */
	struct completion released;
};

struct xiw_conn {
	struct xiw_device *dev;
	u32 slot;
	struct xiw_conn_buf *buf;
	u64 bus;
	struct xiw_listener *listener;	/* while the slot is posted */
	struct iw_cm_id *cm_id;
	struct xiw_qp *qp;
	struct xiw_inbound *inbound;	/* for the QP, until it is bound */
	u32 inbound_depth;
	struct xiw_conn_params offered;	/* what the ULP and the configuration asked for */
	u16 private_sent, private_received;
	refcount_t refs;		/* until the last event is delivered; deliverers */
	/*
	 * Bits of enum xiw_conn_event: what the RNIC may say next. Who clears the bit
	 * tells iw_cm how it went: the event, the command that failed, or the reset.
	 */
	unsigned long expects;

	spinlock_t lock;		/* the flags below */
	bool active;
	bool outcome;			/* the RNIC has told how it went */
	bool rtr;			/* passive: established at the first FPDU */
	bool first_fpdu, disconnect, stopped;
	bool reported, disconnect_reported, closed;
	bool delivering;
	int status;			/* active: of the CONNECT_REPLY */
	struct work_struct work;	/* reject without a listener, release */
	bool refuse;
};

int xiw_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param);
int xiw_iw_reject(struct iw_cm_id *cm_id, const void *data, u8 length);
int xiw_iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int xiw_iw_destroy_listen(struct iw_cm_id *cm_id);

/* Softirq, from vector 0. */
void xiw_cm_conn_event(struct xiw_vector *vec, const struct xiw_event *event);

/* From the stream of a connected QP: any context, no lock held. */
void xiw_cm_stream_first_fpdu(struct xiw_qp *qp);
void xiw_cm_stream_disconnect(struct xiw_qp *qp);
void xiw_cm_stream_stopped(struct xiw_qp *qp);

/* The RNIC will not answer any more: give iw_cm the events it waits for. */
void xiw_cm_device_failed(struct xiw_device *dev);

/* conn.c */
struct xiw_conn *xiw_conn_new(struct xiw_device *dev);
bool xiw_conn_claim(struct xiw_conn *conn, enum xiw_conn_event what);
int xiw_conn_ask(struct xiw_conn *conn, u8 op, u32 other, enum xiw_conn_event what);
void xiw_conn_put(struct xiw_conn *conn);
void xiw_conn_deliver(struct xiw_conn *conn);
void xiw_conn_trace(const struct xiw_conn *conn, const struct iw_cm_event *event);
int xiw_conn_command(struct xiw_conn *conn, u8 op, u32 other);
void xiw_conn_wish(const struct xiw_device *dev, struct xiw_conn_params *params);
void xiw_conn_params(struct xiw_device *dev, struct iw_cm_id *cm_id, struct xiw_conn_buf *buf);
void xiw_addr_from_sockaddr(struct xiw_addr *addr, const struct sockaddr_storage *ss);
void xiw_addr_to_sockaddr(struct sockaddr_storage *ss, const struct xiw_addr *addr);
u8 xiw_depth_u8(u32 depth, u32 max);
u8 xiw_private_length(const struct xiw_conn_buf *buf);

#endif
