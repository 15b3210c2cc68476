// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The one place where the tracepoints are made. */
#define CREATE_TRACE_POINTS
#include "diag/trace.h"
