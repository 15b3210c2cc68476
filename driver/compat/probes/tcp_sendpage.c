// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.5: sendpage is gone for MSG_SPLICE_PAGES (6.1 got the flag, not the code)
#include <net/tcp.h>

static int __maybe_unused probe(struct sock *sk, struct page *page)
{
	return tcp_sendpage_locked(sk, page, 0, 1, MSG_DONTWAIT);
}
