// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.19: kernel_bind and kernel_connect take struct sockaddr_unsized
#include <linux/net.h>
#include <linux/socket.h>

static int __maybe_unused probe(struct socket *sock, struct sockaddr_unsized *a)
{
	return kernel_bind(sock, a, 0) ?: kernel_connect(sock, a, 0, 0);
}
