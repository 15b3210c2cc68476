/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_SINK_H
#define XT_SINK_H

struct xt_args;
struct xt_ep;
struct xt_session;

int xt_sink_start(struct xt_ep *ep);
void xt_sink_free(struct xt_ep *ep);
int xt_sink_command(struct xt_session *s, struct xt_args *a);

#endif
