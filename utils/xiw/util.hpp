// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_UTIL_HPP
#define XIW_UTIL_HPP

#include <cerrno>
#include <string_view>

#include <unistd.h>

namespace xiw {

// The version, from the file VERSION at the top of the tree.
extern const char *const version;

// An open file, closed by the destructor. A negative descriptor means that there is no file.
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

// Write the whole text, in as many calls as needed. Returns false with errno on failure.
inline bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = write(fd, text.data(), text.size());
        if (done < 0 && errno != EINTR)
            return false;
        text.remove_prefix(done < 0 ? 0 : static_cast<size_t>(done));
    }
    return true;
}

} // namespace xiw

#endif
