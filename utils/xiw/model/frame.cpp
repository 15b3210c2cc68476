// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/model.hpp"

#include "wire/message.hpp"

namespace xiw {

MpaFrame mpa_frame(const wire::Startup &s) {
    return {.revision = s.revision,
            .markers = s.markers,
            .crc = s.crc,
            .reject = s.reject,
            .enhanced = s.enhanced,
            .peer_to_peer = s.peer_to_peer,
            .rtr_send = s.rtr_send,
            .rtr_write = s.rtr_write,
            .rtr_read = s.rtr_read,
            .ird = s.ird,
            .ord = s.ord,
            .private_length = s.private_data.size()};
}

MpaFrame mpa_frame(std::span<const uint8_t> octets) {
    const wire::Startup s = wire::parse_startup(octets);
    MpaFrame frame = mpa_frame(s);
    if (s.enhanced) {
        frame.ird = s.ird.value_or(wire::depth_none);
        frame.ord = s.ord.value_or(wire::depth_none);
    }
    return frame;
}

} // namespace xiw
