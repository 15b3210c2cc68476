// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/socket.h"

#include <linux/file.h>
#include <linux/netdevice.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "ring/namespace.h"

union socket_name {
	struct sockaddr_storage any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* ----------------------------------------------------------------- creation */

/*
 * Treat urgent data as ordinary octets of the stream (RFC 9293 §3.8.5). MPA does not use urgent
 * data, and an urgent octet would block the octets after it.
 */
static void urgent_policy(struct sock *sk)
{
	sock_set_flag(sk, SOCK_URGINLINE);
}

/*
 * Do not wait for memory, because memory reclaim may wait for the connection. TCP copies MPA frames
 * into the page fragment of the sending task, so that the socket does not keep a fragment of 32
 * KiB.
 */
static void memory_policy(struct sock *sk)
{
	sk->sk_allocation = GFP_ATOMIC;
	sk->sk_use_task_frag = true;
}

int xiw_soft_socket_create(struct xiw_soft *soft, u8 family, struct socket **out)
{
	struct socket *sock;
	struct net *net;
	int err;

	if (family != 4 && family != 6)
		return -EAFNOSUPPORT;
	net = xiw_rnic_get_net(soft->rnic);
	if (!net)
		return -ENODEV;
	err = sock_create_kern(net, family == 6 ? PF_INET6 : PF_INET, SOCK_STREAM, IPPROTO_TCP,
			       &sock);
	if (!err) {
		sk_net_refcnt_upgrade(sock->sk);
		memory_policy(sock->sk);
		urgent_policy(sock->sk);	/* accepted sockets inherit this */
		tcp_sock_set_nodelay(sock->sk);
		*out = sock;
	}
	put_net(net);
	return err;
}

void xiw_soft_socket_accepted(struct socket *sock)
{
	memory_policy(sock->sk);
	tcp_sock_set_nodelay(sock->sk);
}

static int set_option(struct socket *sock, int level, int name, int value)
{
	return READ_ONCE(sock->ops)->setsockopt(sock, level, name, KERNEL_SOCKPTR(&value),
						sizeof(value));
}

int xiw_soft_socket_options(struct socket *sock, const struct xiw_conn_params *params)
{
	if (!(params->flags & cpu_to_le32(XIW_CONNF_TOS)))
		return 0;
	/* Set the TOS of an IPv6 socket, too, because the socket may have an IPv4 connection. */
	ip_sock_set_tos(sock->sk, params->tos);
	if (sock->sk->sk_family != AF_INET6)
		return 0;
	return set_option(sock, SOL_IPV6, IPV6_TCLASS, params->tos);
}

void xiw_soft_socket_segments(struct socket *sock, u32 mtu)
{
	u32 ip = sock->sk->sk_family == AF_INET6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	u32 mss = mtu - ip - sizeof(struct tcphdr);

	/*
	 * The MSS includes TCP options, whose length is a multiple of four. So if the MSS is a
	 * multiple of four, so is the length of the data in a full segment.
	 */
	set_option(sock, SOL_TCP, TCP_MAXSEG, mss & 3 ? mss & ~3U : 0);
}

/*
 * The user timeout of RFC 5482 covers unacknowledged data and a window that stays closed. Keepalive
 * (RFC 9293 §3.8.4) covers a connection without data to send. With a user timeout, TCP does not
 * limit the number of keepalive probes. Instead, TCP ends the connection when the next probe is
 * due, if the timeout has expired and TCP has sent at least one probe. So choose keepalive times
 * (in seconds) such that TCP sends three probes, and the fourth is due when the timeout expires. If
 * the timeout is below 4 s, there is time for fewer probes.
 */
void xiw_soft_socket_peer_time(struct socket *sock, u32 ms)
{
	u32 seconds = DIV_ROUND_UP(ms, 1000), interval = max(seconds / 6, 1U);

	if (!ms)
		return;
	tcp_sock_set_user_timeout(sock->sk, ms);
	tcp_sock_set_keepintvl(sock->sk, interval);
	tcp_sock_set_keepidle(sock->sk, seconds > 3 * interval ? seconds - 3 * interval : 1);
	sock_set_keepalive(sock->sk);
}

int xiw_soft_socket_freebind(struct socket *sock)
{
	return set_option(sock, SOL_IPV6, IPV6_FREEBIND, 1);
}

/* ---------------------------------------------------------------- addresses */

static int name_from_addr(union socket_name *name, const struct xiw_addr *addr)
{
	memset(name, 0, sizeof(*name));
	if (addr->family == 6) {
		name->v6.sin6_family = AF_INET6;
		name->v6.sin6_port = addr->port;
		name->v6.sin6_scope_id = le32_to_cpu(addr->scope);
		memcpy(&name->v6.sin6_addr, addr->addr, sizeof(name->v6.sin6_addr));
		return sizeof(name->v6);
	}
	name->v4.sin_family = AF_INET;
	name->v4.sin_port = addr->port;
	memcpy(&name->v4.sin_addr, addr->addr, sizeof(name->v4.sin_addr));
	return sizeof(name->v4);
}

bool xiw_soft_addr_is_any(const struct xiw_addr *addr)
{
	return !memchr_inv(addr->addr, 0, addr->family == 6 ? 16 : 4);
}

int xiw_soft_socket_bind(struct socket *sock, const struct xiw_addr *local)
{
	union socket_name name;
	int len = name_from_addr(&name, local);

	/*
	 * Allow several sockets on the port. rdma_cm chooses ports without TCP, and a restarted
	 * listener uses its port again immediately.
	 */
	if (local->port)
		sock_set_reuseaddr(sock->sk);
	else
		set_option(sock, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	return kernel_bind(sock, (struct sockaddr_unsized *)&name, len);
}

bool xiw_soft_socket_may_choose(const struct socket *sock, const struct xiw_addr *local)
{
	int port = be16_to_cpu(local->port), low, high;

	inet_get_local_port_range(sock_net(sock->sk), &low, &high);
	return port >= low && port <= high;
}

int xiw_soft_socket_bind_initiator(struct socket *sock, const struct xiw_addr *local)
{
	struct xiw_addr any = *local;
	int err;

	err = xiw_soft_socket_bind(sock, local);
	if (err != -EADDRINUSE || !xiw_soft_socket_may_choose(sock, local))
		return err;
	any.port = 0;
	return xiw_soft_socket_bind(sock, &any);
}

int xiw_soft_socket_connect(struct socket *sock, const struct xiw_addr *remote)
{
	union socket_name name;
	int len = name_from_addr(&name, remote);

	return kernel_connect(sock, (struct sockaddr_unsized *)&name, len, O_NONBLOCK);
}

static void put_v4(struct xiw_addr *addr, __be32 ip, __be16 port)
{
	*addr = (struct xiw_addr){ .family = 4, .port = port };
	memcpy(addr->addr, &ip, sizeof(ip));
}

#if IS_ENABLED(CONFIG_IPV6)
static void put_v6(struct xiw_addr *addr, const struct in6_addr *ip, __be16 port,
		   const struct sock *sk)
{
	*addr = (struct xiw_addr){
		.family = 6,
		.port = port,
		.scope = cpu_to_le32(ipv6_iface_scope_id(ip, sk->sk_bound_dev_if)),
	};
	memcpy(addr->addr, ip, sizeof(*ip));
}

#endif

void xiw_soft_socket_addrs(const struct sock *sk, struct xiw_addr *local, struct xiw_addr *remote)
{
	const struct inet_sock *inet = inet_sk(sk);

#if IS_ENABLED(CONFIG_IPV6)
	if (xiw_soft_socket_is_v6(sk)) {
		put_v6(local, &sk->sk_v6_rcv_saddr, inet->inet_sport, sk);
		put_v6(remote, &sk->sk_v6_daddr, inet->inet_dport, sk);
		return;
	}
#endif
	put_v4(local, inet->inet_saddr, inet->inet_sport);
	put_v4(remote, inet->inet_daddr, inet->inet_dport);
}

/* ------------------------------------------------------------------- octets */

static int receive(struct socket *sock, void *buf, u32 len, int flags)
{
	struct msghdr msg = {};
	struct kvec vec = { .iov_base = buf, .iov_len = len };

	flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
	return kernel_recvmsg(sock, &msg, &vec, 1, len, flags);
}

int xiw_soft_socket_read(struct socket *sock, void *buf, u32 len)
{
	/* With MSG_TRUNC, TCP copies nothing, so no buffer is needed. */
	return receive(sock, buf, len, buf ? 0 : MSG_TRUNC);
}

int xiw_soft_socket_write(struct socket *sock, const void *buf, u32 len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };

	return kernel_sendmsg(sock, &msg, &vec, 1, len);
}

int xiw_soft_socket_peek(struct socket *sock, u8 *octet)
{
	return receive(sock, octet, sizeof(*octet), MSG_PEEK);
}

bool xiw_soft_socket_unread(struct socket *sock)
{
	struct sock *sk = sock->sk;
	bool unread;
	u8 octet;

	if (!xiw_tls_installed(sk))
		return xiw_soft_socket_peek(sock, &octet) > 0;
	lock_sock(sk);
	unread = xiw_tls_unread(sk);
	release_sock(sk);
	return unread;
}

/* -------------------------------------------------------------------- close */

bool xiw_soft_socket_fin(struct socket *sock)
{
	struct sock *sk = sock->sk;
	bool pending;

	lock_sock(sk);
	pending = xiw_tls_installed(sk) && xiw_tls_pending(sk);
	if (pending) {
		/*
		 * TCP has not accepted all records of TLS. Let TLS try again now: TCP itself calls
		 * sk_write_space() only when an ACK arrives.
		 */
		sk->sk_write_space(sk);
	} else if (!(sk->sk_shutdown & SEND_SHUTDOWN)) {
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | SEND_SHUTDOWN);
		sk->sk_prot->shutdown(sk, SEND_SHUTDOWN);
	}
	release_sock(sk);
	return !pending;
}

void xiw_soft_socket_release(struct socket *sock, bool reset)
{
	if (reset)
		sock_no_linger(sock->sk);
	if (!sock->file) {
		sock_release(sock);
		return;
	}
	/* The TLS agent may also hold the file. Close TCP now, and do not wait for the agent. */
	if (reset)
		tcp_abort(sock->sk, ECONNABORTED);
	else
		kernel_sock_shutdown(sock, SHUT_RDWR);
	fput(sock->file);
}

enum xiw_status xiw_soft_status(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return XIW_OK;
	case ECONNREFUSED:
		return XIW_ERR_REFUSED;
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ENETDOWN:
	case EHOSTDOWN:
	case ENONET:
	case ENOPROTOOPT:	/* ICMP: protocol unreachable, RFC 1122 §4.2.3.9 */
	case EACCES:		/* a route or a filter prohibits the connection */
	case EPERM:
		return XIW_ERR_UNREACHABLE;
	case ETIMEDOUT:
		return XIW_ERR_TIMEOUT;
	case ECONNRESET:
	case ECONNABORTED:
	case EPIPE:
	case ENOTCONN:
		return XIW_ERR_RESET;
	case EADDRNOTAVAIL:
		return XIW_ERR_ADDRESS;
	case EADDRINUSE:
		return XIW_ERR_ADDRESS_IN_USE;
	case ENOMEM:
	case ENOBUFS:
		return XIW_ERR_NOMEM;
	case EBUSY:
		return XIW_ERR_BUSY;
	case ENODEV:
	case ESHUTDOWN:
		return XIW_ERR_GONE;
	case ENOKEY:
		return XIW_ERR_UNENCRYPTED;
	case EBADMSG:		/* TLS: a record is damaged, or contains no data */
	case EIO:
		return XIW_ERR_PROTOCOL;
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
	case EOPNOTSUPP:
		return XIW_ERR_UNSUPPORTED;
	default:
		return XIW_ERR_INVALID;
	}
}

enum xiw_status xiw_soft_socket_status(struct sock *sk)
{
	int err = sock_error(sk);

	return err ? xiw_soft_status(err) : XIW_ERR_RESET;
}
