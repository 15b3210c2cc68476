// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.5: MSG_SPLICE_PAGES replaces sendpage (6.1 has the flag, but not the code)
#include <net/tcp.h>

static int __maybe_unused probe(struct sock *sk, struct page *page)
{
	return tcp_sendpage_locked(sk, page, 0, 1, MSG_DONTWAIT);
}
