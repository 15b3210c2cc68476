// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A kernel in lockdown (Secure Boot) loads only signed modules.
#include "doctor/doctor.hpp"

namespace xiw::doctor {

namespace {

constexpr const char *dkms_key = "/var/lib/dkms/mok.pub"; // signing key of DKMS

} // namespace

void check_lockdown(const Host &host, Findings &found) {
    const auto lockdown = host.text("/sys/kernel/security/lockdown");

    // The current mode is in brackets.
    if (!lockdown || lockdown->find("[none]") != std::string::npos)
        found.push_back({Verdict::pass, "modules do not need a signature", ""});
    else if (host.is("/sys/module/xiw"))
        found.push_back(
            {Verdict::pass, "the kernel is in lockdown and has accepted the module", ""});
    else
        found.push_back({Verdict::warn, "the kernel is in lockdown: the module must be signed",
                         host.is(dkms_key) ? std::string("mokutil --import ") + dkms_key
                                           : "mokutil --import MOK.der (install.md, Secure Boot)"});
}

} // namespace xiw::doctor
