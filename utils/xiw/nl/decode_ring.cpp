// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include <linux/xiw.h>

namespace xiw::nl {

namespace {

Ring ring(const Attributes &entry) {
    return {
        .kind = entry.required(XIW_A_RING_ENTRY_KIND),
        .vector = entry.number(XIW_A_RING_ENTRY_VECTOR),
        .size = entry.number(XIW_A_RING_ENTRY_SIZE),
        .done = entry.number(XIW_A_RING_ENTRY_DONE),
        .given = entry.number(XIW_A_RING_ENTRY_GIVEN),
        .posted = entry.number(XIW_A_RING_ENTRY_POSTED),
    };
}

} // namespace

RingSet decode_rings(const Attributes &reply) {
    RingSet set{
        .device = device_ref(reply, XIW_A_RING_DEV_INDEX, XIW_A_RING_DEV_NAME),
        .qpn = reply.number(XIW_A_RING_QPN),
        .vector = reply.number(XIW_A_RING_VECTOR),
        .stream = reply.number(XIW_A_RING_STREAM),
        .rings = {},
        .registers = {},
    };
    for (const Attributes &entry : reply.nests(XIW_A_RING_ENTRY))
        set.rings.push_back(ring(entry));
    for (const Attributes &entry : reply.nests(XIW_A_RING_REGISTER))
        set.registers.push_back({entry.text(XIW_A_REGISTER_ENTRY_NAME).value_or(""),
                                 entry.required(XIW_A_REGISTER_ENTRY_VALUE)});
    return set;
}

} // namespace xiw::nl
