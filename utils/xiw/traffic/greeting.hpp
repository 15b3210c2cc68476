// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Private data of the connection setup between the client and the server of a ping. It must fit
// into the 56 octets that InfiniBand allows. All numbers are big-endian.
//
//  Hello    "XIWPNG" version 'H'  size  flags  key  address  rkey    client to server
//  Welcome  "XIWPNG" version 'W'  flags  address  rkey               server to client
//  Refusal  "XIWPNG" version 'R'  reason                             in a reject
//
// The letters of Hello and Welcome differ, because a driver may report the client's own Hello as
// the answer if the server has sent no private data.
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
    has_imm64 = 4, // all eight octets of an RFC 7306 immediate; libibverbs supports only four
};

// Memory that the peer may read and write.
struct Region {
    uint64_t address = 0;
    uint32_t rkey = 0;
};

struct Hello {
    uint32_t size = 0; // octets of the longest message
    uint32_t flags = 0;
    uint64_t key = 0; // key of the pattern in the server's source
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

// Decode a message. The result is empty for another kind of message or another version. The data
// may be longer than the message, because some transports pad with zeros.
std::optional<Hello> decode_hello(std::span<const uint8_t> octets);
std::optional<Welcome> decode_welcome(std::span<const uint8_t> octets);
std::optional<uint32_t> decode_refusal(std::span<const uint8_t> octets);

// Memory layout of an endpoint. Both endpoints calculate it from the size of the longest message.
struct Layout {
    explicit Layout(uint32_t size);

    static constexpr size_t slack = 4096; // limit of the offsets at which messages begin
    static constexpr size_t slots = 4;    // slots for receives
    size_t target = 0;                    // the peer writes here
    size_t source;                        // the peer reads here
    size_t word;                          // atomics of the peer change this word
    size_t slot;                          // offset of the first slot
    size_t slot_size;
    size_t octets; // total
};

} // namespace xiw::traffic

#endif
