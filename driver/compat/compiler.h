/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_COMPILER_H
#define XIW_COMPAT_COMPILER_H

/*
 * Attribute for large local variables in hot paths. With CONFIG_INIT_STACK_ALL_ZERO, a function
 * clears its variables on each call, even if the call does not use them. The attribute prevents
 * this, so the function must write the variable before it reads the variable.
 */
#ifndef __uninitialized
#if !defined(__CHECKER__) && __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

#endif
