// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Results of ping and selftest, as plain data.
#ifndef XIW_MODEL_TRAFFIC_HPP
#define XIW_MODEL_TRAFFIC_HPP

#include "model/summary.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace xiw {

// Round trips of one operation.
struct RoundTrips {
    std::string operation;
    uint64_t octets = 0; // octets of each message
    uint64_t wrong = 0;  // number of answers with wrong data
    Samples nanoseconds;
};

// An operation that one end does not support.
struct Missing {
    std::string operation;
    std::string why;
};

struct Ping {
    std::string host; // as named by the user
    std::string address;
    uint16_t port = 0;
    std::string device; // local device
    std::vector<RoundTrips> operations;
    std::vector<Missing> missing;
};

struct TestCase {
    enum class Verdict { pass, fail, skip };
    std::string name;
    Verdict verdict = Verdict::pass;
    std::string text; // what was tested, or the reason for a failure or skip
};
const char *verdict_word(TestCase::Verdict verdict);

struct Selftest {
    std::string device;
    std::vector<TestCase> cases;
};

} // namespace xiw

#endif
