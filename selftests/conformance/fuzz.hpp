// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Sessions that are nearly right: what build() makes, in an order that makes sense, and
// then a few mistakes. The same seed gives the same octets everywhere.
#pragma once

#include "message.hpp"

#include <array>
#include <optional>
#include <random>

namespace xiw::peer {

// No distributions of the library, whose results are the library's business.
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

// What a right session of ours may use.
struct Target {
    uint64_t stag = 0, to = 0, size = 0;     // memory that may be read and written
    uint64_t receives = 0, receive = 0;      // posted there, octets of each
    uint64_t requests = 4;                   // its IRD
    uint64_t read_stag = 0, read_to = 0;     // of its Read that waits for us
    std::optional<uint64_t> read_size;       // if one does
    std::optional<uint64_t> atomic_id;       // of its Atomic behind that, if one waits
    std::array<uint32_t, 4> msn{1, 1, 1, 1}; // of our next messages
};

struct Fuzzed {
    // An FPDU, which may get markers, or octets that go out as they are.
    struct Piece {
        Octets octets;
        bool fpdu = true;
    };

    std::vector<Piece> pieces;
    std::vector<std::string> mistakes; // none: the session is right
    size_t answers = 0;                // messages that answer a right session
    size_t cuts = 0;                   // TCP segments more than one
    bool reset = false;                // ends by RST, not by FIN

    std::string summary() const;
};

Fuzzed fuzz_stream(uint64_t seed, const Target &target);
// kind is "request" or "reply"; something may stand behind it.
Fuzzed fuzz_startup(uint64_t seed, std::string_view kind);

} // namespace xiw::peer
