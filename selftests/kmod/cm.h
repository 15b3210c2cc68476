/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_CM_H
#define XT_CM_H

#include <linux/types.h>

struct rdma_cm_event;
struct rdma_cm_id;
struct xt_ep;
struct xt_session;

int xt_cm_init(void);
void xt_cm_exit(void);
int xt_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event);
bool xt_cm_pump(struct xt_session *s);
void xt_cm_pump_later(struct xt_session *s, unsigned long delay);
int xt_cm_accept(struct xt_ep *ep);
int xt_cm_reject(struct xt_ep *ep);

#endif
