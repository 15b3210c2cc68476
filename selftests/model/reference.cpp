// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "reference.hpp"

#include "atomic_bits.hpp"

#include <cstring>

namespace xiw {

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
    case Verb::SendImm:
        got.with_imm = true;
        got.imm = wr.imm;
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
        const xiw_atomic_req &op = wr.atomic;
        u64 n = wr.verb == Verb::FetchAdd
                    ? fetch_add_by_bits(o, op.data, op.mask)
                    : cmp_swap_by_bits(o, op.data, op.mask, op.compare, op.compare_mask);

        std::memcpy(&memory[wr.to - base_], &n, sizeof(n));
        sent.length = XIW_ATOMIC_LEN;
        sent.original = o;
        break;
    }
    }
    expected.sender.push_back(sent);
}

} // namespace xiw
