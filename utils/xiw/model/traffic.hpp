// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What ping and selftest found out, as plain data.
#ifndef XIW_MODEL_TRAFFIC_HPP
#define XIW_MODEL_TRAFFIC_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace xiw {

// The round trips of one operation.
struct RoundTrips {
    std::string operation;
    uint64_t octets = 0; // of each
    uint64_t wrong = 0;  // answered, but with other data than it had to be
    std::vector<uint64_t> nanoseconds;
};

// An operation that one of the ends does not have.
struct Missing {
    std::string operation;
    std::string why;
};

struct Ping {
    std::string host; // as it was named
    std::string address;
    uint16_t port = 0;
    std::string device; // of this end
    std::vector<RoundTrips> operations;
    std::vector<Missing> missing;
};

struct TestCase {
    enum class Verdict { pass, fail, skip };
    std::string name;
    Verdict verdict = Verdict::pass;
    std::string text; // what was done; why it failed or was left out
};
const char *verdict_word(TestCase::Verdict verdict);

struct Selftest {
    std::string device;
    std::vector<TestCase> cases;
};

} // namespace xiw

#endif
