// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/access.hpp"

#include <atomic>
#include <csignal>

#include <sys/mman.h>
#include <unistd.h>

namespace xiw::rnic::bus {

namespace {

// The current access of a thread. The SIGBUS handler runs in the same thread. Size 0 means no
// access.
struct Range {
    volatile uintptr_t first;
    volatile size_t size;
    volatile sig_atomic_t failed;
};
constinit thread_local Range range{0, 0, 0};
uintptr_t page_size = 0;

void bus_error(int, siginfo_t *info, void *) {
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    void *page = static_cast<uint8_t *>(info->si_addr) - (at & (page_size - 1));

    // Use a private mapping, so that the client cannot see what is written to the page.
    if (at - range.first < range.size &&
        mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) != MAP_FAILED)
        range.failed = 1;
    else
        std::signal(SIGBUS, SIG_DFL); // the CPU repeats the access, which now ends the process
}

} // namespace

Access::Access(const uint8_t *memory, size_t size) {
    range.failed = 0;
    range.first = reinterpret_cast<uintptr_t>(memory);
    range.size = size;
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

Access::~Access() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    range.size = 0;
}

bool Access::failed() const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return range.failed != 0;
}

void Access::install() {
    struct sigaction action{};

    page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    action.sa_sigaction = bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, nullptr);
}

} // namespace xiw::rnic::bus
