// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/ready.hpp"

#include "bus/descriptor.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>

namespace xiw::rnic::host {

void report_ready() {
    constexpr std::string_view message = "READY=1";
    const char *variable = std::getenv("NOTIFY_SOCKET");
    sockaddr_un name{};

    if (variable == nullptr)
        return;
    const std::string_view path = variable;
    if (path.empty() || path.size() >= sizeof(name.sun_path))
        throw std::system_error(EINVAL, std::generic_category(), "NOTIFY_SOCKET");
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, path.size());
    if (path.front() == '@') // an abstract name
        name.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    const Descriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd || sendto(fd.get(), message.data(), message.size(), 0,
                      reinterpret_cast<const sockaddr *>(&name), size) < 0)
        throw std::system_error(errno, std::generic_category(), "NOTIFY_SOCKET");
}

} // namespace xiw::rnic::host
