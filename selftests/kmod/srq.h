/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_SRQ_H
#define XT_SRQ_H

#include <linux/types.h>

struct xt_args;
struct xt_dev;
struct xt_session;

int xt_srq_make(struct xt_dev *d, u32 max_wr, u32 max_sge);
void xt_srq_destroy(struct xt_dev *d);
int xt_srq_command(struct xt_session *s, struct xt_args *a);

#endif
