// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WRITE_ALL_HPP
#define XIW_WRITE_ALL_HPP

#include <cerrno>
#include <string_view>

#include <unistd.h>

namespace xiw {

// Write everything, in as many calls as needed. Returns false with errno on failure.
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
