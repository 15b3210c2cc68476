// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_MESSAGE_HPP
#define XIW_WIRE_MESSAGE_HPP

#include "wire/wire.hpp"

struct xiw_mpa_frame;

namespace xiw::wire {

// The headers of a ULPDU; none if it is too short for them.
std::optional<DdpHeader> parse_header(Span ulpdu);
// What stands behind the header, for the operations that have a header of their own.
Body parse_body(const DdpHeader &header, Span ulpdu);

// A frame that is not good breaks the rules: what could be read of it.
Startup make_startup(const xiw_mpa_frame &frame, bool good, Span octets);

} // namespace xiw::wire

#endif
