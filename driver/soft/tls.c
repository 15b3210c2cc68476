// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/tls.h"

#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/net.h>
#include <linux/netdevice.h>

#include "soft/conn.h"

/* The agent accesses the socket by a file. After an error, the kernel has released conn->sock. */
static int make_file(struct xiw_soft_conn *conn)
{
	struct file *file;

	if (conn->sock->file)
		return 0;
	file = sock_alloc_file(conn->sock, O_CLOEXEC | O_NONBLOCK, NULL);
	if (!IS_ERR(file))
		return 0;
	conn->sock = NULL;
	return PTR_ERR(file);
}

/* Handle the answer of the agent. Called once, but not after a successful cancel. */
static void done(void *data, int status, key_serial_t peer)
{
	struct xiw_soft_conn *conn = data;

	/* Refuse a client without a certificate, because its identity is unknown. */
	if (!status && conn->listener && peer == TLS_NO_PEERID)
		status = -EACCES;
	conn->tls_status = status;
	xiw_soft_conn_note(conn, XIW_NOTE_TLS);
	complete(&conn->tls_done);
	xiw_soft_conn_put(conn);
}

int xiw_soft_tls_begin(struct xiw_soft_conn *conn, bool server, u32 timeout_ms)
{
	struct tls_handshake_args args = {
		.ta_done = done,
		.ta_data = conn,
		.ta_timeout_ms = timeout_ms,
	};
	void (*destruct)(struct sock *sk);
	struct xiw_addr local, remote;
	int err;

	xiw_soft_conn_disown(conn);
	err = make_file(conn);
	if (err)
		return err;
	args.ta_sock = conn->sock;
	if (!server) {
		/* The certificate of the server must be valid for its address. */
		xiw_soft_socket_addrs(conn->sock->sk, &local, &remote);
		if (remote.family == 6)
			snprintf(conn->tls_peer, sizeof(conn->tls_peer), "%pI6c", remote.addr);
		else
			snprintf(conn->tls_peer, sizeof(conn->tls_peer), "%pI4", remote.addr);
		args.ta_peername = conn->tls_peer;
	}
	destruct = conn->sock->sk->sk_destruct;
	init_completion(&conn->tls_done);
	refcount_inc(&conn->refs);
	conn->shaking = true;
	if (server)
		err = tls_server_hello_x509(&args, GFP_NOIO);
	else
		err = tls_client_hello_x509(&args, GFP_NOIO);
	if (err) {
		/*
		 * After an error, the kernel may leave its own destructor in the socket. That
		 * destructor would not release the route, so restore the original.
		 */
		conn->sock->sk->sk_destruct = destruct;
		conn->shaking = false;
		xiw_soft_conn_put(conn);
	}
	if (err == -ESRCH && net_ratelimit())
		netdev_warn(conn->soft->rnic->netdev, "no TLS agent: start tlshd\n");
	return err;
}

int xiw_soft_tls_finish(struct xiw_soft_conn *conn)
{
	struct socket *sock = conn->sock;
	int err;

	wait_for_completion(&conn->tls_done);
	conn->shaking = false;
	/* Do not trust the agent: it may report success without keys. */
	if (conn->tls_status || !xiw_tls_installed(sock->sk) || !xiw_tls_reads(sock))
		return -ENOKEY;
	sock->sk->sk_allocation = GFP_NOIO;
	conn->sock = NULL;
	err = xiw_soft_conn_adopt(conn, sock, NULL);
	conn->tls = !err;
	return err;
}

bool xiw_soft_tls_left(struct xiw_soft_conn *conn)
{
	if (!conn->tls_file)
		return true;
	if (time_before(jiffies, conn->tls_left + msecs_to_jiffies(XIW_TLS_LEAVE_MS)))
		return false;
	fput(conn->tls_file);
	conn->tls_file = NULL;
	xiw_soft_conn_put(conn);
	return true;
}

/*
 * A successful cancel does not wait for handshake_nl_accept_doit() of the kernel, which may be
 * passing the request to the agent at this time. That kernel function still reads the peer name,
 * and may still use the file without a reference. The kernel does not report its end: after a
 * successful cancel, the kernel never calls done(). So the conn keeps the peer name and the file
 * for XIW_TLS_LEAVE_MS, which is far longer than handshake_nl_accept_doit() takes.
 */
void xiw_soft_tls_cancel(struct xiw_soft_conn *conn)
{
	if (!conn->shaking)
		return;
	conn->shaking = false;
	if (!tls_handshake_cancel(conn->sock->sk)) {
		wait_for_completion(&conn->tls_done);	/* done() is running, or has run */
	} else {
		conn->tls_file = get_file(conn->sock->file);
		conn->tls_left = jiffies;
	}
	clear_bit(XIW_NOTE_TLS, &conn->inbox);
}
