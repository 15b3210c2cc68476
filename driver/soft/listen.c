// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/listen.h"

#include <linux/inetdevice.h>
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/flow.h>
#include <net/inet_sock.h>

void xiw_soft_listener_put(struct xiw_soft_listener *l)
{
	if (!refcount_dec_and_test(&l->refs))
		return;
	xiw_soft_cm_leave(l->soft->cm, &l->node);
	kfree(l);
}

void xiw_soft_listener_kick(struct xiw_soft_listener *l)
{
	refcount_inc(&l->refs);
	if (mod_delayed_work(l->soft->wq, &l->work, 0))
		xiw_soft_listener_put(l);
}

/*
 * Queue the work item of the listener, because a connection waits for the accept, or the host has
 * destroyed the socket. Accepted sockets inherit this callback. Do nothing for an accepted socket,
 * whose sk_user_data is NULL or belongs to a BPF map: octets that arrive before the accept are
 * processed after the accept.
 */
static void listener_event(struct sock *sk)
{
	struct xiw_soft_listener *l = NULL;

	rcu_read_lock();
	read_lock_bh(&sk->sk_callback_lock);
	if (!__rcu_dereference_sk_user_data_with_flags(sk, SK_USER_DATA_PSOCK))
		l = rcu_dereference_sk_user_data(sk);
	if (l)
		xiw_soft_listener_kick(l);
	read_unlock_bh(&sk->sk_callback_lock);
	rcu_read_unlock();
}

/* ----------------------------------------------------- slots of the listener */

/* The work item may already use the first sockets while open_own() creates the others. */
static struct socket *socket_at(const struct xiw_soft_listener *l, unsigned int i)
{
	/* acquire: pairs with the release in open_socket() */
	return smp_load_acquire(&l->sock[i]);
}

/* Count the established TCP connections that the listener has not accepted yet. */
static unsigned int backlog(const struct xiw_soft_listener *l)
{
	struct socket *sock;
	unsigned int i, n = 0;

	for (i = 0; i < XIW_LISTEN_SOCKETS; i++) {
		sock = socket_at(l, i);
		if (sock)
			n += READ_ONCE(sock->sk->sk_ack_backlog);
	}
	return n;
}

bool xiw_soft_listener_post(struct xiw_soft_conn *conn)
{
	struct xiw_soft_listener *l = conn->listener;
	bool up, waiting = false;

	spin_lock(&l->lock);
	up = !l->down;
	if (up) {
		conn->posted = true;
		clear_bit(XIW_NOTE_SILENT, &conn->inbox);
		list_move(&conn->member, &l->conns);
		/*
		 * Count only connections that TCP has already established. A connection that TCP
		 * establishes later queues the work item, which then finds the posted conn. The
		 * sockets are still open here: the work item closes a socket only after it has
		 * replaced the socket under the lock, or after @down is set.
		 */
		waiting = backlog(l);
	}
	spin_unlock(&l->lock);
	if (waiting)
		xiw_soft_listener_kick(l);
	return up;
}

bool xiw_soft_listener_request(struct xiw_soft_conn *conn)
{
	struct xiw_soft_listener *l = conn->listener;
	bool up;

	/*
	 * Disable BH, so that the poll for the event runs in spin_unlock_bh(), after the lock is
	 * released.
	 */
	spin_lock_bh(&l->lock);
	up = !l->down;
	if (up) {
		list_del_init(&conn->member);
		xiw_soft_conn_report(conn, XIW_CONN_REQUEST, XIW_OK);
	}
	spin_unlock_bh(&l->lock);
	return up;
}

void xiw_soft_listener_heard(struct xiw_soft_conn *conn)
{
	struct xiw_soft_listener *l = conn->listener;

	spin_lock(&l->lock);
	conn->established_at = jiffies;
	clear_bit(XIW_NOTE_SILENT, &conn->inbox);
	list_move_tail(&conn->member, &l->conns);
	spin_unlock(&l->lock);
}

void xiw_soft_listener_forget(struct xiw_soft_conn *conn)
{
	struct xiw_soft_listener *l = conn->listener;
	struct socket *sock;
	bool last;

	spin_lock(&l->lock);
	list_del_init(&conn->member);
	conn->posted = false;
	sock = conn->accepted;
	conn->accepted = NULL;
	last = l->down && list_empty(&l->conns);
	spin_unlock(&l->lock);
	if (sock)
		xiw_soft_socket_release(sock, true);
	if (last)
		xiw_soft_listener_kick(l);
}

/*
 * Get a posted conn, with a reference; NULL if there is none. In the list, posted conns precede
 * conns that already have a TCP connection.
 */
static struct xiw_soft_conn *take_slot(struct xiw_soft_listener *l)
{
	struct xiw_soft_conn *conn;

	spin_lock(&l->lock);
	conn = list_first_entry_or_null(&l->conns, struct xiw_soft_conn, member);
	if (conn && conn->posted && !l->down) {
		conn->posted = false;
		refcount_inc(&conn->refs);
		list_move_tail(&conn->member, &l->conns);
	} else {
		conn = NULL;
	}
	spin_unlock(&l->lock);
	return conn;
}

/*
 * Pass an accepted socket to the conn; without a socket, post the conn again. If the slot was freed
 * in the meantime, reset the TCP connection. Drop the reference to the conn.
 */
static void fill_slot(struct xiw_soft_listener *l, struct xiw_soft_conn *conn,
		      struct socket *sock)
{
	bool filled = false;

	spin_lock(&l->lock);
	if (!list_empty(&conn->member)) {
		if (sock) {
			conn->accepted = sock;
			conn->established_at = xiw_tcp_established_at(sock->sk);
			filled = true;
		} else {
			conn->posted = true;
			list_move(&conn->member, &l->conns);
		}
	}
	spin_unlock(&l->lock);
	if (filled)
		xiw_soft_conn_kick(conn);
	else if (sock)
		xiw_soft_socket_release(sock, true);
	xiw_soft_conn_put(conn);
}

/*
 * Make room for @waiting connections that TCP has established and that have no slot. Reset peers
 * that have been silent for too long, the oldest first, one for each waiting connection.
 *
 * Return: jiffies until the next peer may be reset; MAX_JIFFY_OFFSET if there is none.
 */
static unsigned long oust_silent(struct xiw_soft_listener *l, unsigned int waiting)
{
	const unsigned long patience = msecs_to_jiffies(XIW_LISTEN_SILENT_MS);
	unsigned long now = jiffies, due, delay = MAX_JIFFY_OFFSET;
	struct xiw_soft_conn *conn;

	spin_lock(&l->lock);
	list_for_each_entry(conn, &l->conns, member) {
		/*
		 * Posted conns come first in the list, and each of them is a free slot. If there is
		 * one, do not reset a peer.
		 */
		if (!waiting || l->down || conn->posted)
			break;
		due = conn->established_at + patience;
		if (test_bit(XIW_NOTE_SILENT, &conn->inbox)) {
			waiting--;
		} else if (time_before(now, due)) {
			/*
			 * Do not stop here: the list is not sorted by due time. A TLS handshake
			 * restarts the time limit of its peer. A peer that is accepted later may be
			 * due earlier, because its time limit includes its time in the accept
			 * queue.
			 */
			delay = min(delay, due - now);
		} else {
			waiting--;
			/* A conn in the list still has its life reference (conn.h). */
			xiw_soft_conn_note(conn, XIW_NOTE_SILENT);
		}
	}
	spin_unlock(&l->lock);
	return delay;
}

/*
 * Accept connections while slots are posted. Return: false if an accept has failed, and the caller
 * must try again later.
 */
static bool accept_all(struct xiw_soft_listener *l, struct socket *from)
{
	struct xiw_soft_conn *conn;
	struct socket *sock;
	int err;

	/* Check first, because an accept allocates a socket before it finds no connection. */
	while (READ_ONCE(from->sk->sk_ack_backlog) && (conn = take_slot(l))) {
		sock = NULL;
		err = kernel_accept(from, &sock, O_NONBLOCK);
		if (!err)
			xiw_soft_socket_accepted(sock);
		fill_slot(l, conn, sock);
		if (err == -EAGAIN)
			return true;
		if (err && err != -ECONNABORTED)
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------- sockets */

static void close_socket(struct xiw_soft_listener *l, struct socket *sock)
{
	struct sock *sk = sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, NULL);
	sk->sk_data_ready = l->calls.data_ready;
	sk->sk_state_change = l->calls.state_change;
	write_unlock_bh(&sk->sk_callback_lock);
	sock_release(sock);
}

/* Listen on @local, and write the port in use to it. */
static int open_socket(struct xiw_soft_listener *l, struct xiw_addr *local, int ifindex,
		       struct socket **out)
{
	struct socket *sock;
	struct sock *sk;
	int err;

	err = xiw_soft_socket_create(l->soft, local->family, &sock);
	if (err)
		return err;
	sk = sock->sk;
	sock_set_reuseaddr(sk);
	if (local->family == 6 && l->params.flags & cpu_to_le32(XIW_CONNF_V6ONLY))
		err = ip6_sock_set_v6only(sk);
	/*
	 * Bind a wildcard address to an interface, because several devices of a namespace may
	 * listen on the same port.
	 */
	sk->sk_bound_dev_if = ifindex;
	if (!err)
		err = xiw_soft_socket_options(sock, &l->params);
	if (!err && ifindex && local->family == 6)
		err = xiw_soft_socket_freebind(sock);
	if (!err)
		err = xiw_soft_socket_bind(sock, local);
	if (err) {
		sock_release(sock);
		return err;
	}

	l->calls.data_ready = sk->sk_data_ready;
	l->calls.state_change = sk->sk_state_change;
	write_lock_bh(&sk->sk_callback_lock);
	__rcu_assign_sk_user_data_with_flags(sk, l, SK_USER_DATA_NOCOPY);
	sk->sk_data_ready = listener_event;
	sk->sk_state_change = listener_event;
	write_unlock_bh(&sk->sk_callback_lock);
	err = kernel_listen(sock, clamp_t(u32, l->backlog, XIW_LISTEN_WAITING, INT_MAX));
	if (err) {
		close_socket(l, sock);
		return err;
	}
	local->port = inet_sk(sk)->inet_sport;
	/* release: pairs with the acquire in socket_at() */
	smp_store_release(out, sock);
	return 0;
}

/*
 * Get the IPv4 addresses of the interface. For a listener of @family 6, convert them to IPv4-mapped
 * addresses. Return: number of addresses, at most @limit.
 */
static unsigned int own_v4(struct net_device *netdev, u8 family, struct xiw_addr *own,
			   unsigned int limit)
{
	struct in6_addr mapped;
	struct in_device *in;
	struct in_ifaddr *ifa;
	unsigned int n = 0;

	rcu_read_lock();
	in = __in_dev_get_rcu(netdev);
	if (in)
		in_dev_for_each_ifa_rcu(ifa, in) {
			if (n == limit)
				break;
			own[n].family = family;
			ipv6_addr_set_v4mapped(ifa->ifa_local, &mapped);
			if (family == 6)
				memcpy(own[n].addr, &mapped, sizeof(mapped));
			else
				memcpy(own[n].addr, &ifa->ifa_local, sizeof(ifa->ifa_local));
			n++;
		}
	rcu_read_unlock();
	return n;
}

static unsigned int own_v6(struct net_device *netdev, struct xiw_addr *own, unsigned int limit)
{
	unsigned int n = 0;
#if IS_ENABLED(CONFIG_IPV6)
	struct inet6_ifaddr *ifa;
	struct inet6_dev *in;

	rcu_read_lock();
	in = __in6_dev_get(netdev);
	if (in) {
		read_lock_bh(&in->lock);
		list_for_each_entry(ifa, &in->addr_list, if_list) {
			if (n == limit)
				break;
			/* A link-local address is valid on its own interface only. */
			if (ipv6_addr_type(&ifa->addr) & IPV6_ADDR_LINKLOCAL)
				continue;
			own[n].family = 6;
			memcpy(own[n].addr, &ifa->addr, sizeof(ifa->addr));
			n++;
		}
		read_unlock_bh(&in->lock);
	}
	rcu_read_unlock();
#endif
	return n;
}

/*
 * Listen on the addresses of the interface, for connections that this host opens to itself. Return:
 * 0 if the listener has at least one of these sockets, or if the interface has no address;
 * otherwise the error of the last socket.
 */
static int open_own(struct xiw_soft_listener *l, struct xiw_addr *any)
{
	struct net_device *netdev = l->soft->rnic->netdev;
	struct xiw_addr own[XIW_LISTEN_OWN] = {};
	bool v6 = any->family == 6;
	unsigned int i, n = 0, opened = 0;
	int err = 0;

	if (v6)
		n = own_v6(netdev, own, XIW_LISTEN_OWN);
	if (!v6 || !(l->params.flags & cpu_to_le32(XIW_CONNF_V6ONLY)))
		n += own_v4(netdev, any->family, own + n, XIW_LISTEN_OWN - n);
	for (i = 0; i < n; i++) {
		own[i].port = any->port;
		err = open_socket(l, &own[i], LOOPBACK_IFINDEX, &l->sock[1 + i]);
		if (err)
			continue;
		any->port = own[i].port;
		opened++;
	}
	return opened ? 0 : err;
}

static int open_sockets(struct xiw_soft_listener *l, struct xiw_addr *local)
{
	struct net_device *netdev = l->soft->rnic->netdev;
	int err;

	if (!xiw_soft_addr_is_any(local))
		return open_socket(l, local, 0, &l->sock[0]);
	/*
	 * A wildcard socket on the loopback interface would prevent the listeners of other devices
	 * from listening on their own addresses there, and would accept connections to these
	 * addresses.
	 */
	if (netdev->ifindex == LOOPBACK_IFINDEX)
		return open_own(l, local);
	err = open_socket(l, local, netdev->ifindex, &l->sock[0]);
	/* Ignore errors here, because remote peers do not need these sockets. */
	if (!err)
		open_own(l, local);
	return err;
}

static bool listens(const struct socket *sock)
{
	return inet_sk_state_load(sock->sk) == TCP_LISTEN;
}

/*
 * Replace a socket that the host has destroyed, as ss -K does. Return: false if this fails, for
 * example because another socket has the port.
 */
static bool replace(struct xiw_soft_listener *l, struct socket **at)
{
	struct socket *old = *at, *sock;
	struct xiw_addr local, remote;
	bool replaced;

	xiw_soft_socket_addrs(old->sk, &local, &remote);
	replaced = !open_socket(l, &local, old->sk->sk_bound_dev_if, &sock);
	/* The administrator of a container may destroy listeners again and again. */
	if ((replaced || !l->lost) && net_ratelimit())
		netdev_warn(l->soft->rnic->netdev, "port %u: the listener was destroyed, %s\n",
			    be16_to_cpu(local.port),
			    replaced ? "listening again" : "trying to listen again");
	if (!replaced)
		return false;
	/* xiw_soft_listener_post() reads the socket under the lock. */
	spin_lock(&l->lock);
	*at = sock;
	spin_unlock(&l->lock);
	close_socket(l, old);
	return true;
}

static void replace_all(struct xiw_soft_listener *l)
{
	bool lost = false;
	unsigned int i;

	for (i = 0; i < XIW_LISTEN_SOCKETS; i++)
		if (socket_at(l, i) && !listens(l->sock[i]))
			lost |= !replace(l, &l->sock[i]);
	l->lost = lost;
}

/* ---------------------------------------------------------------------- work */

static void end(struct xiw_soft_listener *l)
{
	struct xiw_soft_conn *conn;
	bool empty;
	int i;

	spin_lock(&l->lock);
	l->down = true;
	/* A conn in the list still has its life reference (conn.h). */
	list_for_each_entry(conn, &l->conns, member)
		xiw_soft_conn_note(conn, XIW_NOTE_DROP);
	empty = list_empty(&l->conns);
	spin_unlock(&l->lock);

	for (i = 0; i < XIW_LISTEN_SOCKETS; i++) {
		if (l->sock[i])
			close_socket(l, l->sock[i]);
		l->sock[i] = NULL;
	}
	if (!empty || !l->slotted)
		return;
	l->slotted = false;
	xa_erase(&l->soft->listeners, l->index);
	if (l->unlisten)
		xiw_soft_command_done(l->soft, l->unlisten, XIW_OK);
	l->unlisten = NULL;
	xiw_soft_listener_put(l);
}

static void listener_work(struct work_struct *work)
{
	struct xiw_soft_listener *l = container_of(to_delayed_work(work), struct xiw_soft_listener,
						   work);
	unsigned int noio = memalloc_noio_save();
	unsigned long delay = MAX_JIFFY_OFFSET;
	struct xiw_soft_command *command;
	unsigned int waiting, i;
	struct socket *sock;
	bool done = true;

	while ((command = xiw_soft_command_next(l->soft, &l->commands))) {
		if (l->unlisten || !l->slotted) {
			xiw_soft_command_done(l->soft, command, XIW_ERR_INVALID);
			continue;
		}
		l->unlisten = command;
		xiw_soft_listener_stop(l);
	}
	if (READ_ONCE(l->down))
		end(l);
	replace_all(l);
	for (i = 0; i < XIW_LISTEN_SOCKETS; i++) {
		sock = socket_at(l, i);
		if (sock && listens(sock))
			done &= accept_all(l, sock);
	}
	waiting = backlog(l);
	if (!done)
		delay = HZ / 10;
	else if (waiting)
		delay = oust_silent(l, waiting);
	if (l->lost)
		delay = min_t(unsigned long, delay, HZ);
	if (delay != MAX_JIFFY_OFFSET) {
		refcount_inc(&l->refs);
		if (!queue_delayed_work(l->soft->wq, &l->work, delay))
			xiw_soft_listener_put(l);
	}
	memalloc_noio_restore(noio);
	xiw_soft_listener_put(l);
}

void xiw_soft_listener_stop(struct xiw_soft_listener *l)
{
	spin_lock(&l->lock);
	WRITE_ONCE(l->down, true);
	spin_unlock(&l->lock);
	xiw_soft_listener_kick(l);
}

/**
 * xiw_soft_listener_create - execute XIW_ADM_LISTEN
 * @soft: the RNIC
 * @index: valid index of the listener
 * @buf: local address and params; the function writes the port in use to it
 * @backlog: number of TCP connections that may wait for a slot; XIW_LISTEN_WAITING is the minimum
 *
 * Context: process, may sleep; the work item of the dispatcher (command.c).
 *
 * Return: enum xiw_status.
 */
enum xiw_status xiw_soft_listener_create(struct xiw_soft *soft, u32 index, struct xiw_conn_buf *buf,
					 u32 backlog)
{
	struct xiw_soft_cm *cm = soft->cm;
	struct xiw_soft_listener *l;
	int err;

	if (xa_load(&soft->listeners, index))
		return XIW_ERR_BUSY;
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return XIW_ERR_NOMEM;
	l->soft = soft;
	l->index = index;
	refcount_set(&l->refs, 2);	/* one for soft->listeners, and one for this function */
	INIT_DELAYED_WORK(&l->work, listener_work);
	INIT_LIST_HEAD(&l->commands);
	INIT_LIST_HEAD(&l->conns);
	spin_lock_init(&l->lock);
	l->params = buf->params;
	l->backlog = backlog;
	l->slotted = true;
	xiw_soft_cm_join(cm, &l->node, &cm->listeners);

	/* The work item may run from now on. It may replace a socket, but accepts nothing. */
	err = open_sockets(l, &buf->local);
	if (!err)
		err = xa_insert(&soft->listeners, index, l, GFP_KERNEL);
	if (err) {
		l->slotted = false;
		xiw_soft_listener_put(l);
		xiw_soft_listener_stop(l);
	} else {
		/* The host may have destroyed a socket before the work item could see it. */
		xiw_soft_listener_kick(l);
	}
	xiw_soft_listener_put(l);
	return xiw_soft_status(err);
}
