/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_COMPILER_H
#define XIW_SHIM_COMPILER_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* In the kernel, the configuration defines this macro. */
#if defined(__x86_64__)
#define CONFIG_X86_64 1
#endif

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/* Prevent the compiler from computing the value again or reading it from memory again. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "=r"(var) : "0"(var))

/* This attribute only silences a warning. Old versions of clang do not support it. */
#if defined(__has_attribute)
#if __has_attribute(nonstring)
#define __nonstring __attribute__((nonstring))
#endif
#endif
#ifndef __nonstring
#define __nonstring
#endif

#endif
