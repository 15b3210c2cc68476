// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* TCP state of a stream's connection, as ss(8) shows it. */
#include <net/tcp.h>

#include "soft/stream.h"

/**
 * xiw_soft_tcp - get TCP state of a stream
 * @soft: the RNIC
 * @index: index of the stream
 * @tcp: result
 *
 * Takes no lock, so the numbers may be from different moments.
 *
 * Context: under RCU, because a stream and its socket are freed by RCU. Any lock may be held.
 *
 * Return: false if the stream does not exist or has no open connection.
 */
bool xiw_soft_tcp(struct xiw_soft *soft, u32 index, struct xiw_rnic_tcp *tcp)
{
	const struct xiw_soft_stream *s = xa_load(&soft->streams, index);
	/* acquire: pairs with the release in xiw_soft_stream_open() */
	struct sock *sk = s ? smp_load_acquire(&s->sk) : NULL;
	const struct tcp_sock *tp;

	if (!sk || inet_sk_state_load(sk) == TCP_CLOSE)
		return false;
	tp = tcp_sk(sk);
	*tcp = (struct xiw_rnic_tcp){
		.rtt_us = READ_ONCE(tp->srtt_us) >> 3,
		.rtt_var_us = READ_ONCE(tp->mdev_us) >> 2,
		.mss = xiw_tcp_mss(sk),
		.cwnd = READ_ONCE(tp->snd_cwnd),
		.peer_window = READ_ONCE(tp->snd_wnd),
		.retransmits = READ_ONCE(tp->total_retrans),
		/* The differences may be negative, because no lock is held. */
		.tx_queue = max_t(s32, READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_una), 0),
		.rx_queue = max_t(s32, READ_ONCE(tp->rcv_nxt) - READ_ONCE(tp->copied_seq), 0),
		.cipher = xiw_tls_cipher(sk),
	};
	/*
	 * At the check above, the connection was not closed, so it held the module of its
	 * congestion control. RCU delays the release of the module's memory, so the name is still
	 * valid.
	 */
	strscpy(tcp->congestion, READ_ONCE(inet_csk(sk)->icsk_ca_ops)->name,
		sizeof(tcp->congestion));
	return true;
}
