// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include <linux/xiw.h>

namespace xiw::nl {

namespace {

Fault fault(const Attributes &entry) {
    return {
        .kind = entry.required(XIW_A_FAULT_ENTRY_KIND),
        .qpn = entry.number(XIW_A_FAULT_ENTRY_QPN),
        .at = entry.number(XIW_A_FAULT_ENTRY_AT),
        .every = entry.number(XIW_A_FAULT_ENTRY_EVERY),
        .count = entry.number(XIW_A_FAULT_ENTRY_COUNT),
        .time = entry.number(XIW_A_FAULT_ENTRY_TIME),
        .octets = entry.number(XIW_A_FAULT_ENTRY_OCTETS),
        .seen = entry.number(XIW_A_FAULT_ENTRY_SEEN),
        .hits = entry.number(XIW_A_FAULT_ENTRY_HITS),
    };
}

} // namespace

FaultSet decode_faults(const Attributes &reply) {
    FaultSet set{
        .device = device_ref(reply, XIW_A_FAULT_DEV_INDEX, XIW_A_FAULT_DEV_NAME),
        .armed = {},
    };
    for (const Attributes &entry : reply.nests(XIW_A_FAULT_ENTRY))
        set.armed.push_back(fault(entry));
    return set;
}

} // namespace xiw::nl
