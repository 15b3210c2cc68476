// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What the two ends of a ping tell each other in the private data of their connection. It
// has to fit into what InfiniBand leaves of it: 56 octets. All numbers are big-endian.
//
//   Hello    "XIWPNG" version 'H'  size  flags  key  address  rkey    client to server
//   Welcome  "XIWPNG" version 'W'  flags  address  rkey               server to client
//   Refusal  "XIWPNG" version 'R'  reason                             if it rejects
//
// A driver may give a client its own Hello back when nobody has answered it.
#ifndef XIW_TRAFFIC_GREETING_HPP
#define XIW_TRAFFIC_GREETING_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace xiw::traffic {

enum Flag : uint32_t {
    has_atomics = 1,
    has_imm = 2,
    has_imm64 = 4, // the whole immediate of RFC 7306; else libibverbs' four octets
};

// Where a peer may read and write.
struct Region {
    uint64_t address = 0;
    uint32_t rkey = 0;
};

struct Hello {
    uint32_t size = 0; // octets of the longest message
    uint32_t flags = 0;
    uint64_t key = 0; // of the pattern that the server's source has
    Region region;
};

struct Welcome {
    uint32_t flags = 0;
    Region region;
};

enum class Refusal : uint32_t { busy = 1, too_long = 2, no_memory = 3 };
std::string_view refusal_word(uint32_t reason);

std::vector<uint8_t> encode(const Hello &hello);
std::vector<uint8_t> encode(const Welcome &welcome);
std::vector<uint8_t> encode(Refusal reason);

// Nothing if it is no such message, or of another version. Some transports fill up with
// zeros: more octets than needed are none of ours.
std::optional<Hello> decode_hello(std::span<const uint8_t> octets);
std::optional<Welcome> decode_welcome(std::span<const uint8_t> octets);
std::optional<uint32_t> decode_refusal(std::span<const uint8_t> octets);

// How the memory of an end is laid out; both know it from the size.
struct Layout {
    explicit Layout(uint32_t size);

    static constexpr size_t slack = 4096; // messages begin at changing places of that much
    static constexpr size_t slots = 4;    // to receive into
    size_t target = 0;                    // the peer writes here
    size_t source;                        // and reads here
    size_t word;                          // and counts here
    size_t slot;                          // the first
    size_t slot_size;
    size_t octets; // all
};

} // namespace xiw::traffic

#endif
