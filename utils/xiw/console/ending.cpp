// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "console/ending.hpp"

#include "error.hpp"

#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace xiw::console {

namespace {

sigset_t ending() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&set, signal);
    return set;
}

int taken(sigset_t &before) {
    const sigset_t set = ending();
    const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        throw Error(Exit::failed,
                    "cannot handle signals: " + std::generic_category().message(errno));
    sigprocmask(SIG_BLOCK, &set, &before);
    return fd;
}

} // namespace

Ending::Ending() : signals_(taken(mask_)) {}

Ending::~Ending() {
    // Discard pending signals, which would end the process when they are unblocked below.
    signalfd_siginfo signal{};
    while (read(signals_.get(), &signal, sizeof(signal)) > 0) {
    }
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

bool Ending::within(std::chrono::milliseconds time) {
    if (ended_)
        return true;
    pollfd wait{signals_.get(), POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(time.count()));
    signalfd_siginfo signal{};
    ended_ = ready > 0 && read(signals_.get(), &signal, sizeof(signal)) > 0;
    return ended_;
}

FirstInterrupt::FirstInterrupt() {
    struct sigaction first{};

    first.sa_handler = [](int) {};
    first.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &first, &before_);
}

FirstInterrupt::~FirstInterrupt() {
    sigaction(SIGINT, &before_, nullptr);
}

} // namespace xiw::console
