// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A connection: its slot and buffer in the RNIC, its states and its time limits. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include "cm/cm.h"
#include "core/wire.h"
#include "diag/counters.h"
#include "diag/notice.h"
#include "ring/admin.h"
#include "ring/share.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

void xiw_addr_from_sockaddr(struct xiw_addr *addr, const struct sockaddr_storage *ss)
{
	memset(addr, 0, sizeof(*addr));
	if (ss->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)ss;

		addr->family = 6;
		addr->port = in6->sin6_port;
		addr->scope = cpu_to_le32(in6->sin6_scope_id);
		memcpy(addr->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)ss;

		addr->family = 4;
		addr->port = in->sin_port;
		memcpy(addr->addr, &in->sin_addr, sizeof(in->sin_addr));
	}
}

void xiw_addr_to_sockaddr(struct sockaddr_storage *ss, const struct xiw_addr *addr)
{
	memset(ss, 0, sizeof(*ss));
	if (addr->family == 6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = addr->port;
		in6->sin6_scope_id = le32_to_cpu(addr->scope);
		memcpy(&in6->sin6_addr, addr->addr, sizeof(in6->sin6_addr));
	} else {
		struct sockaddr_in *in = (struct sockaddr_in *)ss;

		in->sin_family = AF_INET;
		in->sin_port = addr->port;
		memcpy(&in->sin_addr, addr->addr, sizeof(in->sin_addr));
	}
}

u32 xiw_max_ird(const struct xiw_device *dev)
{
	return le16_to_cpu(dev->rnic.caps.max_ird);
}

u32 xiw_max_ord(const struct xiw_device *dev)
{
	return le16_to_cpu(dev->rnic.caps.max_ord);
}

/*
 * Limit a depth to @max and to 255, because iw_cm has 8 bits for a depth. If the peer has specified
 * no depth, return the lower of the two limits.
 */
u8 xiw_depth_u8(u32 depth, u32 max)
{
	if (depth == XIW_MPA_DEPTH_NONE)
		depth = max;
	return min3(depth, max, 255U);
}

/*
 * Get the length of received private data. A frame carries up to 512 octets of private data, but
 * iw_cm_event.private_data_len is a u8. A frame with more private data than the ULP can get is
 * improperly formatted (RFC 5044 §7.1.2 rule 9). Return: the number of octets, or -EPROTO.
 */
int xiw_private_length(const struct xiw_conn_buf *buf)
{
	u16 length = le16_to_cpu(READ_ONCE(buf->private_length));

	return length <= U8_MAX ? length : -EPROTO;
}

/*
 * Time limit of an offer. The RNIC drops a peer that gets no answer for 120 s
 * (docs/rnic/connections.md), so a later accept cannot succeed.
 */
#define XIW_OFFER_TIME (125 * HZ)

int xiw_conn_command(struct xiw_conn *conn, u8 op, u32 other)
{
	struct xiw_admin_cmd cmd = {
		.op = op,
		.index = cpu_to_le32(conn->slot),
		.other = cpu_to_le32(other),
		.addr = cpu_to_le64(conn->bus),
	};

	return xiw_admin_exec(conn->dev, &cmd);
}

/**
 * xiw_conn_move - change the state of a connection and become its holder
 * @conn: connection
 * @from: expected state
 * @to: new state
 *
 * enum xiw_conn_state determines the holder in each state. A successful move is a full barrier: the
 * next caller that moves the connection sees all earlier writes.
 *
 * Context: any.
 *
 * Return: false if the connection is not in state @from; nothing has changed.
 */
bool xiw_conn_move(struct xiw_conn *conn, enum xiw_conn_state from, enum xiw_conn_state to)
{
	return cmpxchg(&conn->state, from, to) == from;
}

/*
 * Start a time limit. The caller has a reference. queue_delayed_work() returns false while
 * cancel_delayed_work() runs on another CPU, even if the time limit was not running. In this case,
 * the time limit does not start, so drop its reference.
 */
static void xiw_conn_limit(struct xiw_conn *conn, struct delayed_work *limit, unsigned long delay)
{
	refcount_inc(&conn->refs);
	if (!queue_delayed_work(conn->dev->wq, limit, delay))
		xiw_conn_put(conn);
}

/* Cancel a time limit, if it is running. Any context; the caller has a reference. */
static void xiw_conn_unlimit(struct xiw_conn *conn, struct delayed_work *limit)
{
	if (cancel_delayed_work(limit))
		xiw_conn_put(conn);
}

/*
 * Start the time limit for the outcome of a command, after the RNIC has answered the command. The
 * caller has a reference. The outcome may arrive at the same time. Then either xiw_conn_answered()
 * sees the queued work item, or this function sees the new state, because both functions order
 * their accesses by a full barrier. While xiw_conn_answered() cancels the work item, this function
 * cannot queue the work item.
 *
 * @until: state until the outcome arrives
 */
static void xiw_conn_expect(struct xiw_conn *conn, enum xiw_conn_state until)
{
	unsigned int seconds = conn->dev->rnic.ops->admin_seconds;

	if (!seconds)
		return;
	xiw_conn_limit(conn, &conn->overdue,
		       seconds * HZ +
		       msecs_to_jiffies(le32_to_cpu(conn->offered.startup_ms)));
	if (READ_ONCE(conn->state) != until)
		xiw_conn_unlimit(conn, &conn->overdue);
}

static void xiw_conn_overdue(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(to_delayed_work(work), struct xiw_conn, overdue);
	enum xiw_conn_state state = READ_ONCE(conn->state);

	/* Only a broken RNIC reports no outcome within its time limit. */
	if (state == XIW_CS_CONNECTING || state == XIW_CS_ACCEPTING)
		xiw_device_fail(conn->dev, "RNIC reported no outcome of a connect or accept");
	xiw_conn_put(conn);
}

/**
 * xiw_conn_answered - take over a connection whose outcome is known
 * @conn: connection; the caller has a reference
 * @from: expected state, in which the connection waits for the outcome
 *
 * Context: any.
 *
 * Return: false if the connection is not in state @from; nothing has changed.
 */
bool xiw_conn_answered(struct xiw_conn *conn, enum xiw_conn_state from)
{
	if (!xiw_conn_move(conn, from, XIW_CS_ANSWERED))
		return false;
	xiw_conn_unlimit(conn, &conn->overdue);
	return true;
}

/**
 * xiw_conn_ask - execute a command whose outcome an event reports later
 * @conn: connection, held by the caller
 * @op: enum xiw_admin_op
 * @other: index of the listener or the stream
 * @until: state until the event arrives
 *
 * Context: process.
 *
 * Return: 0, and the caller no longer holds the connection; or an errno if no event follows. If the
 * RNIC refuses the command and still sends the event, the function returns 0, because the event
 * takes precedence. If the RNIC executes CONNECT or ACCEPT and sends no event, the device fails
 * when the time limit expires (admin_seconds in rnic.h; some RNICs have no time limit).
 */
int xiw_conn_ask(struct xiw_conn *conn, u8 op, u32 other, enum xiw_conn_state until)
{
	int err;

	/*
	 * Take a reference, because the outcome may release the connection before the time limit
	 * starts.
	 */
	refcount_inc(&conn->refs);
	xiw_conn_move(conn, XIW_CS_HELD, until);
	err = xiw_conn_command(conn, op, other);
	if (err) {
		if (!xiw_conn_move(conn, until, XIW_CS_HELD))
			err = 0;
	} else if (until != XIW_CS_POSTED) {	/* a posted slot has no time limit */
		xiw_conn_expect(conn, until);
	}
	xiw_conn_put(conn);
	return err;
}

/**
 * xiw_conn_id - get the id by which iw_cm names a connection
 * @conn: connection
 *
 * Return: an id, never 0. The ids of a device repeat only after about 2^32 connections.
 */
void *xiw_conn_id(const struct xiw_conn *conn)
{
	return (void *)((unsigned long)conn->generation << 32 | conn->slot);
}

/**
 * xiw_conn_offer - leave the decision on a connection to iw_cm
 * @conn: connection in the state XIW_CS_HELD
 *
 * Starts the time limit of the offer, and moves the connection to the state XIW_CS_OFFERED.
 *
 * Context: any.
 */
void xiw_conn_offer(struct xiw_conn *conn)
{
	xiw_conn_limit(conn, &conn->lapse, XIW_OFFER_TIME);
	xiw_conn_move(conn, XIW_CS_HELD, XIW_CS_OFFERED);
}

/**
 * xiw_conn_withdraw - take an offer back from iw_cm
 * @conn: connection
 *
 * Context: any.
 *
 * Return: true, and the caller holds the connection; false if the connection is not offered.
 */
bool xiw_conn_withdraw(struct xiw_conn *conn)
{
	if (!xiw_conn_move(conn, XIW_CS_OFFERED, XIW_CS_HELD))
		return false;
	xiw_conn_unlimit(conn, &conn->lapse);
	return true;
}

/**
 * xiw_conn_take - get the connection that iw_cm has decided on
 * @dev: device
 * @id: id from xiw_conn_id()
 *
 * Context: process.
 *
 * Return: the connection, held by the caller; NULL if it is no longer offered.
 */
struct xiw_conn *xiw_conn_take(struct xiw_device *dev, const void *id)
{
	struct xiw_conn *conn;

	xa_lock_bh(&dev->conns);
	conn = xa_load(&dev->conns, lower_32_bits((unsigned long)id));
	if (conn && (xiw_conn_id(conn) != id || !xiw_conn_withdraw(conn)))
		conn = NULL;
	xa_unlock_bh(&dev->conns);
	return conn;
}

/**
 * xiw_conn_of - look up the connection of a QP
 * @qp: the QP
 *
 * A connection is detached under QP.lock before its last reference is dropped. So the connection of
 * the QP still has a reference when this function takes another one.
 *
 * Context: any; QP.lock is not held.
 *
 * Return: the connection with a reference for the caller, or NULL if the QP has no connection.
 */
struct xiw_conn *xiw_conn_of(struct xiw_qp *qp)
{
	struct xiw_conn *conn;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	conn = qp->conn;
	if (conn)
		refcount_inc(&conn->refs);
	spin_unlock_irqrestore(&qp->lock, flags);
	return conn;
}

static void xiw_conn_lapse(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(to_delayed_work(work), struct xiw_conn, lapse);

	if (xiw_conn_withdraw(conn))
		xiw_conn_put(conn);
	xiw_conn_put(conn);
}

/* Set the parameters that depend only on the configuration. */
void xiw_conn_wish(const struct xiw_device *dev, struct xiw_conn_params *params)
{
	const struct xiw_config *config = &dev->config;
	u32 flags = READ_ONCE(config->rtr);

	memset(params, 0, sizeof(*params));
	if (READ_ONCE(config->crc))
		flags |= XIW_CONNF_CRC;
	if (READ_ONCE(config->markers))
		flags |= XIW_CONNF_RX_MARKERS;
	if (READ_ONCE(config->peer_to_peer))
		flags |= XIW_CONNF_P2P;
	if (READ_ONCE(config->atomics))
		flags |= XIW_CONNF_ATOMICS;
	if (READ_ONCE(config->immediates))
		flags |= XIW_CONNF_IMMEDIATE;
	if (READ_ONCE(config->send_imm))
		flags |= XIW_CONNF_SEND_IMM;
	if (READ_ONCE(config->require_encryption))
		flags |= XIW_CONNF_ENCRYPT;
	params->flags = cpu_to_le32(flags);
	params->mpa_rev = READ_ONCE(config->mpa_rev);
	params->ird = cpu_to_le16(XIW_MPA_DEPTH_NONE);
	params->ord = cpu_to_le16(XIW_MPA_DEPTH_NONE);
	params->mulpdu_max = cpu_to_le16(READ_ONCE(config->mulpdu_max));
	params->startup_ms = cpu_to_le32(READ_ONCE(config->startup_ms));
	params->rtr_ms = cpu_to_le32(READ_ONCE(config->rtr_ms));
	params->park_ms = cpu_to_le32(READ_ONCE(config->park_ms));
	params->linger_ms = cpu_to_le32(READ_ONCE(config->linger_ms));
	params->peer_ms = cpu_to_le32(READ_ONCE(config->peer_ms));
}

void xiw_conn_params(struct xiw_device *dev, struct iw_cm_id *cm_id, struct xiw_conn_buf *buf)
{
	struct xiw_conn_params *params = &buf->params;

	xiw_conn_wish(dev, params);
	if (cm_id->tos_set)
		params->flags |= cpu_to_le32(XIW_CONNF_TOS);
	if (cm_id->afonly)
		params->flags |= cpu_to_le32(XIW_CONNF_V6ONLY);
	params->tos = cm_id->tos;
}

/*
 * Reject the peer's Request. The buffer contains the private data for the Reply. Return: 0 or a
 * negative errno.
 */
int xiw_conn_reject(struct xiw_conn *conn)
{
	xiw_count(conn->dev, XIW_CNT_REJECTED);
	xiw_notice_reject(conn, XIW_NL_ORIGIN_LOCAL);
	xiw_conn_wish(conn->dev, &conn->buf->params);
	return xiw_conn_command(conn, XIW_ADM_REJECT, 0);
}

static void xiw_conn_release(struct xiw_conn *conn)
{
	struct xiw_device *dev = conn->dev;

	if (conn->refuse) {
		conn->buf->private_length = 0;
		xiw_conn_reject(conn);
	}
	if (!conn->unlistened)
		xiw_conn_command(conn, XIW_ADM_CONN_FREE, 0);
	xa_erase_bh(&dev->conns, conn->slot);
	/* Wait until no handler of an event is still looking up the slot. */
	xiw_vectors_pass(dev);
	if (conn->cm_id)
		conn->cm_id->rem_ref(conn->cm_id);
	if (conn->qp)
		xiw_qp_put(conn->qp);
	kvfree(conn->inbound);
	dev->rnic.ops->free(&dev->rnic, sizeof(*conn->buf), conn->buf, conn->bus);
	mem_cgroup_put(conn->memcg);
	xiw_share_give(dev, conn->user, XIW_SHARED_CONN);
	kfree(conn);
	if (atomic_dec_and_test(&dev->objects[XIW_OBJ_CONN]))
		wake_up_var(&dev->objects[XIW_OBJ_CONN]);
}

static void xiw_conn_work(struct work_struct *work)
{
	xiw_conn_release(container_of(work, struct xiw_conn, work));
}

/*
 * Allocate the buffer and the slot of a connection. On an error, this function leaves nothing
 * allocated.
 */
static int xiw_conn_list(struct xiw_conn *conn, gfp_t gfp)
{
	struct xiw_device *dev = conn->dev;
	int err;

	conn->buf = dev->rnic.ops->alloc(&dev->rnic, sizeof(*conn->buf), &conn->bus, gfp);
	if (!conn->buf)
		return -ENOMEM;
	err = xa_alloc_cyclic_bh(&dev->conns, &conn->slot, conn,
				 XA_LIMIT(0, le32_to_cpu(dev->rnic.caps.max_conns) - 1),
				 &dev->next_conn, gfp);
	if (err < 0)
		dev->rnic.ops->free(&dev->rnic, sizeof(*conn->buf), conn->buf, conn->bus);
	return min(err, 0);
}

/**
 * xiw_conn_new - create a connection with a slot and a buffer
 * @dev: device
 * @user: user that is charged (see share.h)
 *
 * Context: process.
 *
 * Return: a connection that the caller holds, or ERR_PTR.
 */
struct xiw_conn *xiw_conn_new(struct xiw_device *dev, u32 user)
{
	gfp_t gfp = xiw_share_gfp(user);
	struct xiw_conn *conn;
	int err;

	err = xiw_share_take(dev, user, XIW_SHARED_CONN);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	conn = kzalloc(sizeof(*conn), gfp);
	if (!conn)
		goto give;
	conn->dev = dev;
	conn->user = user;
	refcount_set(&conn->refs, 1);
	spin_lock_init(&conn->lock);
	init_completion(&conn->established);
	mutex_init(&conn->announcing);
	INIT_LIST_HEAD(&conn->posted);
	INIT_WORK(&conn->work, xiw_conn_work);
	INIT_DELAYED_WORK(&conn->lapse, xiw_conn_lapse);
	INIT_DELAYED_WORK(&conn->overdue, xiw_conn_overdue);
	/* Skip 0, so that the id is never 0. */
	conn->generation = atomic_inc_return(&dev->next_generation) ?: 1;
	err = xiw_conn_list(conn, gfp);
	if (err)
		goto free;
	conn->memcg = xiw_share_memcg(user);
	atomic_inc(&dev->objects[XIW_OBJ_CONN]);
	return conn;

free:
	kfree(conn);
give:
	xiw_share_give(dev, user, XIW_SHARED_CONN);
	return ERR_PTR(err);
}

/**
 * xiw_conn_charge - charge a connection to another user
 * @conn: connection, held by the caller
 * @user: user that is charged from now on (see share.h)
 *
 * Context: process. The active memory cgroup is that of @user.
 *
 * Return: 0; or a negative errno of xiw_share_take(), and nothing has changed.
 */
int xiw_conn_charge(struct xiw_conn *conn, u32 user)
{
	int err = xiw_share_take(conn->dev, user, XIW_SHARED_CONN);

	if (err)
		return err;
	xiw_share_give(conn->dev, conn->user, XIW_SHARED_CONN);
	conn->user = user;
	return 0;
}

/**
 * xiw_conn_put - drop a reference
 * @conn: connection; the last xiw_conn_put() releases it
 *
 * Context: any; the release runs in process context.
 */
void xiw_conn_put(struct xiw_conn *conn)
{
	if (refcount_dec_and_test(&conn->refs))
		queue_work(conn->dev->wq, &conn->work);
}

/**
 * xiw_conn_put_unlistened - drop the reference to a slot that UNLISTEN has freed
 * @conn: connection of the slot
 *
 * If the reference is the last one, this function releases the connection before it returns.
 *
 * Context: process.
 */
void xiw_conn_put_unlistened(struct xiw_conn *conn)
{
	conn->unlistened = true;
	if (refcount_dec_and_test(&conn->refs))
		xiw_conn_release(conn);
}
