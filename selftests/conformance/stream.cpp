// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stream.hpp"

#include "crc32c.hpp"
#include "message.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr uint64_t SPACING = 512;
constexpr size_t WORD = 4; // octets of a marker and of a CRC; an FPDU consists of whole words

Octets marker(size_t pointer) {
    Octets made(WORD);

    store(made, 2, 2, pointer);
    return made;
}

} // namespace

Octets Framer::frame(const Octets &fpdu, unsigned skew) {
    bool good = crc_good(fpdu);
    Octets made;
    size_t start = 0; // offset of ULPDU Length in the result
    Crc32c crc;
    size_t body = fpdu.size() - std::min(WORD, fpdu.size());

    for (size_t at = 0; at < fpdu.size(); at += WORD) {
        if (markers && (position_ + made.size()) % SPACING == 0) {
            append(made, marker(at == 0 ? 0 : made.size() - start + skew));
            if (at == 0)
                start = made.size();
        }
        if (at == body && good) {
            crc.add(made);
            append(made, crc.wire());
        } else {
            append(made, OctetView(fpdu).subspan(at, std::min(WORD, fpdu.size() - at)));
        }
    }
    position_ += made.size();
    return made;
}

std::optional<Received> Deframer::next(Octets &input) {
    Received got;
    Crc32c crc;
    size_t at = 0, start = 0, whole = 2 * WORD; // whole: octets of the FPDU without markers

    while (got.fpdu.size() < whole) {
        if (input.size() < at + WORD)
            return {};
        OctetView word = OctetView(input).subspan(at, WORD);
        if (markers && (position_ + at) % SPACING == 0) {
            size_t pointer = got.fpdu.empty() ? 0 : at - start;

            if (load(word, 2, 2) != pointer)
                got.trouble = fmt::format("FPDUPTR {} at stream octet {} instead of {}",
                                          load(word, 2, 2), position_ + at, pointer);
            crc.add(word);
            at += WORD;
            if (got.fpdu.empty())
                start = at;
            continue;
        }
        if (got.fpdu.empty())
            whole = (2 + load(word, 0, 2) + 3) / WORD * WORD + WORD;
        append(got.fpdu, word);
        at += WORD;
        if (got.fpdu.size() == whole)
            got.crc_good = std::ranges::equal(word, crc.wire());
        else
            crc.add(word);
    }
    position_ += at;
    input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(at));
    return got;
}

} // namespace xiw::peer
