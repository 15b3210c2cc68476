// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/collect.hpp"

#include "error.hpp"
#include "nl/client.hpp"
#include "nl/decode.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw {

namespace {

uint32_t narrow(uint64_t index) {
    return static_cast<uint32_t>(index);
}

} // namespace

Collector::Collector(nl::Client &client, NameOf ifname)
    : client_(client), ifname_(std::move(ifname)) {}

template <typename Item, typename Decode>
std::vector<Item> Collector::read(uint8_t command, uint16_t device_attribute, Decode decode,
                                  int attempts) {
    const auto fill = [&](nl::Request &request) {
        if (only_ && device_attribute != 0)
            request.number(device_attribute, *only_);
    };
    std::vector<Item> items;
    for (int attempt = 1;; attempt++) {
        items.clear();
        const bool whole = client_.dump(
            command, fill, [&](const nl::Attributes &reply) { items.push_back(decode(reply)); });
        if (whole)
            break;
        if (attempt >= attempts) {
            report_.consistent = false;
            break;
        }
    }
    return items;
}

std::vector<Device> Collector::read_devices() {
    auto list = read<Device>(XIW_CMD_DEVICE_GET, 0, nl::decode_device);
    for (Device &device : list)
        if (device.ifindex)
            device.ifname = ifname_(*device.ifindex);
    return list;
}

DeviceRef Collector::only(const std::string &name) {
    std::string others;

    for (const Device &device : read_devices()) {
        if (device.ref.name == name) {
            only_ = narrow(device.ref.index);
            return device.ref;
        }
        others += (others.empty() ? "" : ", ") + device.ref.name;
    }
    throw Error(Exit::failed, fmt::format("no xiw device \"{}\" in this network namespace", name),
                others.empty() ? "there are no devices" : "valid: " + others);
}

const std::vector<Device> &Collector::devices() {
    auto list = read_devices();
    if (only_)
        std::erase_if(list, [this](const Device &device) { return device.ref.index != *only_; });
    return report_.devices.emplace(std::move(list));
}

void Collector::capabilities(bool with_qps) {
    if (with_qps) {
        report_.capabilities = read<CapabilitySet>(
            XIW_CMD_CAPABILITY_GET, XIW_A_CAPABILITY_DEV_INDEX, nl::decode_capabilities);
        return;
    }
    std::vector<CapabilitySet> sets;
    for (const Device &device : report_.devices ? *report_.devices : read_devices()) {
        if (only_ && device.ref.index != *only_)
            continue;
        try {
            client_.ask(
                XIW_CMD_CAPABILITY_GET,
                [&](nl::Request &request) {
                    request.number(XIW_A_CAPABILITY_DEV_INDEX, narrow(device.ref.index));
                },
                [&](const nl::Attributes &reply) {
                    sets.push_back(nl::decode_capabilities(reply));
                });
        } catch (const nl::Refused &refused) {
            // The device was removed after the list was read. Show the other devices.
            if (refused.error() != ENODEV)
                throw;
            report_.consistent = false;
        }
    }
    report_.capabilities = std::move(sets);
}

const std::vector<Connection> &Collector::connections(int attempts) {
    return report_.connections.emplace(read<Connection>(
        XIW_CMD_CONNECTION_GET, XIW_A_CONNECTION_DEV_INDEX, nl::decode_connection, attempts));
}

void Collector::counters() {
    report_.counters =
        read<CounterSet>(XIW_CMD_COUNTER_GET, XIW_A_COUNTER_DEV_INDEX, nl::decode_counters);
}

void Collector::notices() {
    report_.notices = read<Notice>(XIW_CMD_NOTICE_GET, XIW_A_NOTICE_DEV_INDEX, nl::decode_notice);
}

void Collector::latency() {
    report_.latency =
        read<LatencySet>(XIW_CMD_LATENCY_GET, XIW_A_LATENCY_DEV_INDEX, nl::decode_latency);
}

void Collector::rings() {
    report_.rings = read<RingSet>(XIW_CMD_RING_GET, XIW_A_RING_DEV_INDEX, nl::decode_rings);
}

void Collector::injections() {
    report_.injections =
        read<InjectionSet>(XIW_CMD_INJECT_GET, XIW_A_INJECT_DEV_INDEX, nl::decode_injections);
}

const std::vector<ConfigSet> &Collector::config() {
    return report_.config.emplace(
        read<ConfigSet>(XIW_CMD_CONFIG_GET, XIW_A_CONFIG_DEV_INDEX, nl::decode_config));
}

} // namespace xiw
