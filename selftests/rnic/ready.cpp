// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/ready.hpp"

#include "bus/descriptor.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

namespace {

// Act as a service manager that listens at `path`, and return the notification. If `path` begins
// with @, it is an abstract socket name.
std::string notified(const std::string &path) {
    const xiw::rnic::Descriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    std::array<char, 64> message{};

    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof(name.sun_path) - 1);
    if (path.front() == '@')
        name.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    REQUIRE(bind(fd.get(), reinterpret_cast<const sockaddr *>(&name), size) == 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
    xiw::rnic::host::report_ready();
    unsetenv("NOTIFY_SOCKET");
    const auto length = recv(fd.get(), message.data(), message.size(), 0);
    return length < 0 ? "nothing" : std::string(message.data(), static_cast<size_t>(length));
}

} // namespace

TEST_CASE("the service manager is notified that QEMU can connect") {
    const std::string name = "xiw-ready-" + std::to_string(getpid());
    const std::string path = std::filesystem::temp_directory_path() / name;
    CHECK(notified(path) == "READY=1");
    std::filesystem::remove(path);
    CHECK(notified("@" + name) == "READY=1");
}

TEST_CASE("without a service manager nothing is notified, and a wrong one is an error") {
    CHECK_NOTHROW(xiw::rnic::host::report_ready());
    for (const std::string &wrong : {std::string("/nowhere/socket"), std::string(200, 'x')}) {
        setenv("NOTIFY_SOCKET", wrong.c_str(), 1);
        CHECK_THROWS_AS(xiw::rnic::host::report_ready(), std::system_error);
    }
    unsetenv("NOTIFY_SOCKET");
}
