// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Check the devices that require encryption or use TLS: whether they have refused connections,
// whether the agent for TLS handshakes runs, and whether the interface of the device encrypts. The
// check does not read IPsec policies, because only the administrator can read them, and any user
// may run the check.
#include "doctor/doctor.hpp"
#include "doctor/driver.hpp"

#include "render/tables.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::doctor {

namespace {

// The text of an event that reports a connection as refused or ended because no layer encrypts it.
constexpr const char *reason = "not encrypted";

uint64_t number_of(const ConfigSet &config, uint16_t id) {
    for (const Configured &setting : config.settings)
        if (const auto *number = std::get_if<uint64_t>(&setting.value); setting.id == id && number)
            return *number;
    return 0;
}

Demand demand_of(const ConfigSet &config, const std::vector<Notice> &notices) {
    const std::string &device = config.device.name;
    Demand demand{.device = device,
                  .tls = number_of(config, XIW_A_CONFIG_TLS),
                  .required = number_of(config, XIW_A_CONFIG_REQUIRE_ENCRYPTION) != 0,
                  .peer = ""};
    for (const Notice &notice : notices) {
        if (notice.device.name != device || notice.text != reason)
            continue;
        demand.refused++;
        if (notice.remote)
            demand.peer = render::address_word(notice.remote);
    }
    return demand;
}

// Returns true if the interface has the given type. The file uevent contains the type, for example
// "DEVTYPE=wireguard".
bool is_type(const Host &host, const std::string &netdev, const std::string &type) {
    const std::string text = host.text("/sys/class/net/" + netdev + "/uevent").value_or("");
    return text.find("DEVTYPE=" + type) != std::string::npos;
}

// Format the number of refused connections. `why`: why the device refuses connections.
std::string refusals_word(const Demand &demand, const char *why) {
    return fmt::format("{} {} and refused {} connections, the last with {}", demand.device, why,
                       demand.refused, demand.peer.empty() ? "an unknown peer" : demand.peer);
}

// Returns true if tlshd, the agent for TLS handshakes, runs.
bool agent_runs(const Host &host) {
    return std::ranges::any_of(host.list("/proc"), [&host](const std::string &process) {
        return host.text("/proc/" + process + "/comm") == "tlshd";
    });
}

Finding finding_of_tls(const Host &host, const Demand &demand) {
    if (!agent_runs(host))
        return {Verdict::warn, fmt::format("{} uses TLS, but tlshd does not run", demand.device),
                "apt install ktls-utils; systemctl enable --now tlshd (encryption.md)"};
    if (demand.refused != 0)
        return {Verdict::warn, refusals_word(demand, "uses TLS"),
                "journalctl -u tlshd shows failed handshakes; both ends need the setting tls "
                "(encryption.md)"};
    if (demand.tls == XIW_NL_TLS_REQUIRE)
        return {Verdict::pass, fmt::format("{} requires TLS", demand.device), ""};
    return {Verdict::pass, fmt::format("{} accepts TLS", demand.device), ""};
}

Finding finding_of(const Host &host, const Demand &demand) {
    // With tls=accept, the device does not use TLS for connections that it initiates. If it
    // requires encryption, another layer must encrypt these connections.
    if (demand.tls == XIW_NL_TLS_REQUIRE || (demand.tls != XIW_NL_TLS_OFF && !demand.required))
        return finding_of_tls(host, demand);
    const std::string netdev = host.netdev_of(demand.device);
    const std::string macsec = "encrypt on, protect on, validate strict";

    if (demand.refused != 0)
        return {Verdict::warn, refusals_word(demand, "requires encryption"),
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
        for (const ConfigSet &config : collector.config()) {
            Demand demand = demand_of(config, notices.value_or(std::vector<Notice>()));
            if (demand.required || demand.tls != XIW_NL_TLS_OFF)
                list.push_back(std::move(demand));
        }
        return list;
    });
}

void check_encryption(const Host &host, Findings &found) {
    const std::vector<Demand> list = host.demands ? host.demands() : std::vector<Demand>();

    for (const Demand &demand : list)
        found.push_back(finding_of(host, demand));
    if (list.empty())
        found.push_back({Verdict::pass, "no device requires encryption or uses TLS", ""});
}

} // namespace xiw::doctor
