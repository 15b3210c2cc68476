// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The functions of libxiwdv, for the parts of RFC 7306 that libibverbs does not support. libxiwdv
// is also the provider of xiw devices, so libibverbs has loaded it before a xiw device is open. The
// program uses the loaded library and does not link it. So the program cannot load a second
// instance of another version.
#ifndef XIW_TRAFFIC_VERBS_DIRECT_HPP
#define XIW_TRAFFIC_VERBS_DIRECT_HPP

#include <xiwdv.h>

namespace xiw::traffic {

struct Direct {
    decltype(&xiwdv_is_supported) is_supported;
    decltype(&xiwdv_query_device) query_device;
    decltype(&xiwdv_wr_masked_fetch_add) masked_fetch_add;
    decltype(&xiwdv_wr_masked_cmp_swp) masked_cmp_swp;
    decltype(&xiwdv_wr_rdma_write_imm64) write_imm64;
    decltype(&xiwdv_poll_cq) poll_cq;
};

// Get the direct verbs of a device; null if it is not a device of xiw.
const Direct *direct(ibv_device *device);

} // namespace xiw::traffic

#endif
