/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_UNALIGNED_H
#define XIW_SHIM_UNALIGNED_H

#include <endian.h>
#include <string.h>
#include <linux/types.h>

#define XIW_SHIM_UNALIGNED(order, bits) \
	static inline u##bits get_unaligned_##order##bits(const void *p) \
	{ \
		u##bits v; \
		memcpy(&v, p, sizeof(v)); \
		return order##bits##toh(v); \
	} \
	static inline void put_unaligned_##order##bits(u##bits v, void *p) \
	{ \
		v = hto##order##bits(v); \
		memcpy(p, &v, sizeof(v)); \
	}

XIW_SHIM_UNALIGNED(be, 16)
XIW_SHIM_UNALIGNED(be, 32)
XIW_SHIM_UNALIGNED(be, 64)
XIW_SHIM_UNALIGNED(le, 16)
XIW_SHIM_UNALIGNED(le, 32)
XIW_SHIM_UNALIGNED(le, 64)

#undef XIW_SHIM_UNALIGNED

#endif
