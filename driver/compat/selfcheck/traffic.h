/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SELFCHECK_TRAFFIC_H
#define XIW_SELFCHECK_TRAFFIC_H

struct net;
struct netlink_callback;

/* Global, so that the compiler keeps what it uses. */
int unused_shims(struct net *net, struct netlink_callback *cb);

/* Sends through the shims over loopback; process context, bounded in time. */
int traffic_run(void);

#endif
