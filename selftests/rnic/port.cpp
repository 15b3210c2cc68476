// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The port of the RNIC, without a function.
#include "host/port.hpp"
#include "host/socket.hpp"
#include "limits.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace xiw::rnic;

namespace {

// While an object of this class exists, the process cannot open any descriptor.
class NoDescriptors {
  public:
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{0, before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors &) = delete;
    NoDescriptors &operator=(const NoDescriptors &) = delete;
    NoDescriptors(NoDescriptors &&) = delete;
    NoDescriptors &operator=(NoDescriptors &&) = delete;

  private:
    rlimit before_{};
};

} // namespace

TEST_CASE("rnic: the link stays up while the process has no free descriptor") {
    host::Port port("lo");
    REQUIRE(port.up());
    const NoDescriptors none;
    CHECK_FALSE(port.refresh());
    CHECK(port.up());
}

TEST_CASE("rnic: connections leave descriptors to the bus") {
    host::Socket listener, peer, accepted, refused;
    xiw_addr local{}, remote{};
    rlimit before{};

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
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{static_cast<rlim_t>(next.get()) + 32, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    const int opened = refused.open(4);
    const int taken = listener.accept(accepted);
    const Descriptor other(dup(0));
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(opened == -EMFILE);
    CHECK_FALSE(refused);
    CHECK(taken == -EMFILE);
    CHECK_FALSE(accepted);
    CHECK(other.get() >= 0);
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
    CHECK(port.add(address) == 0); // the port has it already
    address.addr.addr[1] = 1;
    CHECK(host::status_of(port.add(address)) == XIW_ERR_NOMEM);
    CHECK_FALSE(port.has(host::address_of(address.addr)));
    address.addr.addr[1] = 0;
    CHECK(port.remove(address) == 0);
    address.addr.addr[1] = 1;
    CHECK(port.add(address) == 0);
}
