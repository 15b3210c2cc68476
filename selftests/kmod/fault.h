/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Planted bugs that a debug kernel must report. They are harmless on other kernels. */
#ifndef XT_FAULT_H
#define XT_FAULT_H

struct xt_args;
struct xt_session;

int xt_leak_command(struct xt_session *s, struct xt_args *a);
int xt_stale_command(struct xt_session *s, struct xt_args *a);
int xt_inversion_command(struct xt_session *s, struct xt_args *a);
int xt_race_command(struct xt_session *s, struct xt_args *a);

#endif
