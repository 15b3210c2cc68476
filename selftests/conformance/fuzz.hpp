// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Sessions that are nearly correct: messages from build(), in a meaningful order, with a few
// mistakes. The same seed and the same Target produce the same octets on every machine.
#pragma once

#include "message.hpp"

#include <array>
#include <optional>
#include <random>

namespace xiw::peer {

// Random numbers. The class does not use distributions of the standard library, because the C++
// standard does not specify their results.
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

// Resources of the tested endpoint that a correct session may use.
struct Target {
    uint64_t stag = 0, to = 0, size = 0;     // memory with read and write rights
    uint64_t receives = 0, receive = 0;      // number of posted receives, octets of each
    uint64_t requests = 4;                   // IRD of the endpoint
    uint64_t read_stag = 0, read_to = 0;     // sink of the endpoint's outstanding Read
    std::optional<uint64_t> read_size;       // size of this Read; empty if there is none
    std::optional<uint64_t> atomic_id;       // id of the endpoint's atomic, which follows the Read
    std::array<uint32_t, 4> msn{1, 1, 1, 1}; // next MSN that this peer sends on each queue
};

struct Fuzzed {
    // An FPDU to which markers may be added, or octets that are sent unchanged.
    struct Piece {
        Octets octets;
        bool fpdu = true;
    };

    std::vector<Piece> pieces;
    std::vector<std::string> mistakes; // empty: the session is correct
    size_t answers = 0;                // number of responses that a correct session gets
    size_t cuts = 0;                   // number of places where the octets are split
    bool reset = false;                // the session ends by RST, not by FIN

    std::string summary() const;
};

Fuzzed fuzz_stream(uint64_t seed, const Target &target);
// Creates an MPA frame with random fields; kind is "request" or "reply". Further octets may follow
// the frame.
Fuzzed fuzz_startup(uint64_t seed, std::string_view kind);

} // namespace xiw::peer
