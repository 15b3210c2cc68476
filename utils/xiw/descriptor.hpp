// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_DESCRIPTOR_HPP
#define XIW_DESCRIPTOR_HPP

#include <unistd.h>

namespace xiw {

// An open file, closed by the destructor. Negative: none.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor(Descriptor &&) = delete;
    Descriptor &operator=(Descriptor &&) = delete;
    ~Descriptor() {
        if (fd_ >= 0)
            close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

} // namespace xiw

#endif
