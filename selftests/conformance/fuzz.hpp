// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Sessions that are nearly correct: messages from build(), in a meaningful order, with a few
// mistakes. The same seed gives the same octets everywhere.
#pragma once

#include "message.hpp"

#include <array>
#include <optional>
#include <random>

namespace xiw::peer {

// Does not use distributions of the standard library, because their results are not specified.
class Chance {
  public:
    explicit Chance(uint64_t seed) : engine_(seed) {}

    uint64_t any() { return engine_(); }
    uint64_t below(uint64_t n) { return n == 0 ? 0 : engine_() % n; }
    bool one_in(uint64_t n) { return below(n) == 0; }
    Octets octets(size_t n);

  private:
    std::mt19937_64 engine_;
};

// Resources for a correct session.
struct Target {
    uint64_t stag = 0, to = 0, size = 0;     // memory with read and write rights
    uint64_t receives = 0, receive = 0;      // posted receives, octets of each
    uint64_t requests = 4;                   // IRD of the tested end
    uint64_t read_stag = 0, read_to = 0;     // the tested end's Read that waits for a response
    std::optional<uint64_t> read_size;       // empty if no Read waits
    std::optional<uint64_t> atomic_id;       // the tested end's Atomic that waits after that Read
    std::array<uint32_t, 4> msn{1, 1, 1, 1}; // next MSNs of this end
};

struct Fuzzed {
    // An FPDU, which may get markers, or octets that are sent unchanged.
    struct Piece {
        Octets octets;
        bool fpdu = true;
    };

    std::vector<Piece> pieces;
    std::vector<std::string> mistakes; // empty: the session is correct
    size_t answers = 0;                // messages that answer a correct session
    size_t cuts = 0;                   // number of additional TCP segments
    bool reset = false;                // the session ends by RST, not by FIN

    std::string summary() const;
};

Fuzzed fuzz_stream(uint64_t seed, const Target &target);
// Create an MPA frame with random fields; kind is "request" or "reply". Further octets may follow
// the frame.
Fuzzed fuzz_startup(uint64_t seed, std::string_view kind);

} // namespace xiw::peer
