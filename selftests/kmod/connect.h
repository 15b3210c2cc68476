/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_CONNECT_H
#define XT_CONNECT_H

struct xt_args;
struct xt_session;

int xt_listen_command(struct xt_session *s, struct xt_args *a);
int xt_connect_command(struct xt_session *s, struct xt_args *a);
int xt_setup_command(struct xt_session *s, struct xt_args *a);
int xt_accept_command(struct xt_session *s, struct xt_args *a);
int xt_reject_command(struct xt_session *s, struct xt_args *a);
int xt_disconnect_command(struct xt_session *s, struct xt_args *a);
int xt_close_command(struct xt_session *s, struct xt_args *a);
int xt_wait_command(struct xt_session *s, struct xt_args *a);

#endif
