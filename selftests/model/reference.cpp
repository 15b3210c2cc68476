// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "reference.hpp"

#include <cstring>

namespace xiw {
namespace {

u64 add_fields(u64 orig, u64 add, u64 mask) {
    unsigned carry = 0;
    u64 sum = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned total = (orig >> bit & 1) + (add >> bit & 1) + carry;

        sum |= static_cast<u64>(total & 1) << bit;
        carry = mask >> bit & 1 ? 0 : total >> 1;
    }
    return sum;
}

u64 swap_bits(u64 orig, const xiw_atomic_req &op) {
    for (unsigned bit = 0; bit < 64; bit++)
        if (op.compare_mask >> bit & 1 && (orig >> bit & 1) != (op.compare >> bit & 1))
            return orig;
    for (unsigned bit = 0; bit < 64; bit++)
        if (op.mask >> bit & 1)
            orig = (orig & ~(1ULL << bit)) | (op.data & 1ULL << bit);
    return orig;
}

} // namespace

u64 Reference::word(u64 to) const {
    u64 w;

    std::memcpy(&w, &memory[to - base_], sizeof(w));
    return w;
}

void Reference::apply(const WorkRequest &wr, u64 receive_id, Expected &expected) {
    Completion sent, got;

    sent.id = wr.id;
    sent.length = static_cast<u32>(wr.data.size());
    got.id = receive_id;
    got.receive = true;
    got.solicited = wr.solicited;
    got.length = sent.length;
    switch (wr.verb) {
    case Verb::SendInv:
        got.invalidated = wr.invalidate;
        [[fallthrough]];
    case Verb::Send:
        got.data = wr.data;
        expected.receiver.push_back(got);
        break;
    case Verb::WriteImm:
        got.with_imm = true;
        got.imm = wr.imm;
        expected.receiver.push_back(got);
        [[fallthrough]];
    case Verb::Write:
        std::copy(wr.data.begin(), wr.data.end(),
                  memory.begin() + static_cast<long>(wr.to - base_));
        break;
    case Verb::Read:
    case Verb::ReadInv:
        sent.length = wr.length;
        sent.data.assign(memory.begin() + static_cast<long>(wr.to - base_),
                         memory.begin() + static_cast<long>(wr.to - base_ + wr.length));
        break;
    case Verb::FetchAdd:
    case Verb::CmpSwap: {
        u64 o = word(wr.to);
        u64 n = wr.verb == Verb::FetchAdd ? add_fields(o, wr.atomic.data, wr.atomic.mask)
                                          : swap_bits(o, wr.atomic);

        std::memcpy(&memory[wr.to - base_], &n, sizeof(n));
        sent.length = XIW_ATOMIC_LEN;
        sent.original = o;
        break;
    }
    }
    expected.sender.push_back(sent);
}

} // namespace xiw
