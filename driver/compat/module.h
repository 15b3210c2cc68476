/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Modules, trace macros, small things. */
#ifndef XIW_COMPAT_MODULE_H
#define XIW_COMPAT_MODULE_H

#include <linux/module.h>
#include <linux/random.h>

#ifdef HAVE_IMPORT_NS_TOKEN
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns)	MODULE_INFO(import_ns, ns)
#endif

/* The one-argument __assign_str() keeps the source it was declared with. */
#ifdef HAVE_ASSIGN_STR_ONE
#define XIW_ASSIGN_STR(dst, src)	__assign_str(dst)
#else
#define XIW_ASSIGN_STR(dst, src)	__assign_str(dst, src)
#endif

#ifndef HAVE_RANDOM_BELOW
#include <linux/prandom.h>
#define get_random_u32_below(ceil)	prandom_u32_max(ceil)
#endif

#endif
