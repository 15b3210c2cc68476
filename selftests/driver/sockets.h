/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The part of TCP and TLS that soft/records.c needs. This file replaces net/tcp.h. The test
 * replaces read_sock() of TLS, which passes the octets of records to an actor.
 */
#ifndef XIW_TEST_SOCKETS_H
#define XIW_TEST_SOCKETS_H

#include "kernel.h"

#define MSG_DONTWAIT 1
#define MSG_NOSIGNAL 2
#define MSG_SPLICE_PAGES 4
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define memalloc_noio_save() 0U
#define memalloc_noio_restore(flags) ((void)(flags))

typedef struct {
	union {
		void *data;
	} arg;
	size_t count;
} read_descriptor_t;

typedef int (*sk_read_actor_t)(read_descriptor_t *desc, struct sk_buff *skb, unsigned int offset,
			       size_t len);

struct proto_ops {
	int (*read_sock)(struct sock *sk, read_descriptor_t *desc, sk_read_actor_t actor);
};

struct socket {
	const struct proto_ops *ops;
	struct sock *sk;
};

struct sock {
	struct socket *sk_socket;
	bool locked;
};

struct sk_buff {
	const u8 *data;
};

struct iov_iter {
	int unused;
};

struct msghdr {
	int msg_flags;
	struct iov_iter msg_iter;
};

static inline void lock_sock(struct sock *sk)
{
	if (sk->locked)
		abort();
	sk->locked = true;
}

static inline void release_sock(struct sock *sk)
{
	if (!sk->locked)
		abort();
	sk->locked = false;
}

static inline int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len)
{
	memcpy(to, skb->data + offset, len);
	return 0;
}

#define xiw_tcp_ignore_urgent(sk) ((void)(sk))
#define xiw_tls_partial(sk) ((void)(sk), false)

/* The tests send nothing. */
#define xiw_tls_pending(sk) ((void)(sk), false)
#define iov_iter_bvec(iter, direction, bv, nr, len) \
	((void)(iter), (void)(bv), (void)(nr), (void)(len))
#define sock_sendmsg(sock, msg) ((void)(sock), (void)(msg), -EAGAIN)

#endif
