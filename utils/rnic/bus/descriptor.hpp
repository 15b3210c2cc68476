// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RNIC_BUS_DESCRIPTOR_HPP
#define XIW_RNIC_BUS_DESCRIPTOR_HPP

#include <utility>

#include <unistd.h>

namespace xiw::rnic {

// A file descriptor, closed by the destructor.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~Descriptor() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void reset() {
        if (fd_ >= 0)
            close(fd_);
        fd_ = -1;
    }

  private:
    int fd_ = -1;
};

} // namespace xiw::rnic

#endif
