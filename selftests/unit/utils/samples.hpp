// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_SAMPLES_HPP
#define TEST_SAMPLES_HPP

#include "message.hpp"
#include "model/model.hpp"

namespace test {

// Replies with every attribute, as the kernel would send them.
Attrs device_reply(uint32_t index = 1, std::string_view name = "xiw0");
Attrs capability_reply(bool of_qp);
Attrs connection_reply(bool v6 = false);
Attrs listener_reply();
Attrs dead_connection_reply();
Attrs counter_reply();
Attrs config_reply();
Attrs latency_reply();
Attrs ring_reply(bool qp); // rings of a QP, or of the device
Attrs capture_segment(uint32_t qpn, uint32_t flags, const std::vector<uint8_t> &octets,
                      uint32_t cut = 0);
Attrs capture_reply(); // segments: sent, received, truncated; damaged, of a removed QP
Attrs injection_reply();
Attrs terminate_notice(uint64_t number = 7);
Attrs reject_notice(); // an event with few attributes

// Build an MPA frame: "Req" or "Rep", and the text after the key.
std::vector<uint8_t> startup_frame(std::string_view kind, std::initializer_list<uint8_t> rest);

// Get the counters that the driver reports, all with the value 0.
std::vector<xiw::Counter> driver_counters();

// A report with all of the objects above, and one with every list empty.
xiw::Report full_report();
xiw::Report empty_report();

} // namespace test

#endif
