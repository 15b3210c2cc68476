// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Which listeners wait for a port? Only the driver knows, so this check is the only one that asks
// the driver.
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
