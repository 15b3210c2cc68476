// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/poller.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>

#include <sys/epoll.h>

namespace xiw::rnic::host {

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_)
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

int Poller::add(int fd, Watcher &watcher, uint64_t &name) {
    epoll_event event{};

    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = ++next_;
    try {
        watchers_.emplace(next_, &watcher);
    } catch (const std::bad_alloc &) {
        return -ENOMEM;
    }
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        const int error = -errno;
        watchers_.erase(next_);
        return error;
    }
    name = next_;
    return 0;
}

void Poller::remove(int fd, uint64_t name) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    watchers_.erase(name);
}

void Poller::wait(std::chrono::steady_clock::time_point until) {
    std::array<epoll_event, 64> events{};
    timespec left{};
    timespec *timeout = nullptr;

    if (until != std::chrono::steady_clock::time_point::max()) {
        const auto time = std::max(until - std::chrono::steady_clock::now(),
                                   std::chrono::steady_clock::duration::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
        left.tv_sec = seconds.count();
        left.tv_nsec = std::chrono::nanoseconds(time - seconds).count();
        timeout = &left;
    }
    const int n = epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()),
                               timeout, nullptr);
    for (int i = 0; i < n; i++) {
        // An earlier watcher may have removed this watcher.
        const auto watcher = watchers_.find(events.at(static_cast<size_t>(i)).data.u64);
        if (watcher != watchers_.end())
            watcher->second->ready();
    }
}

} // namespace xiw::rnic::host
