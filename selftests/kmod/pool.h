/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_POOL_H
#define XT_POOL_H

struct xt_args;
struct xt_session;

int xt_pool_command(struct xt_session *s, struct xt_args *a);

#endif
