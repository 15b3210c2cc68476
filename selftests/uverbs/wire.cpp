// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire.hpp"

#include <string_view>

namespace uverbs {

namespace {

uint32_t crc32c(const Bytes &bytes) {
    uint32_t crc = ~0U;

    for (const auto octet : bytes) {
        crc ^= octet;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

} // namespace

Bytes mpa_request() {
    constexpr std::string_view key = "MPA ID Req Frame";
    Bytes frame(key.begin(), key.end());

    frame.insert(frame.end(), {0x40, 1, 0, 0}); // CRC; revision 1; no private data
    return frame;
}

void untagged(Bytes &to, uint8_t opcode, uint32_t queue, uint32_t msn, const Bytes &payload) {
    Bytes fpdu;

    number(fpdu, static_cast<uint16_t>(18 + payload.size()));
    fpdu.push_back(0x41);
    fpdu.push_back(static_cast<uint8_t>(0x40 | opcode));
    number(fpdu, uint32_t{0});
    number(fpdu, queue);
    number(fpdu, msn);
    number(fpdu, uint32_t{0});
    fpdu.insert(fpdu.end(), payload.begin(), payload.end());
    fpdu.resize((fpdu.size() + 3) / 4 * 4);
    const uint32_t crc = crc32c(fpdu);
    to.insert(to.end(), fpdu.begin(), fpdu.end());
    for (int i = 0; i < 4; i++)
        to.push_back(static_cast<uint8_t>(crc >> (8 * i)));
}

} // namespace uverbs
