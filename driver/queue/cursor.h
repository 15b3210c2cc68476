/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Places in a ring of our own, as long as was asked for: a power of two of entries costs
 * up to twice the memory.
 */
#ifndef XIW_CURSOR_H
#define XIW_CURSOR_H

#include <linux/types.h>

struct xiw_cursor {
	u32 index;		/* free running; differences of two count entries */
	u32 slot;		/* where that is, below the length of the ring */
};

static inline void xiw_cursor_advance(struct xiw_cursor *cursor, u32 length)
{
	cursor->index++;
	if (++cursor->slot == length)
		cursor->slot = 0;
}

#endif
