// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.14: a helper makes a kernel socket hold a reference on its namespace
#include <net/sock.h>

static void __maybe_unused probe(struct sock *sk)
{
	sk_net_refcnt_upgrade(sk);
}
