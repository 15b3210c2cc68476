// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// xiw-rnic: the RNIC of docs/rnic.md as a PCI function, for QEMU's vfio-user-pci.
#include "bus/server.hpp"
#include "function.hpp"
#include "hangup.hpp"
#include "host/ready.hpp"
#include "limits.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

namespace {

using xiw::rnic::Descriptor;
using xiw::rnic::Hangup;

[[noreturn]] void fail(const std::string &what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// Raise the limit of open files. Each connection and each address of a listener needs a descriptor.
void raise_descriptor_limit() {
    rlimit limit{};

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// Create a socket that listens at a path. The socket gets the path only after listen(), so that a
// client that finds the path can connect. The permissions of the path limit who can connect.
Descriptor listen_at(const std::string &path) {
    const std::string made = path + "~";
    sockaddr_un name{};

    if (made.size() >= sizeof(name.sun_path)) {
        errno = ENAMETOOLONG;
        fail(path);
    }
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, made.c_str(), made.size() + 1);
    Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    unlink(made.c_str());
    if (!listener ||
        bind(listener.get(), reinterpret_cast<const sockaddr *>(&name), sizeof(name)) != 0 ||
        listen(listener.get(), 1) != 0 || std::rename(made.c_str(), path.c_str()) != 0)
        fail(path);
    return listener;
}

// Serve one client after the other. Each client finds the function in its power-on state.
void serve(const Descriptor &listener, xiw::rnic::Function &function, bool once) {
    const Hangup hangup(listener.get());

    do {
        Descriptor client = xiw::rnic::next_client(listener);
        if (!client)
            break;
        Hangup::serving(client.get());
        xiw::rnic::bus::Server server(std::move(client), function);
        server.serve();
        Hangup::serving(-1);
    } while (!once && !Hangup::asked());
}

int run(int argc, char **argv) {
    CLI::App app{"The RNIC of docs/rnic.md as a PCI function, for QEMU's vfio-user-pci"};
    xiw::rnic::Function::Settings settings;
    std::string path;
    std::string pcap;
    std::vector<std::string> faults;
    uint32_t seed = 1;
    bool once = false;

    app.add_option("--socket", path, "path to which QEMU connects")->required()->type_name("PATH");
    app.add_option("--netdev", settings.interface, "interface of the host, the RNIC's port");
    app.add_option("--vectors", settings.vectors, "MSI-X vectors and event rings")
        ->check(CLI::Range(1U, unsigned{xiw::rnic::max_vectors}))
        ->capture_default_str();
    app.add_option("--pcap", pcap, "write the traffic of the RNIC to this file")->type_name("FILE");
    app.add_option(
           "--fault", faults,
           "misbehave: enable, doorbell, delay=MS, completion[=STATUS], phase, garbage, flood,\n"
           "stop, interrupt, link, mtu=OCTETS, mute, heart, ghost, early, outcome, stopped or\n"
           "first, at the Nth occasion, with + also at all later occasions; burst=N writes N\n"
           "events at a time, fuzz=ODDS mangles one in ODDS structures, both from the Nth\n"
           "occasion on")
        ->type_name("KIND[=VALUE][@N[+]]");
    app.add_option("--seed", seed, "seed of fuzz")->capture_default_str();
    app.add_flag("--once", once, "exit when the first client disconnects");
    CLI11_PARSE(app, argc, argv);
    std::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    std::optional<xiw::rnic::host::Capture> capture;
    if (!pcap.empty())
        settings.capture = &capture.emplace(pcap);
    settings.faults.seed(seed);
    for (const std::string &spec : faults)
        settings.faults.add(spec);
    std::optional<xiw::rnic::Function> function;
    {
        const xiw::rnic::SignalsBlocked blocked;
        function.emplace(settings);
    }
    const Descriptor listener = listen_at(path);
    xiw::rnic::host::report_ready();
    serve(listener, *function, once);
    unlink(path.c_str());
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "xiw-rnic: %s\n", error.what());
        return 1;
    }
}
