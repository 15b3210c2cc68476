/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Force-included in every file of the driver but the portable core. What an
 * older kernel lacks is supplied here, in the shape of the newest one, so that
 * the driver itself is written once. HAVE_* come from the compile probes.
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
#include "device.h"
#include "ops.h"
#include "udata.h"

#endif
