// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/greeting.hpp"

#include <algorithm>
#include <array>
#include <concepts>

namespace xiw::traffic {

namespace {

constexpr std::array<uint8_t, 7> magic = {'X', 'I', 'W', 'P', 'N', 'G', 1};
enum Kind : uint8_t { hello_kind = 'H', welcome_kind = 'W', refusal_kind = 'R' };

class Writer {
  public:
    explicit Writer(Kind kind) : octets_(magic.begin(), magic.end()) { octets_.push_back(kind); }

    template <std::unsigned_integral Number>
    Writer &operator<<(Number number) {
        for (size_t i = sizeof(Number); i-- > 0;)
            octets_.push_back(static_cast<uint8_t>(number >> i * 8));
        return *this;
    }
    std::vector<uint8_t> take() { return std::move(octets_); }

  private:
    std::vector<uint8_t> octets_;
};

class Reader {
  public:
    Reader(std::span<const uint8_t> octets, Kind kind) : octets_(octets) {
        good_ = octets.size() > magic.size() &&
                std::ranges::equal(octets.first(magic.size()), magic) &&
                octets[magic.size()] == kind;
        if (good_)
            octets_ = octets_.subspan(magic.size() + 1);
    }

    template <std::unsigned_integral Number>
    Reader &operator>>(Number &number) {
        good_ = good_ && octets_.size() >= sizeof(Number);
        if (!good_)
            return *this;
        number = 0;
        for (size_t i = 0; i < sizeof(Number); i++)
            number = static_cast<Number>(number << 8 | octets_[i]);
        octets_ = octets_.subspan(sizeof(Number));
        return *this;
    }
    bool good() const { return good_; }

  private:
    std::span<const uint8_t> octets_;
    bool good_;
};

template <typename Message>
std::optional<Message> whole(const Reader &reader, const Message &message) {
    return reader.good() ? std::optional(message) : std::nullopt;
}

constexpr size_t round_up(size_t octets) {
    return (octets + 63) / 64 * 64;
}

} // namespace

std::string_view refusal_word(uint32_t reason) {
    switch (static_cast<Refusal>(reason)) {
    case Refusal::busy:
        return "it already serves its maximum number of clients";
    case Refusal::too_long:
        return "it does not accept messages of this size";
    case Refusal::no_memory:
        return "it has no memory or queues: check its ulimit -l";
    }
    return "the reason is not defined in this version of xiw";
}

std::vector<uint8_t> encode(const Hello &hello) {
    return (Writer(hello_kind) << hello.size << hello.flags << hello.key << hello.region.address
                               << hello.region.rkey)
        .take();
}

std::vector<uint8_t> encode(const Welcome &welcome) {
    return (Writer(welcome_kind) << welcome.flags << welcome.region.address << welcome.region.rkey)
        .take();
}

std::vector<uint8_t> encode(Refusal reason) {
    return (Writer(refusal_kind) << static_cast<uint32_t>(reason)).take();
}

std::optional<Hello> decode_hello(std::span<const uint8_t> octets) {
    Hello hello;
    Reader reader(octets, hello_kind);
    reader >> hello.size >> hello.flags >> hello.key >> hello.region.address >> hello.region.rkey;
    return whole(reader, hello);
}

std::optional<Welcome> decode_welcome(std::span<const uint8_t> octets) {
    Welcome welcome;
    Reader reader(octets, welcome_kind);
    reader >> welcome.flags >> welcome.region.address >> welcome.region.rkey;
    return whole(reader, welcome);
}

std::optional<uint32_t> decode_refusal(std::span<const uint8_t> octets) {
    uint32_t reason = 0;
    Reader reader(octets, refusal_kind);
    reader >> reason;
    return whole(reader, reason);
}

// A message of `size` octets may begin at any offset below `slack`, so add `slack` to the sizes of
// target and source.
Layout::Layout(uint32_t size)
    : source(round_up(size + slack)), word(source + round_up(size + slack)), slot(word + 64),
      slot_size(round_up(size)), octets(slot + slots * slot_size) {}

} // namespace xiw::traffic
