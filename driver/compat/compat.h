/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The build force-includes this header in each file of the driver, except in core/. The header
 * supplies the API of the newest kernel on older kernels, so the driver has only one version of its
 * code. The compile probes define HAVE_*.
 */
#ifndef XIW_COMPAT_H
#define XIW_COMPAT_H

#ifndef HAVE_SANE
#error "compat/config.h is missing: build with make, which runs compat/probe.sh"
#endif

#include "compiler.h"
#include "base.h"
#include "netdev.h"
#include "netlink.h"
#include "sock.h"
#include "tls.h"
#include "device.h"
#include "ops.h"
#include "udata.h"

#endif
