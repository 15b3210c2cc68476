// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "doctor/doctor.hpp"

namespace xiw::doctor {

namespace {

struct Check {
    const char *name;
    void (*look)(const Host &host, Findings &found);
};

// Ordered by dependency.
constexpr Check checks[] = {
    {"module", check_module},     {"dkms", check_dkms},           {"lockdown", check_lockdown},
    {"device", check_device},     {"exporters", check_exporters}, {"mtu", check_mtu},
    {"firewall", check_firewall}, {"namespace", check_namespace}, {"uverbs", check_uverbs},
    {"provider", check_provider}, {"memlock", check_memlock},     {"cgroup", check_cgroup},
    {"clock", check_clock},
};

void name(Findings &found, size_t from, const char *check) {
    for (; from < found.size(); from++)
        found[from].check = check;
}

} // namespace

const char *verdict_word(Verdict verdict) {
    return verdict == Verdict::pass ? "pass" : verdict == Verdict::warn ? "warn" : "fail";
}

Findings examine(const Host &host, const std::string &peer) {
    Findings found;
    for (const Check &check : checks) {
        const size_t before = found.size();
        check.look(host, found);
        name(found, before, check.name);
    }
    if (!peer.empty()) {
        const size_t before = found.size();
        check_peer(host, peer, found);
        name(found, before, "peer");
    }
    return found;
}

} // namespace xiw::doctor
