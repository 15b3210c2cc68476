/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_STRING_H
#define XIW_SHIM_STRING_H

#include <string.h>

#endif
