// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An access to a mapped file, which a client may truncate at any time. An access beyond the new end
// raises SIGBUS. If an Access object covers the address, the signal handler maps a page of zeros at
// the address and marks the object as failed.
#ifndef XIW_RNIC_BUS_ACCESS_HPP
#define XIW_RNIC_BUS_ACCESS_HPP

#include <cstddef>
#include <cstdint>

namespace xiw::rnic::bus {

class Access {
  public:
    // Catch SIGBUS when this thread accesses the memory, until the object is destroyed. A thread
    // has at most one such object at a time.
    Access(const uint8_t *memory, size_t size);
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
    Access(Access &&) = delete;
    Access &operator=(Access &&) = delete;
    ~Access();

    // Return: true if part of the memory did not exist.
    bool failed() const;

    // Install the handler of SIGBUS for the process. A SIGBUS without an Access still kills the
    // process.
    static void install();
};

} // namespace xiw::rnic::bus

#endif
