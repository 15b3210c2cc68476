// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An access to memory whose file a client may cut shorter at any time. What lies behind
// the new end raises SIGBUS; while an Access covers it, a page of zeros takes its place and
// the access has failed.
#ifndef XIW_RNIC_BUS_ACCESS_HPP
#define XIW_RNIC_BUS_ACCESS_HPP

#include <cstddef>
#include <cstdint>

namespace xiw::rnic::bus {

class Access {
  public:
    // From here to the destructor, by this thread; they do not nest.
    Access(const uint8_t *memory, size_t size);
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
    Access(Access &&) = delete;
    Access &operator=(Access &&) = delete;
    ~Access();

    // Part of the memory was not there.
    bool failed() const;

    // Takes SIGBUS, for the process; one outside of an Access ends it as ever.
    static void install();
};

} // namespace xiw::rnic::bus

#endif
