// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Parts of xiw ping and xiw selftest that need no device: results, patterns and greetings.
#include "traffic/traffic.hpp"
#include "error.hpp"
#include "model/summary.hpp"
#include "traffic/choose.hpp"
#include "traffic/greeting.hpp"
#include "traffic/pattern.hpp"

#include <array>
#include <numeric>
#include <set>

#include <catch2/catch_test_macros.hpp>

using namespace xiw::traffic;

TEST_CASE("percentiles are measured values, by nearest rank") {
    std::vector<uint64_t> hundred(100);
    std::iota(hundred.begin(), hundred.end(), 1);
    struct Row {
        std::vector<uint64_t> samples;
        unsigned percent;
        uint64_t value;
    };
    const Row rows[] = {
        {{}, 50, 0},        {{7}, 0, 7},        {{7}, 50, 7},       {{7}, 100, 7},
        {{1, 2}, 50, 1},    {{1, 2}, 51, 2},    {{1, 2, 3}, 50, 2}, {{1, 2, 3, 4}, 50, 2},
        {{1, 2, 3}, 99, 3}, {hundred, 50, 50},  {hundred, 99, 99},  {hundred, 100, 100},
        {hundred, 1, 1},    {{5, 5, 9}, 66, 5}, {{5, 5, 9}, 67, 9},
    };
    for (const Row &row : rows) {
        CAPTURE(row.samples.size(), row.percent);
        CHECK(xiw::percentile(row.samples, row.percent) == row.value);
    }
}

TEST_CASE("a summary sorts its samples") {
    CHECK_FALSE(xiw::summarize({}));
    const auto sum = xiw::summarize({30, 10, 20, UINT64_MAX});
    REQUIRE(sum);
    CHECK(sum->min == 10);
    CHECK(sum->p50 == 20);
    CHECK(sum->p99 == UINT64_MAX);
    CHECK(sum->max == UINT64_MAX);
}

TEST_CASE("a selection of the samples represents all of them") {
    constexpr uint64_t kept = xiw::Samples::most_kept;
    xiw::Samples samples;
    CHECK_FALSE(samples.summary());
    for (uint64_t i = 0; i < 3 * kept; i++)
        samples.add(1000);
    samples.add(1);
    for (uint64_t i = 0; i < kept; i++)
        samples.add(5000);
    samples.add(9000);
    const auto sum = samples.summary();
    CHECK(samples.count() == 4 * kept + 2);
    CHECK(sum->min == 1);
    CHECK(sum->p50 == 1000);
    CHECK(sum->p99 == 5000);
    CHECK(sum->max == 9000);
}

TEST_CASE("operations have the names that the option accepts") {
    for (const Op op : all_ops)
        CHECK(parse_op(op_word(op)) == op);
    CHECK_FALSE(parse_op(""));
    CHECK_FALSE(parse_op("sends"));
    CHECK_FALSE(parse_op("SEND"));
}

TEST_CASE("a pattern is the same from any starting offset") {
    std::array<uint8_t, 100> whole{};
    fill(whole, 7);
    for (size_t at = 0; at < 20; at++) {
        std::array<uint8_t, 50> part{};
        fill(part, 7, at);
        CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<ptrdiff_t>(at)));
        CHECK_FALSE(difference(part, 7, at));
    }
    CHECK_FALSE(difference({}, 7));
}

TEST_CASE("each wrong octet, key or offset is detected") {
    std::array<uint8_t, 64> octets{};
    fill(octets, 7);
    for (size_t at = 0; at < octets.size(); at++)
        for (int bit = 0; bit < 8; bit++) {
            octets[at] = static_cast<uint8_t>(octets[at] ^ 1 << bit);
            const auto found = difference(octets, 7);
            REQUIRE(found);
            CHECK(found->offset == at);
            octets[at] = static_cast<uint8_t>(octets[at] ^ 1 << bit);
            CHECK(found->wanted == octets[at]);
        }
    CHECK(difference(octets, 8));
    CHECK(difference(octets, 7, 1));
    CHECK(difference(octets, 7, 8));
    CHECK(difference_word({17, 0x12, 0x13}, 64) == "octet 17 of 64 is 0x12 instead of 0x13");
}

TEST_CASE("greetings are decoded as they were encoded") {
    const Hello hello{4096, has_atomics | has_imm, 0x0123456789abcdef, {0xfedcba9876543210, 77}};
    const auto got = decode_hello(encode(hello));
    REQUIRE(got);
    CHECK(got->size == hello.size);
    CHECK(got->flags == hello.flags);
    CHECK(got->key == hello.key);
    CHECK(got->region.address == hello.region.address);
    CHECK(got->region.rkey == hello.region.rkey);

    const auto welcome = decode_welcome(encode(Welcome{has_imm64, {5, 6}}));
    REQUIRE(welcome);
    CHECK(welcome->flags == has_imm64);
    CHECK(welcome->region.address == 5);
    CHECK(welcome->region.rkey == 6);

    for (const Refusal reason : {Refusal::busy, Refusal::too_long, Refusal::no_memory})
        CHECK(decode_refusal(encode(reason)) == static_cast<uint32_t>(reason));
    std::set<std::string_view> words;
    for (uint32_t reason = 0; reason < 5; reason++)
        words.insert(refusal_word(reason));
    CHECK(words.size() == 4);
}

TEST_CASE("greetings fit into the private data of InfiniBand, with and without padding") {
    auto octets = encode(Hello{});
    CHECK(octets.size() <= 56);
    octets.resize(56);
    CHECK(decode_hello(octets));
}

TEST_CASE("an invalid greeting is refused at every length") {
    const auto whole = encode(Hello{});
    for (size_t length = 0; length < whole.size(); length++)
        CHECK_FALSE(decode_hello(std::span(whole).first(length)));
    for (size_t at = 0; at < 8; at++) {
        auto other = whole;
        other[at] ^= 0x20;
        CHECK_FALSE(decode_hello(other));
    }
    // A decoder must refuse messages of other kinds: if no server answers, a driver may report the
    // client's own Hello as the answer.
    CHECK_FALSE(decode_refusal(whole));
    CHECK_FALSE(decode_welcome(whole));
    CHECK_FALSE(decode_hello(encode(Welcome{})));
    CHECK_FALSE(decode_welcome({}));
    CHECK_FALSE(decode_refusal({}));
}

TEST_CASE("the parts of an endpoint's memory do not overlap") {
    for (const uint32_t size : {1U, 63U, 64U, 65U, 4096U, size_most}) {
        const Layout layout(size);
        CAPTURE(size);
        CHECK(layout.target + size + Layout::slack <= layout.source);
        CHECK(layout.source + size + Layout::slack <= layout.word);
        CHECK(layout.word % 8 == 0);
        CHECK(layout.word + 32 <= layout.slot);
        CHECK(layout.slot_size >= size);
        // A message of 16 octets follows each Write, and must also fit into a slot.
        CHECK(layout.slot_size >= 16);
        CHECK(layout.slot + Layout::slots * layout.slot_size <= layout.octets);
    }
}

TEST_CASE("operations of both endpoints are done, and requested ones must exist") {
    const std::vector<Op> plain = {Op::send, Op::write, Op::read};
    const std::vector<Op> all(all_ops.begin(), all_ops.end());
    constexpr uint32_t both = has_atomics | has_imm;
    xiw::Ping ping;
    ping.host = "server";
    ping.device = "siw0";

    CHECK(choose({}, both, both | has_imm64, ping) == all);
    CHECK(choose({Op::imm, Op::send, Op::imm}, both, both, ping) == std::vector{Op::send, Op::imm});
    CHECK(ping.missing.empty());

    CHECK(choose({}, 0, both, ping) == plain);
    REQUIRE(ping.missing.size() == 2);
    CHECK(ping.missing[0].operation == "atomic");
    CHECK(ping.missing[0].why == "siw0 has no atomics");
    CHECK(ping.missing[1].why == "siw0 has no Write with Immediate");

    ping.missing.clear();
    CHECK(choose({}, both, has_atomics, ping).back() == Op::atomic);
    REQUIRE(ping.missing.size() == 1);
    CHECK(ping.missing[0].why == "the device of server has no Write with Immediate");

    CHECK(choose(plain, 0, 0, ping) == plain);
    for (const Op op : {Op::atomic, Op::imm}) {
        try {
            choose({Op::send, op}, both, 0, ping);
            FAIL("chosen");
        } catch (const xiw::Error &error) {
            CHECK(error.exit() == xiw::Exit::unsupported);
        }
    }
}
