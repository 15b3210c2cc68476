// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Latencies depend on the clock source, and reading a slow one is expensive.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

void check_clock(const Host &host, Findings &found) {
    const std::string clock =
        host.text("/sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("");

    if (clock == "hpet" || clock == "acpi_pm" || clock == "jiffies" || clock == "refined-jiffies")
        found.push_back({Verdict::warn, fmt::format("the clock source is {}, which is slow", clock),
                         "boot with clocksource=tsc, if the machine's TSC is reliable"});
    else
        found.push_back({Verdict::pass,
                         fmt::format("the clock source is {}", clock.empty() ? "unknown" : clock),
                         ""});
}

} // namespace xiw::doctor
