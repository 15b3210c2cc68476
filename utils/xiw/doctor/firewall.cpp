// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An iWARP connection is a TCP connection to the port of its service: does nft accept it? Only
// listening services are checked, by the socket of the software RNIC. Packets to a PCIe RNIC do
// not pass the firewall of this machine.
#include "doctor/doctor.hpp"
#include "doctor/ruleset.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace xiw::doctor {

namespace {

struct Service {
    uint16_t port;
    const char *name;
};

constexpr Service services[] = {{4420, "NVMe-oF"}, {5445, "SMB Direct"}, {20049, "NFS/RDMA"}};

constexpr size_t ruleset_most = 64U << 20;

// "   0: 00000000:1144 00000000:0000 0A ...": port and state of a socket
bool listens(const Host &host, uint16_t port) {
    const std::string wanted = fmt::format(":{:04X}", port);
    for (const char *file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(host.text(file).value_or(""));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string number;
            std::string local;
            std::string remote;
            std::string state;
            words >> number >> local >> remote >> state;
            if (state == "0A" && local.ends_with(wanted))
                return true;
        }
    }
    return false;
}

// Get all output of a program; empty if it fails.
std::optional<std::string> output_of(const char *program, std::vector<const char *> arguments) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::nullopt;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    arguments.insert(arguments.begin(), program);
    arguments.push_back(nullptr);
    pid_t child = 0;
    // The words are not modified: the signature of exec is historical.
    const int error = posix_spawn(&child, program, &actions, nullptr,
                                  const_cast<char *const *>(arguments.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);

    std::string text;
    std::array<char, 65536> part{};
    ssize_t got = 0;
    while (error == 0 && text.size() < ruleset_most &&
           (got = read(ends[0], part.data(), part.size())) > 0)
        text.append(part.data(), static_cast<size_t>(got));
    close(ends[0]);
    int status = 1;
    if (error != 0 || waitpid(child, &status, 0) != child || status != 0)
        return std::nullopt;
    return text;
}

void judge(const Service &service, const Gate &gate, Findings &found) {
    const char *does = gate.passage == Passage::closed        ? "drops"
                       : gate.passage == Passage::conditional ? "accepts some"
                                                              : "accepts";
    std::string text = fmt::format("nft: {} {} connections to {}, port {}", gate.chain, does,
                                   service.name, service.port);
    if (gate.passage == Passage::closed)
        found.push_back(
            {Verdict::warn, std::move(text),
             fmt::format("nft insert rule {} tcp dport {} accept", gate.chain, service.port)});
    else
        found.push_back({Verdict::pass, std::move(text), ""});
}

} // namespace

std::optional<std::string> nft_ruleset() {
    for (const char *program : {"/usr/sbin/nft", "/sbin/nft"})
        if (access(program, X_OK) == 0)
            return output_of(program, {"--json", "list", "ruleset"});
    return std::nullopt;
}

void check_firewall(const Host &host, Findings &found) {
    std::vector<Service> here;
    std::ranges::copy_if(services, std::back_inserter(here),
                         [&host](const Service &s) { return listens(host, s.port); });
    if (here.empty()) {
        found.push_back({Verdict::pass, "no listening service for a firewall to block", ""});
        return;
    }
    const auto ruleset = host.ruleset ? host.ruleset() : std::nullopt;
    if (!ruleset) {
        found.push_back({Verdict::pass, "nft is not available, or not permitted", ""});
        return;
    }
    try {
        const size_t before = found.size();
        for (const Service &service : here)
            for (const Gate &gate : gates(*ruleset, service.port))
                judge(service, gate, found);
        if (found.size() == before)
            found.push_back({Verdict::pass, "nft does not filter incoming packets", ""});
    } catch (const nlohmann::json::exception &) {
        found.push_back({Verdict::warn, "cannot parse the output of nft",
                         "nft list ruleset shows whether the ports of RDMA services are open"});
    }
}

} // namespace xiw::doctor
