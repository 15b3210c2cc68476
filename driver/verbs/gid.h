/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The GID table of a device (docs/architecture.md, "GIDs"). ib_core caches the table. While
 * connect-by-number is on, the table has the addresses of the interface. An address keeps its index
 * until it is removed.
 *
 * Only the work item of the table changes xiw_device.gids. The work item reads the current
 * addresses of the interface, so the order of events does not matter.
 */
#ifndef XIW_GID_H
#define XIW_GID_H

#include "xiw.h"

#define XIW_GID_NAME 0				/* the link-local address of the GUID */
#define XIW_GID_FIRST 1				/* the first address */
#define XIW_GID_MAC (XIW_GID_FIRST + XIW_GID_ADDRESSES)
#define XIW_GIDS (XIW_GID_MAC + 1)

void xiw_gids_init(struct xiw_device *dev);

/* Update the table later, because the addresses of the interface have changed. Any context. */
void xiw_gids_changed(struct xiw_device *dev);

/* Read the addresses and the setting now, and notify ib_core. Process context. */
void xiw_gids_update(struct xiw_device *dev);

int xiw_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid);

#endif
