// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Split a fuzzer's input. Octets after the end of the input are zero.
#pragma once

#include <core.hpp>

#include <cstdlib>
#include <span>

namespace xiw {

class Input {
  public:
    Input(const u8 *p, size_t length) : left_(p, length) {}
    bool empty() const { return left_.empty(); }
    u8 octet() {
        u8 o = left_.empty() ? 0 : left_[0];

        left_ = left_.subspan(left_.empty() ? 0 : 1);
        return o;
    }
    u32 word() {
        u32 w = octet();

        return w << 8 | octet();
    }
    std::span<const u8> octets(size_t length) {
        auto taken = left_.first(std::min(length, left_.size()));

        left_ = left_.subspan(taken.size());
        return taken;
    }
    std::span<const u8> rest() { return octets(left_.size()); }

  private:
    std::span<const u8> left_;
};

inline void must(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace xiw
