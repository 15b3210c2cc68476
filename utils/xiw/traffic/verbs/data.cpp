// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Self-test of messages: each operation, with many lengths and offsets.
#include "traffic/verbs/loop.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::traffic {

namespace {

constexpr size_t sizes[] = {0,    1,    2,    3,    4,    7,    8,    63,    64,    65,
                            1459, 1460, 1461, 4095, 4096, 4097, 9000, 65535, 65536, longest};
// Offsets in a page.
constexpr size_t misalignments[] = {0, 1, 2, 3, 7, 4093};
// Messages of at least this size are tested only with equal offsets at both ends.
constexpr size_t long_size = 65536;
constexpr uint8_t untouched = 0xa5;
constexpr size_t around = 64; // octets that are checked before and after the message

struct Message {
    size_t size;
    size_t from; // offsets in a page
    size_t to;
    uint64_t key;
    Part out() const { return {out_at + from, size}; }
    Part in() const { return {in_at + to, size}; }
};

// Transfers one message with an operation: from a to b, or from b to a for a Read.
using Transfer = void (*)(Loop &loop, const Message &message);

// The ends between which a message is transferred.
struct Way {
    End &from;
    End &to;
};

void prepare(const Way &way, const Message &m) {
    fill(way.from.part(m.out()), m.key);
    std::ranges::fill(way.to.part({m.in().offset - around, m.size + 2 * around}), untouched);
}

void check(const Way &way, const Message &m) {
    if (const auto d = difference(way.to.part(m.in()), m.key))
        throw Failed(difference_word(*d, m.size));
    for (const size_t at : {m.in().offset - around, m.in().offset + m.size})
        if (std::ranges::any_of(way.to.part({at, around}),
                                [](uint8_t octet) { return octet != untouched; }))
            throw Failed("adjacent octets have changed");
}

void came(const Completion &completion, ibv_wc_opcode opcode, uint64_t number, size_t size) {
    if (completion.wc.opcode != opcode)
        throw Failed(fmt::format("completed as another operation ({})",
                                 static_cast<int>(completion.wc.opcode)));
    if (completion.wc.wr_id != number)
        throw Failed(fmt::format("completed out of order: {}", completion.wc.wr_id));
    if (completion.wc.byte_len != size)
        throw Failed(fmt::format("received {} octets", completion.wc.byte_len));
}

void send(Loop &loop, const Message &m) {
    prepare({loop.a(), loop.b()}, m);
    works(loop.b().receive(m.in(), 2), "receive");
    works(loop.a().send(m.out(), 1), "send");
    loop.good(loop.a());
    came(loop.good(loop.b()), IBV_WC_RECV, 2, m.size);
    check({loop.a(), loop.b()}, m);
}

// A Send that is gathered from two pieces. Neither piece is empty.
void pieces(Loop &loop, const Message &m) {
    const size_t first = m.size / 3;
    prepare({loop.a(), loop.b()}, m);
    works(loop.b().receive(m.in(), 2), "receive");
    works(
        loop.a().send_pieces({m.out().offset, first}, {m.out().offset + first, m.size - first}, 1),
        "send");
    loop.good(loop.a());
    came(loop.good(loop.b()), IBV_WC_RECV, 2, m.size);
    check({loop.a(), loop.b()}, m);
}

// Post a Write, and then a Send. When the Send has arrived, the Write has also arrived.
void write(Loop &loop, const Message &m) {
    prepare({loop.a(), loop.b()}, m);
    works(loop.b().receive({0, 0}, 2), "receive");
    works(loop.a().write_and_send(m.out(), loop.b().remote(m.in().offset), {0, 0}, 1), "write");
    loop.good(loop.a());
    came(loop.good(loop.b()), IBV_WC_RECV, 2, 0);
    check({loop.a(), loop.b()}, m);
}

void read(Loop &loop, const Message &m) {
    prepare({loop.b(), loop.a()}, m);
    works(loop.a().read(m.in(), loop.b().remote(m.out().offset), 1), "read");
    came(loop.good(loop.a()), IBV_WC_RDMA_READ, 1, m.size);
    check({loop.b(), loop.a()}, m);
}

void imm(Loop &loop, const Message &m) {
    const bool whole = loop.a().is_direct();
    Imm sent;
    fill(sent, ~m.key);
    prepare({loop.a(), loop.b()}, m);
    works(loop.b().receive({0, 0}, 2), "receive");
    works(loop.a().write_imm(m.out(), loop.b().remote(m.in().offset), sent, whole, 1), "write");
    loop.good(loop.a());
    const Completion completion = loop.good(loop.b());
    came(completion, IBV_WC_RECV_RDMA_WITH_IMM, 2, m.size);
    if (!std::equal(sent.begin(), sent.begin() + (whole ? 8 : 4), completion.imm.begin()))
        throw Failed("received a wrong immediate");
    check({loop.a(), loop.b()}, m);
}

std::string everywhere(const Place &place, Transfer transfer, size_t least) {
    Loop loop(place);
    uint64_t messages = 0;
    for (const size_t size : sizes)
        for (const size_t from : misalignments)
            for (const size_t to : misalignments) {
                if (size < least || (size >= long_size && from != to))
                    continue;
                const Message message{size, from, to, ++messages};
                try {
                    transfer(loop, message);
                } catch (const Failed &failed) {
                    throw Failed(fmt::format("{} octets from offset {} to {}: {}", size, from, to,
                                             failed.what()));
                }
            }
    return fmt::format("{} messages of {} to {} octets", messages, least, longest);
}

// Fill half of the queue with messages, several times. Check that the messages arrive in order,
// each in its own receive.
std::string order(const Place &place) {
    constexpr size_t many = End::depth / 2;
    constexpr size_t size = 1000;
    constexpr uint64_t rounds = 20;
    Loop loop(place);
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < many; i++) {
            works(loop.b().receive({in_at + i * size, size}, i), "receive");
            fill(loop.a().part({out_at + i * size, size}), round * many + i);
        }
        for (size_t i = 0; i < many; i++)
            works(loop.a().send({out_at + i * size, size}, i), "send");
        for (size_t i = 0; i < many; i++) {
            if (loop.good(loop.a()).wc.wr_id != i)
                throw Failed("Sends complete out of order");
            came(loop.good(loop.b()), IBV_WC_RECV, i, size);
            if (const auto d =
                    difference(loop.b().part({in_at + i * size, size}), round * many + i))
                throw Failed(fmt::format("message {}: {}", i, difference_word(*d, size)));
        }
    }
    return fmt::format("{} Sends, {} at once", rounds * many, many);
}

} // namespace

std::vector<LoopCase> data_cases() {
    const auto all = [](Transfer transfer, size_t least = 0) {
        return [=](const Place &place) { return everywhere(place, transfer, least); };
    };
    return {{"send", 0, false, all(send)},
            {"send-pieces", 0, false, all(pieces, 3)},
            {"send-order", 0, false, order},
            {"write", 0, false, all(write)},
            // siw does not support a Read of zero length.
            {"read", 0, false,
             [](const Place &place) { return everywhere(place, read, place.is_direct ? 0 : 1); }},
            {"write-imm", has_imm, false, all(imm)}};
}

} // namespace xiw::traffic
