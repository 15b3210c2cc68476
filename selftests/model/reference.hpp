// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A reference model of the effect of work requests on the peer. It executes one work request after
// the other, without segments, queues or concurrency.
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
    // Execute one work request, and add its completions to `expected`. The completion of a Read
    // contains the data of the Read.
    void apply(const WorkRequest &wr, u64 receive_id, Expected &expected);

    Octets memory;

  private:
    u64 word(u64 to) const;

    u64 base_;
};

} // namespace xiw
