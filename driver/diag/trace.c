// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Definitions of the tracepoints. */
#define CREATE_TRACE_POINTS
#include "diag/trace.h"
