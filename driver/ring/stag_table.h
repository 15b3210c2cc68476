/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The STag table.
 *
 * STag = index << 8 | key. The table consists of chunks of memory that the RNIC can access. The
 * table grows, and never shrinks while the device exists. Only the RNIC writes an entry while the
 * entry is VALID.
 */
#ifndef XIW_STAG_TABLE_H
#define XIW_STAG_TABLE_H

#include <rdma/ib_verbs.h>
#include <rnic/xiw_rnic.h>

#include "core/stag.h"

struct xiw_device;

/**
 * xiw_stag_give - allocate a table entry for an object and pass it to the RNIC
 * @dev: device
 * @ibpd: PD of the object
 * @entry: contents of the entry, except PD and key
 * @stag: result: the allocated STag, with a random key
 * @share: result: user that is charged, for xiw_stag_take()
 *
 * Context: process.
 *
 * Return: 0 or an errno; -EAGAIN if the user's share is used up.
 */
int xiw_stag_give(struct xiw_device *dev, struct ib_pd *ibpd,
		  const struct xiw_stag_entry *entry, u32 *stag, u32 *share);

/*
 * Clear the entry of an STag and free the index. The key of the STag is ignored. @share: user that
 * was charged. Process context.
 */
void xiw_stag_take(struct xiw_device *dev, u32 stag, u32 share);

/*
 * Write an entry, which must not be VALID. This function sets the PD and the key. Process context.
 * Return: 0 or an errno.
 */
int xiw_stag_set(struct xiw_device *dev, struct ib_pd *ibpd, u32 stag,
		 const struct xiw_stag_entry *entry);

/*
 * Clear the entry of an STag. The key of the STag is ignored. On return, no placement or fetch uses
 * the entry. Process context.
 */
void xiw_stag_clear(struct xiw_device *dev, u32 stag);

/*
 * A copy of an STag table entry, in the form that core/stag.h checks. The state is FREE if the
 * entry does not exist.
 */
struct xiw_stag_found {
	struct xiw_stag_view view;
	struct xiw_stag_view region;	/* if view is an MW: the entry of its MR */
};

/**
 * xiw_stag_find - look up an STag that the peer names
 * @dev: device
 * @stag: STag
 * @found: result
 *
 * Context: any. The entry may change at any time. The RNIC checks the entry again when it uses the
 * STag.
 */
void xiw_stag_find(struct xiw_device *dev, u32 stag, struct xiw_stag_found *found);

#endif
