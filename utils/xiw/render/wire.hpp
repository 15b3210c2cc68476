// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Print a capture while it is read, because it may be larger than memory.
#ifndef XIW_RENDER_WIRE_HPP
#define XIW_RENDER_WIRE_HPP

#include "wire/wire.hpp"

#include <iosfwd>
#include <map>
#include <memory>
#include <string>

namespace xiw::render {

// Totals of the whole capture.
struct WireSum {
    const std::map<uint64_t, wire::Connection> &connections; // by number
    uint64_t recognised; // number of connections, including those that are not in the list
    uint64_t packets;
    uint64_t other;   // not TCP, or not readable
    uint64_t ignored; // packets of connections beyond the limit
};

class WireRenderer {
  public:
    WireRenderer() = default;
    WireRenderer(const WireRenderer &) = delete;
    WireRenderer(WireRenderer &&) = delete;
    WireRenderer &operator=(const WireRenderer &) = delete;
    WireRenderer &operator=(WireRenderer &&) = delete;
    virtual ~WireRenderer() = default;

    virtual void item(const wire::Item &item) = 0;
    virtual void end(const WireSum &sum) = 0;
};

// Fold lines to `columns` columns; 0 means that lines are not folded.
std::unique_ptr<WireRenderer> wire_text(std::ostream &out, bool colour, size_t columns = 0);
std::unique_ptr<WireRenderer> wire_tsv(std::ostream &out);
std::unique_ptr<WireRenderer> wire_json(std::ostream &out);

// Functions that several renderers share.
std::string host_word(const wire::Endpoint &endpoint);
std::string item_word(const wire::Item &item);   // for example "Send" or "gap"
std::string item_detail(const wire::Item &item); // the fields of the item
std::string crc_word(const wire::Item &item);    // empty if the item has no CRC

} // namespace xiw::render

#endif
