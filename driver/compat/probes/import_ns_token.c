// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.13: MODULE_IMPORT_NS takes a string; this asks for the old bare word
#include <linux/module.h>

MODULE_IMPORT_NS(XIW_BARE_WORD);
