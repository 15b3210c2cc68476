// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The decoder of `xiw decode` gets packets with any octets, and TCP segments with any content,
// order and flags. The decoder must return, and its totals must be consistent.
#include "input.hpp"

#include <wire/decoder.hpp>

using namespace xiw;

namespace {

enum Control : u8 { backward = 1, syn = 2, fin = 4, rst = 8, again = 16, lost = 32, raw = 64 };

struct Sums {
    u64 items = 0, fpdus = 0, bad = 0, holes = 0;
};

std::vector<u8> packet(u8 control, u32 seq, u32 ack, std::span<const u8> octets) {
    std::vector<u8> ip(40);
    u8 side = control & backward;

    ip[0] = 0x45;
    put_unaligned_be16(static_cast<u16>(40 + octets.size()), &ip[2]);
    ip[9] = 6;
    ip[15] = static_cast<u8>(1 + side);
    ip[19] = static_cast<u8>(2 - side);
    put_unaligned_be32(seq, &ip[24]);
    put_unaligned_be32(ack, &ip[28]);
    ip[32] = 0x50;
    ip[33] = static_cast<u8>((control & fin ? 1 : 0) | (control & syn ? 2 : 0) |
                             (control & rst ? 4 : 0) | 0x10);
    ip.insert(ip.end(), octets.begin(), octets.end());
    return ip;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *p, size_t length) {
    static constexpr int links[] = {0, 1, 12, 252, 113, 228, 276, 999};
    Input in(p, length);
    Sums told;
    wire::Decoder decoder([&told](const wire::Item &item) {
        told.items++;
        must(item.connection && item.connection->number);
        if (const auto *f = std::get_if<wire::Fpdu>(&item.what)) {
            told.fpdus++;
            told.bad += f->crc == wire::Crc::bad;
            must(!f->header || f->length >= XIW_DDP_TAGGED_LEN);
            must(!f->header || f->header->payload < f->length);
        }
        if (const auto *g = std::get_if<wire::Gap>(&item.what)) {
            must(g->octets);
            told.holes += g->octets;
        }
    });
    u32 next[2] = {0xffffff00, 0};

    while (!in.empty()) {
        u8 control = in.octet();
        u32 &seq = next[control & backward];
        std::span<const u8> octets = in.octets(in.word());

        if (control & raw) {
            // Copy the packet into a block of its length, so that the sanitizer detects a read
            // beyond the end.
            std::vector<u8> all(octets.begin(), octets.end());
            decoder.packet(links[control & 7], 0, all,
                           static_cast<u32>(all.size()) + (control & again));
            continue;
        }
        if (!(control & lost)) {
            const auto ip = packet(control, seq, next[!(control & backward)], octets);
            decoder.packet(12, 0, ip, static_cast<u32>(ip.size()));
        }
        if (!(control & again))
            seq += static_cast<u32>(octets.size()) + (control & syn ? 1 : 0);
    }
    decoder.finish();

    Sums sums;
    for (const auto &[number, c] : decoder.connections())
        for (const wire::Totals *t : {&c.sent, &c.answered}) {
            sums.fpdus += t->fpdus;
            sums.bad += t->bad_crc;
            sums.holes += t->missing + t->unknown;
        }
    must(sums.fpdus == told.fpdus && sums.bad == told.bad && sums.holes >= told.holes);
    must(decoder.connections().size() <= decoder.packets());
    return 0;
}
