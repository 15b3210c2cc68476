// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_SAMPLES_HPP
#define TEST_SAMPLES_HPP

#include "message.hpp"
#include "model/model.hpp"

namespace test {

// Build the kernel's replies. Unless a comment says otherwise, a reply has each attribute.
Attrs device_reply(uint32_t index = 1, std::string_view name = "xiw0");
Attrs capability_reply(bool of_qp);
Attrs connection_reply(bool v6 = false);
Attrs listener_reply();
Attrs dead_connection_reply();
Attrs counter_reply();
Attrs config_reply();
Attrs latency_reply();
Attrs ring_reply(bool qp); // the rings of a QP if `qp`, otherwise those of the device
Attrs capture_segment(uint32_t qpn, uint32_t flags, const std::vector<uint8_t> &octets,
                      uint32_t cut = 0);
Attrs capture_reply(); // segments: a sent one, a truncated received one, a damaged one
Attrs injection_reply();
Attrs terminate_notice(uint64_t number = 7);
Attrs reject_notice(); // an event with few attributes

// Build an MPA frame of the given kind, "Req" or "Rep". `rest` is the frame after the key.
std::vector<uint8_t> startup_frame(std::string_view kind, std::initializer_list<uint8_t> rest);

// Return all counters that the driver reports, each with the value 0.
std::vector<xiw::Counter> driver_counters();

// Return a report with the objects of all replies above.
xiw::Report full_report();
// Return a report with empty lists.
xiw::Report empty_report();

} // namespace test

#endif
