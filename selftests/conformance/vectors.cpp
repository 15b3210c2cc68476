// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include "message.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr std::string_view stags[] = {"stag", "inv", "sink_stag", "src_stag", "target_stag"};
constexpr std::string_view offsets[] = {"to", "sink_to", "src_to", "target_to"};
constexpr std::string_view identifiers[] = {"id"};

std::vector<std::string> columns(const std::string &line) {
    std::vector<std::string> found;
    std::istringstream in(line);

    for (std::string word; std::getline(in, word, '\t');)
        found.push_back(word);
    return found;
}

Octets octets_or_none(const std::string &text) {
    return text == "-" ? Octets{} : octets_of_hex(text);
}

void replace(Frame &frame, std::span<const std::string_view> names,
             const std::map<uint64_t, uint64_t> &by) {
    for (const Field &f : frame.fields) {
        if (std::ranges::find(names, f.name) == names.end())
            continue;
        if (auto found = by.find(f.get(frame.octets)); found != by.end())
            f.set(frame.octets, found->second);
    }
}

void replace_all(Frame &frame, const Translation &t) {
    replace(frame, stags, t.stag);
    replace(frame, offsets, t.to);
    replace(frame, identifiers, t.id);
}

/*
 * A Terminate may contain the DDP header of the offending segment, and with the R bit also the
 * RDMAP header of the Read Request. Append zeros to these headers, so that decode() can parse them
 * as an FPDU.
 */
void replace_returned(Frame &frame, const Translation &t) {
    auto header = std::ranges::find(frame.parts, "header", &Part::name);
    if (header == frame.parts.end() || header->size == 0)
        return;
    OctetView view = OctetView(frame.octets).subspan(header->at, header->size);
    Octets ulpdu(view.begin(), view.end());
    const size_t padded = 70; // the longest header
    ulpdu.resize(std::max(ulpdu.size(), padded));
    Frame returned = decode(frame_ulpdu(ulpdu, {}));
    replace_all(returned, t);
    std::copy_n(returned.octets.begin() + 2, header->size,
                frame.octets.begin() + static_cast<std::ptrdiff_t>(header->at));
}

} // namespace

Vectors Vectors::read(const std::string &file) {
    std::ifstream in(file);
    Vectors made;

    if (!in)
        throw std::runtime_error(fmt::format("cannot read {}", file));
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.starts_with('#') || line.starts_with("id\t"))
            continue;
        std::vector<std::string> c = columns(line);
        if (c.size() != 7)
            throw std::runtime_error(fmt::format("{}: {}: not 7 columns", file, c[0]));
        made.rows_.push_back({
            .id = c[0],
            .octets = octets_of_hex(c[1]),
            .startup = c[2].starts_with("key=") || c[1].starts_with("4d504120"),
            .marked = c[2].starts_with("marker_at="),
            .expect = c[5],
            .terminate = octets_or_none(c[6]),
        });
    }
    return made;
}

const Vector &Vectors::at(std::string_view id) const {
    auto found = std::ranges::find(rows_, id, &Vector::id);

    if (found == rows_.end())
        throw std::invalid_argument(fmt::format("no vector {}", id));
    return *found;
}

Octets Translation::apply(const Octets &fpdu) const {
    Frame frame = decode(fpdu);
    bool good = crc_good(fpdu);

    if (stag.empty() && to.empty() && id.empty())
        return fpdu;
    replace_all(frame, *this);
    if (frame.kind == "terminate")
        replace_returned(frame, *this);
    if (good)
        crc_renew(frame.octets);
    return frame.octets;
}

} // namespace xiw::peer
