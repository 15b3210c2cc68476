// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.6: a user-space agent performs TLS handshakes for the kernel; TLS has read_sock()
#include <linux/key.h>
#include <net/handshake.h>
#include <net/tls.h>

static int __maybe_unused probe(const struct tls_handshake_args *args, struct socket *sock)
{
	tls_handshake_close(sock);
	return tls_client_hello_x509(args, GFP_KERNEL) + tls_get_ctx(sock->sk)->tx_conf;
}
