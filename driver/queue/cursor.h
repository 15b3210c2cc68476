/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Positions in rings of the driver. The length of these rings is not rounded up to a power of two,
 * because rounding could double their memory.
 */
#ifndef XIW_CURSOR_H
#define XIW_CURSOR_H

#include <linux/types.h>

struct xiw_cursor {
	u32 index;		/* free-running */
	u32 slot;		/* slot of the index, less than the length of the ring */
};

static inline void xiw_cursor_advance(struct xiw_cursor *cursor, u32 length)
{
	cursor->index++;
	if (++cursor->slot == length)
		cursor->slot = 0;
}

#endif
