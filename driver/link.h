/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The command `rdma link add NAME type xiw netdev IF`. ib_core itself executes `rdma link del`. */
#ifndef XIW_LINK_H
#define XIW_LINK_H

void xiw_link_init(void);
void xiw_link_exit(void);

#endif
