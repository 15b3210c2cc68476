// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// All headers of the core, for C++. The headers that the core includes come first, so that they are
// outside of extern "C".
#pragma once

#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <rnic/xiw_rnic.h>

#include <algorithm>

extern "C" {
#include <core/atomic.h>
#include <core/crc32c.h>
#include <core/ddp.h>
#include <core/ddp_header.h>
#include <core/deframe.h>
#include <core/fault.h>
#include <core/fpdu.h>
#include <core/frame.h>
#include <core/irrq.h>
#include <core/mpa.h>
#include <core/mpa_frame.h>
#include <core/number.h>
#include <core/opcode.h>
#include <core/orq.h>
#include <core/rdmap.h>
#include <core/receive.h>
#include <core/segment.h>
#include <core/send.h>
#include <core/setup.h>
#include <core/solicited.h>
#include <core/stag.h>
#include <core/state.h>
#include <core/term.h>
#include <core/types.h>
#include <core/wire.h>
}
