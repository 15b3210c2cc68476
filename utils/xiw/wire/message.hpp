// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_MESSAGE_HPP
#define XIW_WIRE_MESSAGE_HPP

#include "wire/wire.hpp"

struct xiw_mpa_frame;

namespace xiw::wire {

// Parse the headers of a ULPDU; empty if it is too short.
std::optional<DdpHeader> parse_header(Span ulpdu);
// Parse what follows the header, for operations that have a header of their own.
Body parse_body(const DdpHeader &header, Span ulpdu);

// If the frame is not good, it violates the rules: the result has the fields that were readable.
Startup make_startup(const xiw_mpa_frame &frame, bool good, Span octets);

// Parse a Request or a Reply. Private data that is not there is taken for zeros.
Startup parse_startup(Span octets);

} // namespace xiw::wire

#endif
