// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Find the devices that require encryption, the connections that they have refused, and whether
// their interfaces encrypt. Only the administrator can read IPsec policies, so the effect of the
// policies is examined.
#include "doctor/doctor.hpp"
#include "doctor/driver.hpp"

#include "render/tables.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::doctor {

namespace {

// The driver's reason for a refusal.
constexpr const char *reason = "not encrypted";

bool requires_encryption(const ConfigSet &config) {
    return std::ranges::any_of(config.settings, [](const Configured &setting) {
        return setting.id == XIW_A_CONFIG_REQUIRE_ENCRYPTION &&
               setting.value != SettingValue(uint64_t{0});
    });
}

Demand demand_of(const std::string &device, const std::vector<Notice> &notices) {
    Demand demand{.device = device, .peer = ""};
    for (const Notice &notice : notices) {
        if (notice.device.name != device || notice.text != reason)
            continue;
        demand.refused++;
        if (notice.remote)
            demand.peer = render::address_word(notice.remote);
    }
    return demand;
}

// "DEVTYPE=wireguard"
bool is_type(const Host &host, const std::string &netdev, const std::string &type) {
    const std::string text = host.text("/sys/class/net/" + netdev + "/uevent").value_or("");
    return text.find("DEVTYPE=" + type) != std::string::npos;
}

Finding finding_of(const Host &host, const Demand &demand) {
    const std::string netdev = host.netdev_of(demand.device);
    const std::string macsec = "encrypt on, protect on, validate strict";

    if (demand.refused != 0)
        return {Verdict::warn,
                fmt::format("{} requires encryption and refused {} connections, the last with {}",
                            demand.device, demand.refused,
                            demand.peer.empty() ? "an unknown peer" : demand.peer),
                is_type(host, netdev, "macsec")
                    ? fmt::format("ip -d link show {}: must have {}", netdev, macsec)
                    : "ip xfrm policy must require ESP in both directions, the interface must be "
                      "WireGuard or MACsec, or both ends need tls=require (encryption.md)"};
    if (is_type(host, netdev, "wireguard"))
        return {Verdict::pass,
                fmt::format("{} requires encryption, and {} is WireGuard", demand.device, netdev),
                ""};
    if (is_type(host, netdev, "macsec"))
        return {Verdict::pass,
                fmt::format("{} requires encryption, and {} is MACsec", demand.device, netdev),
                fmt::format("ip -d link show {} shows whether it has {}", netdev, macsec)};
    return {Verdict::pass,
            fmt::format("{} requires encryption, by {} or by IPsec", demand.device,
                        netdev.empty() ? "its interface" : "what is below " + netdev),
            "ip xfrm policy shows whether ESP is required (encryption.md)"};
}

} // namespace

std::vector<Demand> encryption_demands() {
    return ask([](Collector &collector) {
        std::vector<Demand> list;
        collector.notices();
        const auto &notices = collector.report().notices;
        for (const ConfigSet &config : collector.config())
            if (requires_encryption(config))
                list.push_back(
                    demand_of(config.device.name, notices.value_or(std::vector<Notice>())));
        return list;
    });
}

void check_encryption(const Host &host, Findings &found) {
    const std::vector<Demand> list = host.demands ? host.demands() : std::vector<Demand>();

    for (const Demand &demand : list)
        found.push_back(finding_of(host, demand));
    if (list.empty())
        found.push_back({Verdict::pass, "no device requires encryption", ""});
}

} // namespace xiw::doctor
