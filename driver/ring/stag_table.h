/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The STag table.
 *
 * STag = index << 8 | key. The table lives in chunks of memory that the RNIC can
 * master; it grows and never shrinks while the device lives. While an entry is
 * VALID only the RNIC writes it.
 */
#ifndef XIW_STAG_TABLE_H
#define XIW_STAG_TABLE_H

#include <rdma/ib_verbs.h>
#include <rnic/xiw_rnic.h>

#include "core/stag.h"

struct xiw_device;

/**
 * xiw_stag_give - find an entry for an object and make it known to the RNIC
 * @dev: device
 * @ibpd: its PD
 * @entry: all but PD and key
 * @stag: the STag it gets, of a random key
 * @share: whose share of the table it takes, for xiw_stag_take()
 *
 * Context: process. Return: 0 or an errno; -EAGAIN: the user has a share's worth.
 */
int xiw_stag_give(struct xiw_device *dev, struct ib_pd *ibpd,
		  const struct xiw_stag_entry *entry, u32 *stag, u32 *share);

/* Give it back, whatever its key; as xiw_stag_clear(). */
void xiw_stag_take(struct xiw_device *dev, u32 stag, u32 share);

/* Write an entry that is not valid: all but PD and key of @entry. Return: 0 or an errno. */
int xiw_stag_set(struct xiw_device *dev, struct ib_pd *ibpd, u32 stag,
		 const struct xiw_stag_entry *entry);

/* Whatever its key. On return no placement or fetch uses the entry any more. */
void xiw_stag_clear(struct xiw_device *dev, u32 stag);

/* An entry of the STag table as the checks of the core want it. */
struct xiw_stag_found {
	struct xiw_stag_view view;
	struct xiw_stag_view parent;	/* of a window */
	bool present, has_parent;
};

/**
 * xiw_stag_find - look up an STag that the peer names
 * @dev: device
 * @stag: STag
 * @found: filled in
 *
 * Context: any. A look from above the wall: the RNIC checks again when it acts.
 */
void xiw_stag_find(struct xiw_device *dev, u32 stag, struct xiw_stag_found *found);

#endif
