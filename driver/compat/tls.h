/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_TLS_H
#define XIW_COMPAT_TLS_H

#include <linux/key.h>
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp.h>

/* If XIW_HAVE_TLS is 0, the driver refuses TLS, and no socket has TLS. */
#ifdef HAVE_TLS_HANDSHAKE
#define XIW_HAVE_TLS (IS_ENABLED(CONFIG_TLS) && IS_ENABLED(CONFIG_NET_HANDSHAKE))
#else
#define XIW_HAVE_TLS 0
#endif

#if XIW_HAVE_TLS
#include <net/handshake.h>
#include <net/tls.h>

/* Return: true if the TCP ULP of the socket is "tls". The socket then has a struct tls_context. */
static inline bool xiw_tls_is_ulp(const struct sock *sk)
{
	const struct tcp_ulp_ops *ulp = READ_ONCE(inet_csk(sk)->icsk_ulp_ops);

	return ulp && !strcmp(ulp->name, "tls");
}

/**
 * xiw_tls_installed() - check whether TLS encrypts both directions
 * @sk: TCP socket
 */
static inline bool xiw_tls_installed(const struct sock *sk)
{
	const struct tls_context *ctx;

	if (!xiw_tls_is_ulp(sk))
		return false;
	ctx = tls_get_ctx(sk);
	return ctx && ctx->tx_conf != TLS_BASE && ctx->rx_conf != TLS_BASE;
}

/**
 * xiw_tls_pending() - check whether TLS has records that TCP has not accepted yet
 * @sk: socket with TLS, locked
 *
 * Assumes that TLS stores encrypted records only in the two members that this function checks.
 */
static inline bool xiw_tls_pending(const struct sock *sk)
{
	const struct tls_context *ctx = tls_get_ctx(sk);

	return ctx->partially_sent_record ||
	       (ctx->tx_conf == TLS_SW && !list_empty(&tls_sw_ctx_tx(ctx)->tx_list));
}

/**
 * xiw_tls_partial() - check whether a part of the next record has arrived
 * @sk: socket with TLS, locked, whose complete records have been read
 *
 * Assumes that TLS leaves the octets of an incomplete record in TCP, or copies them (copy_mode) if
 * TCP's window is small.
 */
static inline bool xiw_tls_partial(struct sock *sk)
{
	/* Do not check the receive queue instead: it may contain a FIN, which has no octets. */
	return tcp_inq(sk) > 0 || tls_sw_ctx_rx(tls_get_ctx(sk))->strp.copy_mode;
}

/**
 * xiw_tls_unread() - check whether octets have arrived that no one has read
 * @sk: socket with TLS, locked
 *
 * The octets may be encrypted, and may belong to a record of any type. Makes the assumptions of
 * xiw_tls_partial(), and assumes that decrypted octets are in rx_list.
 */
static inline bool xiw_tls_unread(struct sock *sk)
{
	return xiw_tls_partial(sk) || !skb_queue_empty(&tls_sw_ctx_rx(tls_get_ctx(sk))->rx_list);
}

/*
 * Return: enum xiw_nl_tls_cipher + 1, or 0 without TLS. Context: RCU read-side critical section,
 * because TLS frees the context after a grace period. TLS clears crypto_send before the grace
 * period. From then on, the function returns 0.
 */
static inline unsigned int xiw_tls_cipher(const struct sock *sk)
{
	const struct tls_context *ctx;
	unsigned int type;

	if (!xiw_tls_is_ulp(sk))
		return 0;
	ctx = rcu_dereference(inet_csk(sk)->icsk_ulp_data);
	type = ctx ? READ_ONCE(ctx->crypto_send.info.cipher_type) : 0;
	return type < TLS_CIPHER_AES_GCM_128 ? 0 : type - TLS_CIPHER_AES_GCM_128 + 1;
}

/* Return: true if the socket has the read_sock() of TLS, which decrypts. */
static inline bool xiw_tls_reads(const struct socket *sock)
{
	int (*read)(struct sock *sk, read_descriptor_t *desc, sk_read_actor_t actor) =
		READ_ONCE(sock->ops)->read_sock;

	return read && read != tcp_read_sock;
}
#else
enum { TLS_NO_PEERID };

struct tls_handshake_args {
	struct socket *ta_sock;
	void (*ta_done)(void *data, int status, key_serial_t peerid);
	void *ta_data;
	const char *ta_peername;
	unsigned int ta_timeout_ms;
};

static inline int tls_client_hello_x509(const struct tls_handshake_args *args, gfp_t flags)
{
	return -EOPNOTSUPP;
}

static inline int tls_server_hello_x509(const struct tls_handshake_args *args, gfp_t flags)
{
	return -EOPNOTSUPP;
}

static inline bool tls_handshake_cancel(struct sock *sk)
{
	return false;
}

static inline bool xiw_tls_installed(const struct sock *sk)
{
	return false;
}

static inline bool xiw_tls_pending(const struct sock *sk)
{
	return false;
}

static inline bool xiw_tls_partial(struct sock *sk)
{
	return false;
}

static inline bool xiw_tls_unread(struct sock *sk)
{
	return false;
}

static inline unsigned int xiw_tls_cipher(const struct sock *sk)
{
	return 0;
}

static inline bool xiw_tls_reads(const struct socket *sock)
{
	return false;
}
#endif

#endif
