/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Force-included in every file of the driver except the portable core. This header supplies what an
 * older kernel lacks, with the API of the newest kernel, so that the driver needs only one version.
 * The compile probes define HAVE_*.
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
