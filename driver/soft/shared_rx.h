/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Receive buffers: private rings, shared rings, and the streams that wait for a receive. */
#ifndef XIW_SOFT_SHARED_RX_H
#define XIW_SOFT_SHARED_RX_H

#include "soft/stream.h"

int xiw_soft_shared_rx_create(struct xiw_soft *soft, u32 index, const struct xiw_adm_ring *ring);
int xiw_soft_shared_rx_destroy(struct xiw_soft *soft, u32 index);
void xiw_soft_shared_rx_free(struct xiw_soft *soft);
void xiw_soft_shared_rx_rung(struct xiw_soft *soft, u32 index);

/*
 * Take the next receive. Socket lock. Return: false if none is available; the next post then rings
 * a doorbell.
 */
bool xiw_soft_receive_take(struct xiw_soft_stream *s);
void xiw_soft_receive_unpark(struct xiw_soft_stream *s);

#endif
