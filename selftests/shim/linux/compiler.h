/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_COMPILER_H
#define XIW_SHIM_COMPILER_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* clang learned the attribute late; it only silences a warning. */
#if defined(__has_attribute)
#if __has_attribute(nonstring)
#define __nonstring __attribute__((nonstring))
#endif
#endif
#ifndef __nonstring
#define __nonstring
#endif

#endif
