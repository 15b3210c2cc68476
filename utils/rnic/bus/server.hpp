// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A vfio-user server for one client. It checks the client's messages and calls the device.
#ifndef XIW_RNIC_BUS_SERVER_HPP
#define XIW_RNIC_BUS_SERVER_HPP

#include "bus/channel.hpp"
#include "bus/device.hpp"

namespace xiw::rnic::bus {

class Server {
  public:
    Server(Descriptor socket, Device &device) : channel_(std::move(socket)), device_(device) {}

    // Serve the client until it closes the connection.
    void serve();

  private:
    // Handle a command. Return: 0 with the payload of the reply in reply_, or an errno.
    using Handler = int (Server::*)(Message &);
    struct Row {
        Command command;
        size_t payload_min;
        size_t descriptors;
        Handler handler;
    };
    static const Row rows[];

    void remove_eventfds(uint32_t index);
    int handle(Message &message);
    int version(Message &message);
    int dma_map(Message &message);
    int dma_unmap(Message &message);
    int get_info(Message &message);
    int get_region_info(Message &message);
    int get_irq_info(Message &message);
    int set_irqs(Message &message);
    int region_read(Message &message);
    int region_write(Message &message);
    int reset(Message &message);

    Channel channel_;
    Device &device_;
    bool greeted_ = false;
    std::vector<uint8_t> reply_;
};

} // namespace xiw::rnic::bus

#endif
