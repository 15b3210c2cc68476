// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Get the listeners that wait for a port. Only the driver has this information.
#include "doctor/doctor.hpp"
#include "doctor/driver.hpp"

#include "render/tables.hpp"

namespace xiw::doctor {

std::vector<Waiting> waiting_listeners() {
    return ask([](Collector &collector) {
        std::vector<Waiting> list;
        for (const Connection &connection : collector.connections())
            if (connection.port_taken && connection.local)
                list.push_back({.device = connection.device.name,
                                .address = render::address_word(connection.local),
                                .port = connection.local->port});
        return list;
    });
}

} // namespace xiw::doctor
