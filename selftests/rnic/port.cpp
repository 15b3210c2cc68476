// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The RNIC's port to the network, without a PCI function.
#include "host/port.hpp"
#include "file_limit.hpp"
#include "host/socket.hpp"
#include "limits.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace xiw::rnic;

TEST_CASE("rnic: the link stays up while the process has no free descriptor") {
    host::Port port("lo");
    REQUIRE(port.up());
    const xiw::test::FileLimit none(0);
    CHECK_FALSE(port.refresh());
    CHECK(port.up());
}

TEST_CASE("rnic: connections leave descriptors to the bus") {
    host::Socket listener, peer, accepted, refused;
    xiw_addr local{}, remote{};

    local.family = 4;
    local.addr[0] = 127;
    local.addr[3] = 1;
    REQUIRE(listener.open(4) == 0);
    REQUIRE(listener.bind(local) == 0);
    REQUIRE(listener.listen(4) == 0);
    listener.addresses(local, remote);
    REQUIRE(peer.open(4) == 0);
    REQUIRE(peer.connect(local) == -EINPROGRESS);
    const Descriptor next(dup(0));
    std::optional<xiw::test::FileLimit> few(std::in_place, static_cast<rlim_t>(next.get()) + 32);
    REQUIRE(few->reached());
    const int opened = refused.open(4);
    const int taken = listener.accept(accepted);
    const Descriptor other(dup(0));
    few.reset();
    CHECK(opened == -EMFILE);
    CHECK_FALSE(refused);
    CHECK(taken == -EMFILE);
    CHECK_FALSE(accepted);
    CHECK(other.get() >= 0);
}

TEST_CASE("rnic: a port removes the addresses that an ended process has left") {
    std::string wrong;
    // Use a thread with its own network namespace. The namespace ends with the thread.
    std::thread([&] {
        const auto has = [](u32 address) {
            const Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            sockaddr_in name{};
            name.sin_family = AF_INET;
            name.sin_addr.s_addr = htonl(address);
            return bind(fd.get(), reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0;
        };
        ifreq up{};
        xiw_adm_addr v4{}, v6{};
        if (unshare(CLONE_NEWNET) != 0) {
            wrong = "no namespace";
            return;
        }
        std::strcpy(up.ifr_name, "lo");
        up.ifr_flags = IFF_UP;
        const Descriptor fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (ioctl(fd.get(), SIOCSIFFLAGS, &up) != 0)
            wrong += "up ";
        v4.addr.family = 4;
        v4.addr.addr[0] = 10;
        v4.addr.addr[3] = 7;
        v4.prefix = 24;
        v6.addr.family = 6;
        v6.addr.addr[0] = 0xfe;
        v6.addr.addr[1] = 0x80;
        v6.addr.addr[15] = 7;
        v6.prefix = 64;
        {
            host::Port port("lo");
            if (port.add(v4) != 0 || port.add(v6) != 0 || !has(0x0a000007))
                wrong += "add ";
        }
        host::Port port("lo");
        if (has(0x0a000007))
            wrong += "IPv4 stays ";
        std::ifstream file("/proc/thread-self/net/if_inet6");
        const std::string all((std::istreambuf_iterator<char>(file)), {});
        if (all.find("fe80000000000000") != std::string::npos)
            wrong += "IPv6 stays ";
        if (!has(INADDR_LOOPBACK))
            wrong += "loopback address removed ";
        // The second port can add the addresses again.
        if (port.add(v4) != 0 || port.add(v6) != 0 || !has(0x0a000007))
            wrong += "add again ";
    }).join();
    if (wrong == "no namespace")
        SKIP("needs CAP_SYS_ADMIN");
    INFO(wrong);
    CHECK(wrong.empty());
}

TEST_CASE("rnic: the port has a limited number of addresses") {
    host::Port port("");
    xiw_adm_addr address{};
    address.addr.family = 4;
    address.addr.addr[0] = 10;
    address.prefix = 32;
    for (u32 i = 0; i < max_addresses; i++) {
        address.addr.addr[3] = static_cast<u8>(i);
        REQUIRE(port.add(address) == 0);
    }
    CHECK(port.add(address) == 0); // the port already has this address
    address.addr.addr[1] = 1;
    CHECK(host::status_of(port.add(address)) == XIW_ERR_NOMEM);
    CHECK_FALSE(port.has(host::address_of(address.addr)));
    address.addr.addr[1] = 0;
    CHECK(port.remove(address) == 0);
    address.addr.addr[1] = 1;
    CHECK(port.add(address) == 0);
}
