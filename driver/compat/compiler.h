/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_COMPILER_H
#define XIW_COMPAT_COMPILER_H

/*
 * For large variables in hot paths. The function must write the variable before reading it. With
 * CONFIG_INIT_STACK_ALL_ZERO, the function would clear the variable on each call, even if the call
 * does not use it.
 */
#ifndef __uninitialized
#if !defined(__CHECKER__) && __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

#endif
