// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Get the listeners that wait for a port. Only the driver has this information, so this is the only
// check that sends a request to the driver.
#include "doctor/doctor.hpp"

#include "error.hpp"
#include "model/collect.hpp"
#include "nl/client.hpp"
#include "render/tables.hpp"

namespace xiw::doctor {

std::vector<Waiting> waiting_listeners() {
    std::vector<Waiting> list;

    try {
        nl::Socket socket;
        nl::Client client(socket);
        Collector collector(client, nullptr);
        for (const Connection &connection : collector.connections())
            if (connection.port_taken && connection.local)
                list.push_back({.device = connection.device.name,
                                .address = render::address_word(connection.local),
                                .port = connection.local->port});
    } catch (const Error &) {
        // Other checks report why the driver does not answer.
        list.clear();
    }
    return list;
}

} // namespace xiw::doctor
