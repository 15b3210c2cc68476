// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_MESSAGE_HPP
#define XIW_WIRE_MESSAGE_HPP

#include "wire/wire.hpp"

struct xiw_mpa_frame;

namespace xiw::wire {

// Parse the headers of a ULPDU. The result is empty if the ULPDU is too short.
std::optional<DdpHeader> parse_header(Span ulpdu);
// Parse the payload of a Read Request, an Atomic Request or Response, Immediate Data or a
// Terminate. The result is empty for other messages, and if the payload is incomplete.
Body parse_body(const DdpHeader &header, Span ulpdu);

// Convert an MPA frame. If good is false, the frame is invalid, and the result has only the fields
// that could be read.
Startup make_startup(const xiw_mpa_frame &frame, bool good, Span octets);

// Parse a Request or a Reply. Missing private data counts as zeros.
Startup parse_startup(Span octets);

} // namespace xiw::wire

#endif
