// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/wait.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace xiw::traffic {

namespace {

sigset_t both() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

int Deadline::milliseconds() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, std::numeric_limits<int>::max()));
}

Interrupts::Interrupts() : fd_(-1) {
    const sigset_t set = both();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0)
        throw Error(Exit::failed, std::string("signalfd: ") + std::strerror(errno));
}

Interrupts::~Interrupts() {
    close(fd_);
    const sigset_t set = both();
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool Interrupts::readable(int fd, const Deadline &deadline) const {
    std::array<pollfd, 2> wait = {pollfd{fd_, POLLIN, 0}, pollfd{fd, POLLIN, 0}};
    for (;;) {
        const int n = poll(wait.data(), wait.size(), deadline.milliseconds());
        if (n < 0 && errno != EINTR)
            throw Error(Exit::failed, std::string("poll: ") + std::strerror(errno));
        if (wait[0].revents != 0) {
            // Read the signal. A signal that is still pending would end the process when it is
            // unblocked.
            signalfd_siginfo signal{};
            if (::read(fd_, &signal, sizeof(signal)) == static_cast<ssize_t>(sizeof(signal)))
                throw Interrupted();
        }
        if (wait[1].revents != 0)
            return true;
        if (n == 0 && deadline.over())
            return false;
    }
}

} // namespace xiw::traffic
