/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Generic netlink family "xiw", specified in uapi/netlink/xiw.yaml. */
#ifndef XIW_NL_H
#define XIW_NL_H

int xiw_nl_init(void);
void xiw_nl_exit(void);

#endif
