// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The effect of a list of work requests on the peer, computed in the simplest way: one after the
// other, without segments, queues or concurrency.
#pragma once

#include "endpoint.hpp"

namespace xiw {

struct Expected {
    std::deque<Completion> sender;
    std::deque<Completion> receiver;
};

class Reference {
  public:
    Reference(u64 base, size_t length) : memory(length), base_(base) {}
    // Executes one work request, and adds its completions to the expected completions. The
    // completion of a Read contains its data.
    void apply(const WorkRequest &wr, u64 receive_id, Expected &expected);

    Octets memory;

  private:
    u64 word(u64 to) const;

    u64 base_;
};

} // namespace xiw
