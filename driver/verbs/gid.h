/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The GID table of a device (docs/architecture.md, "GIDs"). ib_core caches the table. While the
 * setting "connect-by-number" is on, the table contains the addresses of the interface. An address
 * keeps its index until the address is removed from the interface or the setting is turned off.
 *
 * Only the work item of the table changes xiw_device.gids. The work item reads the current
 * addresses of the interface, so the order of address events does not matter.
 */
#ifndef XIW_GID_H
#define XIW_GID_H

#include "xiw.h"

#define XIW_GID_NAME 0				/* fe80:: and the node GUID */
#define XIW_GID_FIRST 1				/* first address of the interface */
#define XIW_GID_MAC (XIW_GID_FIRST + XIW_GID_ADDRESSES)
#define XIW_GIDS (XIW_GID_MAC + 1)

void xiw_gids_init(struct xiw_device *dev);

/* Queue an update of the table after the addresses of the interface have changed. Any context. */
void xiw_gids_changed(struct xiw_device *dev);

/*
 * Update the table from the current addresses and setting. If the table changes, notify ib_core.
 * Process context.
 */
void xiw_gids_update(struct xiw_device *dev);

int xiw_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid);

#endif
