/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_MODEL_H
#define XT_MODEL_H

#include <linux/types.h>

/*
 * Compute the result of an atomic as in RFC 7306 section 5.1, bit by bit. Tests compare the results
 * of drivers with this model, so the model shares no code with the drivers.
 */
u64 xt_model_fetch_add(u64 original, u64 add, u64 mask);
u64 xt_model_cmp_swap(u64 original, u64 cmp, u64 cmask, u64 swap, u64 smask);

#endif
