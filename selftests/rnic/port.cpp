// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The port of the RNIC, without a function.
#include "host/port.hpp"
#include "host/socket.hpp"
#include "limits.hpp"

#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>

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
