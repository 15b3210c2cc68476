// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_DECODE_HPP
#define XIW_NL_DECODE_HPP

#include "model/capture.hpp"
#include "model/model.hpp"
#include "nl/attributes.hpp"

// Decode replies of the family "xiw" into plain data, according to the tables of the objects. All
// functions throw Malformed if a required attribute is missing, or if an attribute has a wrong
// length.

namespace xiw::nl {

Device decode_device(const Attributes &reply);
CapabilitySet decode_capabilities(const Attributes &reply);
Connection decode_connection(const Attributes &reply);
CounterSet decode_counters(const Attributes &reply);
ConfigSet decode_config(const Attributes &reply);
Notice decode_notice(const Attributes &reply);
LatencySet decode_latency(const Attributes &reply);
RingSet decode_rings(const Attributes &reply);
InjectionSet decode_injections(const Attributes &reply);
Captured decode_captured(const Attributes &reply);

// Decode a struct sockaddr_in or sockaddr_in6; another family gives an empty host.
Address decode_address(Bytes bytes);

} // namespace xiw::nl

#endif
