/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_RUN_H
#define XT_RUN_H

struct xt_args;
struct xt_ep;
struct xt_session;

#define XT_RUN_KEYS "ep op len qd count ms buf off lmr roff rkey raddr spread verify seed rpos " \
		    "init add mask se fence shared timeout"

void xt_run_free(struct xt_ep *ep);
int xt_run_command(struct xt_session *s, struct xt_args *a);
int xt_halt_command(struct xt_session *s, struct xt_args *a);

#endif
