// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RENDER_TABLES_HPP
#define XIW_RENDER_TABLES_HPP

#include "model/model.hpp"
#include "render/table.hpp"

namespace xiw::render {

// Audience of a table. People get units and short columns. Scripts get plain numbers and every
// column.
enum class Reader { people, script };

Table device_table(const std::vector<Device> &devices);
Table connection_table(const std::vector<Connection> &list, Reader reader);
Table counter_table(const std::vector<CounterSet> &list);
Table capability_table(const std::vector<CapabilitySet> &list);
Table config_table(const std::vector<ConfigSet> &list);
Table latency_table(const std::vector<LatencySet> &list);
Table injection_table(const std::vector<InjectionSet> &list); // for scripts
Table ring_table(const std::vector<RingSet> &list);
Table rate_table(const Activity &activity);
Table notice_table(const std::vector<Notice> &list);
Table explanation_table(const std::vector<Explanation> &list);
Table finding_table(const doctor::Findings &list);
Table ping_table(const Ping &ping, Reader reader);
Table selftest_table(const Selftest &selftest);

// Returns at most `most` lines.
std::vector<std::string> activity_lines(const Activity &activity, bool colour, size_t most);

// Functions that several renderers share.
std::string number(const Maybe &value); // empty without a value
std::string address_word(const std::optional<Address> &address);
std::string state_word(const Connection &connection);
Colour state_colour(const Connection &connection);
std::string frame_word(const MpaFrame &frame);
std::string terminate_text(const Connection &connection);

} // namespace xiw::render

#endif
