// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An access to a mapped file that a client may truncate at any time. An access beyond the new end
// raises SIGBUS. If an Access covers the address, the handler maps a page of zeros there and marks
// the Access as failed.
#ifndef XIW_RNIC_BUS_ACCESS_HPP
#define XIW_RNIC_BUS_ACCESS_HPP

#include <cstddef>
#include <cstdint>

namespace xiw::rnic::bus {

class Access {
  public:
    // Covers the memory in this thread until it is destroyed. Objects do not nest.
    Access(const uint8_t *memory, size_t size);
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
    Access(Access &&) = delete;
    Access &operator=(Access &&) = delete;
    ~Access();

    // Return: true if part of the memory did not exist.
    bool failed() const;

    // Install the handler of SIGBUS for the process; a SIGBUS outside an Access still kills it.
    static void install();
};

} // namespace xiw::rnic::bus

#endif
