// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What a list of work requests does to the peer, one after the other, in the
// plainest way: no segments, no queues, no concurrency.
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
    // One work request; its completions are added to what is expected. The data
    // of a Read stands in its completion.
    void apply(const WorkRequest &wr, u64 receive_id, Expected &expected);

    Octets memory;

  private:
    u64 word(u64 to) const;

    u64 base_;
};

} // namespace xiw
