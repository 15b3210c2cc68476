/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The commands `rdma link add NAME type xiw netdev IF` and `rdma link del NAME`. */
#ifndef XIW_LINK_H
#define XIW_LINK_H

void xiw_link_init(void);
void xiw_link_exit(void);

#endif
