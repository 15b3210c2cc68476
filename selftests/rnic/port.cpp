// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The port of the RNIC, without a function.
#include "host/port.hpp"

#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>

using namespace xiw::rnic;

namespace {

// No descriptor can be opened during its lifetime.
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
