// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <linux/vfio.h>

namespace xiw::rnic::bus {

namespace {

// The capabilities that the server reports, as a null-terminated JSON string. The capability for
// several writes in one message is absent, because the server does not support such messages.
constexpr char capabilities[] = R"({"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576,)"
                                R"("max_dma_maps":65535,"pgsizes":4096}})";

template <typename T>
T get(const Message &message) {
    T value{};
    std::memcpy(&value, message.payload.data(), sizeof(value));
    return value;
}

template <typename T>
void put(std::vector<uint8_t> &out, const T &value) {
    const auto *octets = reinterpret_cast<const uint8_t *>(&value);
    out.insert(out.end(), octets, octets + sizeof(value));
}

bool inside(uint64_t offset, uint64_t count, uint64_t size) {
    return count <= size && offset <= size - count;
}

} // namespace

const Server::Row Server::rows[] = {
    {Command::version, 5, 0, &Server::version},
    {Command::dma_map, sizeof(DmaMap), 1, &Server::dma_map},
    {Command::dma_unmap, sizeof(DmaUnmap), 0, &Server::dma_unmap},
    {Command::get_info, sizeof(vfio_device_info::argsz), 0, &Server::get_info},
    {Command::get_region_info, sizeof(vfio_region_info), 0, &Server::get_region_info},
    {Command::get_irq_info, sizeof(vfio_irq_info), 0, &Server::get_irq_info},
    {Command::set_irqs, sizeof(vfio_irq_set), descriptors_max, &Server::set_irqs},
    {Command::region_read, sizeof(RegionAccess), 0, &Server::region_read},
    {Command::region_write, sizeof(RegionAccess), 0, &Server::region_write},
    {Command::reset, 0, 0, &Server::reset},
};

void Server::serve() {
    Message message;

    while (channel_.receive(message)) {
        reply_.clear();
        const int error = handle(message);
        const bool sent = error != 0 ? channel_.fail(message.header, error)
                                     : channel_.reply(message.header, reply_);
        if (!sent)
            break;
    }
    // Put the function into its power-on state for the next client.
    device_.reset();
    device_.dma_unmap_all();
    remove_eventfds(VFIO_PCI_MSIX_IRQ_INDEX);
}

void Server::remove_eventfds(uint32_t index) {
    for (uint32_t i = 0; i < device_.irq_count(index); i++)
        device_.irq_assign(index, i, {});
}

int Server::handle(Message &message) {
    const auto *row = std::find_if(std::begin(rows), std::end(rows), [&](const Row &r) {
        return static_cast<uint16_t>(r.command) == message.header.command;
    });
    if (row == std::end(rows))
        return ENOSYS;
    if ((message.header.flags & flag_type_mask) != 0 || message.truncated ||
        message.descriptors.size() > row->descriptors || message.payload.size() < row->payload_min)
        return EINVAL;
    if (greeted_ == (row->command == Command::version))
        return EINVAL;
    return (this->*row->handler)(message);
}

int Server::version(Message &message) {
    const auto major = get<uint16_t>(message);

    if (major != 0 || message.payload.back() != 0)
        return EINVAL;
    greeted_ = true;
    put(reply_, uint16_t{0});
    put(reply_, uint16_t{0});
    reply_.insert(reply_.end(), std::begin(capabilities), std::end(capabilities));
    return 0;
}

int Server::dma_map(Message &message) {
    Descriptor file;

    if (!message.descriptors.empty())
        file = std::move(message.descriptors.front());
    return device_.dma_map(get<DmaMap>(message), std::move(file));
}

int Server::dma_unmap(Message &message) {
    const auto unmap = get<DmaUnmap>(message);

    if ((unmap.flags & dma_unmap_all) != 0)
        device_.dma_unmap_all();
    else
        device_.dma_unmap(unmap.address, unmap.size);
    put(reply_, unmap);
    return 0;
}

int Server::get_info(Message &) {
    vfio_device_info info{};

    // Omit the capability chain, which is empty.
    info.argsz = 16;
    info.flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI;
    info.num_regions = VFIO_PCI_NUM_REGIONS;
    info.num_irqs = VFIO_PCI_NUM_IRQS;
    put(reply_, info);
    reply_.resize(info.argsz);
    return 0;
}

int Server::get_region_info(Message &message) {
    auto info = get<vfio_region_info>(message);

    if (info.index >= VFIO_PCI_NUM_REGIONS)
        return EINVAL;
    info.argsz = sizeof(info);
    info.flags = 0;
    info.cap_offset = 0;
    info.offset = 0;
    info.size = device_.region_size(info.index);
    if (info.size > 0)
        info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
    put(reply_, info);
    return 0;
}

int Server::get_irq_info(Message &message) {
    auto info = get<vfio_irq_info>(message);

    if (info.index >= VFIO_PCI_NUM_IRQS)
        return EINVAL;
    info.argsz = sizeof(info);
    // Do not set NORESIZE. With NORESIZE, QEMU would disable all vectors before it adds one.
    info.flags = VFIO_IRQ_INFO_EVENTFD;
    info.count = device_.irq_count(info.index);
    put(reply_, info);
    return 0;
}

// DATA_EVENTFD without descriptors removes the eventfds of the range. DATA_NONE with count 0
// removes all eventfds.
int Server::set_irqs(Message &message) {
    const auto set = get<vfio_irq_set>(message);
    const uint32_t data = set.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
    const uint32_t action = set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;

    if (set.index >= VFIO_PCI_NUM_IRQS ||
        !inside(set.start, set.count, device_.irq_count(set.index)))
        return EINVAL;
    if (action == VFIO_IRQ_SET_ACTION_MASK || action == VFIO_IRQ_SET_ACTION_UNMASK)
        return 0; // the client itself masks MSI-X
    if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
        return EINVAL;
    if (data == VFIO_IRQ_SET_DATA_NONE && set.count == 0) {
        remove_eventfds(set.index);
        return 0;
    }
    const auto *bools = message.payload.data() + sizeof(set);
    if (data == VFIO_IRQ_SET_DATA_BOOL && message.payload.size() - sizeof(set) < set.count)
        return EINVAL;
    if (data == VFIO_IRQ_SET_DATA_EVENTFD && !message.descriptors.empty() &&
        message.descriptors.size() != set.count)
        return EINVAL;
    for (uint32_t i = 0; i < set.count; i++) {
        if (data == VFIO_IRQ_SET_DATA_EVENTFD)
            device_.irq_assign(set.index, set.start + i,
                               message.descriptors.empty() ? Descriptor()
                                                           : std::move(message.descriptors[i]));
        else if (data == VFIO_IRQ_SET_DATA_NONE ||
                 (data == VFIO_IRQ_SET_DATA_BOOL && bools[i] != 0))
            device_.irq_trigger(set.index, set.start + i);
        else if (data != VFIO_IRQ_SET_DATA_BOOL)
            return EINVAL;
    }
    return 0;
}

int Server::region_read(Message &message) {
    const auto access = get<RegionAccess>(message);

    if (access.count > data_max ||
        !inside(access.offset, access.count, device_.region_size(access.region)))
        return EINVAL;
    put(reply_, access);
    reply_.resize(sizeof(access) + access.count);
    device_.read(access.region, access.offset, std::span(reply_).subspan(sizeof(access)));
    return 0;
}

int Server::region_write(Message &message) {
    const auto access = get<RegionAccess>(message);

    if (access.count > message.payload.size() - sizeof(access) ||
        !inside(access.offset, access.count, device_.region_size(access.region)))
        return EINVAL;
    device_.write(access.region, access.offset,
                  Octets(message.payload).subspan(sizeof(access), access.count));
    put(reply_, access);
    return 0;
}

int Server::reset(Message &) {
    device_.reset();
    return 0;
}

} // namespace xiw::rnic::bus
