// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Memory that user space registers is pinned, and counts against this limit.
#include "doctor/doctor.hpp"

#include <limits>

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

constexpr uint64_t little = 64U << 20;

} // namespace

void check_memlock(const Host &host, Findings &found) {
    if (host.memlock == std::numeric_limits<uint64_t>::max())
        found.push_back({Verdict::pass, "locked memory has no limit", ""});
    else if (host.memlock < little)
        found.push_back({Verdict::warn,
                         fmt::format("locked memory is limited to {} KiB: ibv_reg_mr will soon "
                                     "fail with ENOMEM",
                                     host.memlock / 1024),
                         "ulimit -l unlimited (in a unit: LimitMEMLOCK=infinity)"});
    else
        found.push_back({Verdict::pass,
                         fmt::format("locked memory is limited to {} MiB", host.memlock >> 20),
                         ""});
}

} // namespace xiw::doctor
