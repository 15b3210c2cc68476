/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_SOCK_H
#define XIW_COMPAT_SOCK_H

#include <linux/bvec.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#ifndef HAVE_SOCKADDR_UNSIZED
/* In older kernels, kernel_bind() and kernel_connect() take struct sockaddr. */
#define sockaddr_unsized sockaddr
#endif

#ifndef HAVE_NET_REFCNT_UPGRADE
/* Call this after sock_create_kern(), so that the namespace lives as long as the socket. */
static inline void sk_net_refcnt_upgrade(struct sock *sk)
{
	struct net *net = sock_net(sk);

	sk->sk_net_refcnt = 1;
	get_net_track(net, &sk->ns_tracker, GFP_KERNEL);
	sock_inuse_add(net, 1);
}
#endif

/*
 * Functions that access private state of TCP. The comment of each function states what the function
 * assumes about the kernel's TCP, because the build cannot detect that an assumption has become
 * wrong.
 */

/**
 * xiw_sock_trylock() - take the lock of bh_lock_sock() if it is free
 * @sk: socket
 *
 * Assumes that TCP accesses a socket either with sk_lock.slock held or as the owner of the socket.
 * So a caller that gets the lock must then check sock_owned_by_user(). bh_unlock_sock() releases
 * the lock.
 *
 * Context: BH off.
 *
 * Return: true if this function took the lock.
 */
static inline bool xiw_sock_trylock(struct sock *sk)
{
	return spin_trylock(&sk->sk_lock.slock);
}

/**
 * xiw_tcp_mss() - get the number of data octets in a full segment, beside TCP's options
 * @sk: TCP socket
 *
 * Assumes that TCP creates segments of mss_cache octets, and that TCP adapts mss_cache to the path
 * MTU only under the socket lock.
 */
static inline u32 xiw_tcp_mss(const struct sock *sk)
{
	return READ_ONCE(tcp_sk(sk)->mss_cache);
}

/**
 * xiw_tcp_segment_max() - get the maximum number of data octets in a segment of the peer
 * @sk: TCP socket, connected
 *
 * Assumes that advmss is the MSS that this end has announced to the peer, minus the octets of the
 * timestamp option.
 */
static inline u32 xiw_tcp_segment_max(const struct sock *sk)
{
	return READ_ONCE(tcp_sk(sk)->advmss);
}

/**
 * xiw_tcp_established_at() - get the time at which an incoming connection was established
 * @sk: TCP socket that has sent no data yet
 *
 * Assumes that lsndtime is the time at which TCP last sent data, and that its initial value is the
 * time at which TCP created the socket.
 *
 * Return: jiffies.
 */
static inline unsigned long xiw_tcp_established_at(const struct sock *sk)
{
	return jiffies - (u32)(tcp_jiffies32 - READ_ONCE(tcp_sk(sk)->lsndtime));
}

/**
 * xiw_tcp_cork() - make TCP hold back a segment that is not full
 * @sk: TCP socket, locked
 * @on: true to hold back the segment; false to let the next send transmit it
 *
 * Assumes that tcp_nagle_check() reads TCP_NAGLE_CORK, and that TCP itself clears this flag only in
 * setsockopt(TCP_CORK).
 */
static inline void xiw_tcp_cork(struct sock *sk, bool on)
{
	if (on)
		tcp_sk(sk)->nonagle |= TCP_NAGLE_CORK;
	else
		tcp_sk(sk)->nonagle &= ~TCP_NAGLE_CORK;
}

/**
 * xiw_tcp_close_segment() - prevent TCP from appending to an skb
 * @tail: last skb of the write queue, unsent; the socket is locked
 *
 * Assumes that TCP calls tcp_skb_can_collapse_to() before it appends to an skb.
 */
static inline void xiw_tcp_close_segment(struct sk_buff *tail)
{
	TCP_SKB_CB(tail)->eor = 1;
}

/**
 * xiw_tcp_ignore_urgent() - make tcp_read_sock() read past urgent data
 * @sk: TCP socket with SOCK_URGINLINE, locked
 *
 * tcp_read_sock() stops before an urgent octet, even with SOCK_URGINLINE, until tcp_recvmsg() has
 * passed the octet. This function removes the urgent mark, so that tcp_read_sock() treats the octet
 * like any other. The next segment with an urgent pointer sets a new mark.
 */
static inline void xiw_tcp_ignore_urgent(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (unlikely(tp->urg_data))
		WRITE_ONCE(tp->urg_data, 0);
}

/**
 * xiw_tcp_route() - get the route by which TCP sends
 * @sk: TCP socket, connected, owned by the caller
 *
 * Assumes that TCP itself calls rebuild_header() before it sends on a socket that may have no valid
 * route. Also assumes that rebuild_header() looks up the route of the socket's flow, and applies
 * the IPsec policies.
 *
 * Context: process or softirq.
 *
 * Return: the route with a reference, or NULL if there is none.
 */
static inline struct dst_entry *xiw_tcp_route(struct sock *sk)
{
	return inet_csk(sk)->icsk_af_ops->rebuild_header(sk) ? NULL : sk_dst_get(sk);
}

#ifndef MSG_NO_SHARED_FRAGS
#define MSG_NO_SHARED_FRAGS 0
#endif

/**
 * xiw_sock_send_pages() - pass filled page fragments to TCP without a copy
 * @sk: TCP socket, established or half closed by the peer
 * @bv: fragments, not in slab memory. The caller must not change their octets after this call: TCP
 *	takes its own page references and may retransmit the octets much later
 * @nr: number of fragments, 1 or more
 * @len: octets to send, at most the octets of all fragments
 * @flags: MSG_MORE to hold back a segment that is not full, MSG_EOR to start a new skb in the next
 *	call; this function sets all other flags
 *
 * Context: process or softirq, never hard interrupt. The caller owns the socket (lock_sock), or
 * holds the spinlock of the socket with BH off while no user owns the socket. In softirq,
 * sk->sk_allocation must be an atomic mask. Never sleeps. If TCP has no octets queued, this
 * function calls sk_write_space before it returns -EAGAIN. During a long batch with lock_sock, TCP
 * may process the backlog, which calls sk_data_ready.
 *
 * An skb has at most sysctl_max_skb_frags fragments, and TCP joins fragments only within one struct
 * page. If a batch needs more fragments, TCP starts a new skb, even inside an FPDU.
 *
 * Return: octets that TCP has accepted, possibly fewer than @len, or a negative errno: -EAGAIN if
 * there is no space, -EPIPE or the socket's error if the socket is closing.
 */
static inline int xiw_sock_send_pages(struct sock *sk, struct bio_vec *bv,
				      unsigned int nr, size_t len, int flags)
{
#ifdef HAVE_TCP_SENDPAGE
	struct sk_buff *tail;
	size_t done = 0;

	flags |= MSG_DONTWAIT | MSG_NOSIGNAL | MSG_NO_SHARED_FRAGS;
	for (; nr && done < len; nr--, bv++) {
		size_t part = min_t(size_t, bv->bv_len, len - done);
		bool last = done + part == len;
		int sent;

		sent = tcp_sendpage_locked(sk, bv->bv_page, bv->bv_offset, part,
					   last ? flags & ~MSG_EOR :
					   (flags & ~MSG_EOR) | MSG_MORE |
					   MSG_SENDPAGE_NOTLAST);
		if (sent < 0)
			return done ?: sent;
		done += sent;
		if (sent < part)
			return done;
	}

	/*
	 * sendpage does not support MSG_EOR, so mark the last unsent skb. Without an unsent skb,
	 * TCP starts a new skb anyway.
	 */
	tail = tcp_write_queue_tail(sk);
	if ((flags & MSG_EOR) && tail)
		xiw_tcp_close_segment(tail);
	return done;
#else
	struct msghdr msg = {
		.msg_flags = flags | MSG_DONTWAIT | MSG_NOSIGNAL | MSG_NO_SHARED_FRAGS |
			     MSG_SPLICE_PAGES,
	};

	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bv, nr, len);
	return tcp_sendmsg_locked(sk, &msg, len);
#endif
}

#endif
