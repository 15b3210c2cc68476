/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_CPUFEATURE_H
#define XIW_SHIM_CPUFEATURE_H

#define X86_FEATURE_XMM4_2 "sse4.2"

#define boot_cpu_has(feature) (__builtin_cpu_supports(feature) != 0)

#endif
