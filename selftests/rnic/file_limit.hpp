// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The limit of open files of this process. An object changes the limit while it exists.
#pragma once

#include <algorithm>

#include <sys/resource.h>

namespace xiw::test {

class FileLimit {
  public:
    // Sets the limit to `wanted`, but at most to the hard limit.
    explicit FileLimit(rlim_t wanted) {
        if (getrlimit(RLIMIT_NOFILE, &before_) != 0)
            return;
        const rlimit now{.rlim_cur = std::min(wanted, before_.rlim_max),
                         .rlim_max = before_.rlim_max};
        reached_ = setrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == wanted;
    }
    ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
    FileLimit(const FileLimit &) = delete;
    FileLimit &operator=(const FileLimit &) = delete;
    FileLimit(FileLimit &&) = delete;
    FileLimit &operator=(FileLimit &&) = delete;

    // Returns true if the limit is exactly the wanted one.
    bool reached() const { return reached_; }

  private:
    rlimit before_{};
    bool reached_ = false;
};

} // namespace xiw::test
