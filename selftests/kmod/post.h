/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_POST_H
#define XT_POST_H

struct xt_args;
struct xt_session;

#define XT_POST_KEYS "ep op n buf off len sges lkey laddr lmr rkey raddr roff imm inv " \
		     "add mask cmp swap cmask smask signal fence se inline more abort timeout"

int xt_post_command(struct xt_session *s, struct xt_args *a);
int xt_probe_command(struct xt_session *s, struct xt_args *a);
int xt_wr_command(struct xt_session *s, struct xt_args *a);
int xt_recv_command(struct xt_session *s, struct xt_args *a);

#endif
