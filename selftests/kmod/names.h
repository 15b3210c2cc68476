/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_NAMES_H
#define XT_NAMES_H

#include <linux/types.h>

struct xt_session;

/*
 * Get the name of an enumerator of verbs, without the common prefix of its enum. A value without a
 * name is printed as "unknown(N)".
 */
const char *xt_wc_status_name(unsigned int status, char *buf, size_t len);
const char *xt_wc_opcode_name(unsigned int opcode, char *buf, size_t len);
const char *xt_cm_event_name(unsigned int event, char *buf, size_t len);
const char *xt_ib_event_name(unsigned int event, char *buf, size_t len);
const char *xt_qp_state_name(unsigned int state, char *buf, size_t len);
const char *xt_atomic_cap_name(unsigned int cap, char *buf, size_t len);

int xt_ib_event_value(const char *name);
int xt_qp_state_value(const char *name);
int xt_wr_opcode_value(const char *name);

#endif
