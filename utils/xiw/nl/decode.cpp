// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include "error.hpp"
#include "model/settings.hpp"

#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::nl {

namespace {

std::vector<Numbered> numbered(const std::optional<Attributes> &nest) {
    std::vector<Numbered> list;
    if (nest)
        for (const auto &[type, value] : nest->numbers())
            list.push_back({type, value});
    return list;
}

std::optional<MpaFrame> frame(const Attributes &reply, uint16_t type) {
    const auto nest = reply.nest(type);
    if (!nest)
        return std::nullopt;
    return MpaFrame{
        .revision = nest->number(XIW_A_MPA_FRAME_REVISION),
        .flags = nest->number(XIW_A_MPA_FRAME_FLAGS),
        .ird = nest->number(XIW_A_MPA_FRAME_IRD),
        .ord = nest->number(XIW_A_MPA_FRAME_ORD),
        .private_length = nest->number(XIW_A_MPA_FRAME_PRIVATE_LENGTH),
    };
}

std::vector<Operation> operations(const Attributes &reply, uint16_t type) {
    std::vector<Operation> list;
    for (const Attributes &entry : reply.nests(type))
        list.push_back({
            .opcode = static_cast<uint8_t>(entry.required(XIW_A_OPERATION_ENTRY_OPCODE)),
            .tx = entry.number(XIW_A_OPERATION_ENTRY_TX).value_or(0),
            .rx = entry.number(XIW_A_OPERATION_ENTRY_RX).value_or(0),
            .tx_bytes = entry.number(XIW_A_OPERATION_ENTRY_TX_BYTES),
            .rx_bytes = entry.number(XIW_A_OPERATION_ENTRY_RX_BYTES),
        });
    return list;
}

std::optional<Tcp> tcp(const Attributes &reply, uint16_t type) {
    const auto nest = reply.nest(type);
    if (!nest)
        return std::nullopt;
    return Tcp{
        .rtt = nest->number(XIW_A_TCP_RTT),
        .rtt_var = nest->number(XIW_A_TCP_RTT_VAR),
        .mss = nest->number(XIW_A_TCP_MSS),
        .cwnd = nest->number(XIW_A_TCP_CWND),
        .peer_window = nest->number(XIW_A_TCP_PEER_WINDOW),
        .retransmits = nest->number(XIW_A_TCP_RETRANSMITS),
        .tx_queue = nest->number(XIW_A_TCP_TX_QUEUE),
        .rx_queue = nest->number(XIW_A_TCP_RX_QUEUE),
    };
}

template <typename Sockaddr>
Sockaddr socket_address(Bytes bytes) {
    Sockaddr address;
    if (bytes.size() < sizeof(address))
        throw Malformed(fmt::format("socket address of {} octets", bytes.size()));
    std::memcpy(&address, bytes.data(), sizeof(address));
    return address;
}

} // namespace

DeviceRef device_ref(const Attributes &reply, uint16_t index, uint16_t name) {
    return {reply.required(index), reply.text(name).value_or("")};
}

std::optional<Address> address(const Attributes &reply, uint16_t type) {
    const auto bytes = reply.bytes(type);
    if (!bytes)
        return std::nullopt;
    return decode_address(*bytes);
}

Address decode_address(Bytes bytes) {
    char host[INET6_ADDRSTRLEN];
    sa_family_t family;

    if (bytes.size() < sizeof(family))
        throw Malformed(fmt::format("socket address of {} octets", bytes.size()));
    std::memcpy(&family, bytes.data(), sizeof(family));

    if (family == AF_INET) {
        const auto in = socket_address<sockaddr_in>(bytes);
        inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
        return {host, ntohs(in.sin_port), false};
    }
    if (family == AF_INET6) {
        const auto in = socket_address<sockaddr_in6>(bytes);
        inet_ntop(AF_INET6, &in.sin6_addr, host, sizeof(host));
        std::string name = host;
        if (in.sin6_scope_id != 0)
            name += fmt::format("%{}", in.sin6_scope_id);
        return {name, ntohs(in.sin6_port), true};
    }
    return {};
}

Device decode_device(const Attributes &reply) {
    return {
        .ref = device_ref(reply, XIW_A_DEVICE_INDEX, XIW_A_DEVICE_NAME),
        .ifindex = reply.number(XIW_A_DEVICE_IFINDEX),
        .ifname = {},
        .kind = reply.number(XIW_A_DEVICE_KIND),
        .state = reply.number(XIW_A_DEVICE_STATE),
        .version = reply.text(XIW_A_DEVICE_VERSION).value_or(""),
        .limits = numbered(reply.nest(XIW_A_DEVICE_LIMITS)),
        .objects = numbered(reply.nest(XIW_A_DEVICE_OBJECTS)),
    };
}

CapabilitySet decode_capabilities(const Attributes &reply) {
    CapabilitySet set{
        .device = device_ref(reply, XIW_A_CAPABILITY_DEV_INDEX, XIW_A_CAPABILITY_DEV_NAME),
        .qpn = reply.number(XIW_A_CAPABILITY_QPN),
        .entries = {},
    };
    for (const Attributes &entry : reply.nests(XIW_A_CAPABILITY_ENTRY))
        set.entries.push_back({
            .id = entry.required(XIW_A_CAPABILITY_ENTRY_ID),
            .local = entry.number(XIW_A_CAPABILITY_ENTRY_LOCAL),
            .offered = entry.number(XIW_A_CAPABILITY_ENTRY_OFFERED),
            .peer = entry.number(XIW_A_CAPABILITY_ENTRY_PEER),
            .agreed = entry.number(XIW_A_CAPABILITY_ENTRY_AGREED),
            .known = entry.number(XIW_A_CAPABILITY_ENTRY_KNOWN),
        });
    return set;
}

Connection decode_connection(const Attributes &reply) {
    return {
        .device = device_ref(reply, XIW_A_CONNECTION_DEV_INDEX, XIW_A_CONNECTION_DEV_NAME),
        .qpn = reply.number(XIW_A_CONNECTION_QPN),
        .cm_id = reply.number(XIW_A_CONNECTION_CM_ID),
        .role = reply.number(XIW_A_CONNECTION_ROLE),
        .mpa_state = reply.number(XIW_A_CONNECTION_MPA_STATE),
        .stream_state = reply.number(XIW_A_CONNECTION_STREAM_STATE),
        .local = address(reply, XIW_A_CONNECTION_LOCAL_ADDR),
        .remote = address(reply, XIW_A_CONNECTION_REMOTE_ADDR),
        .mpa_revision = reply.number(XIW_A_CONNECTION_MPA_REVISION),
        .crc = reply.number(XIW_A_CONNECTION_CRC),
        .markers_tx = reply.number(XIW_A_CONNECTION_MARKERS_TX),
        .markers_rx = reply.number(XIW_A_CONNECTION_MARKERS_RX),
        .rtr = reply.number(XIW_A_CONNECTION_RTR),
        .mulpdu = reply.number(XIW_A_CONNECTION_MULPDU),
        .ird = reply.number(XIW_A_CONNECTION_IRD),
        .ord = reply.number(XIW_A_CONNECTION_ORD),
        .ird_used = reply.number(XIW_A_CONNECTION_IRD_USED),
        .ord_used = reply.number(XIW_A_CONNECTION_ORD_USED),
        .frame_sent = frame(reply, XIW_A_CONNECTION_FRAME_SENT),
        .frame_received = frame(reply, XIW_A_CONNECTION_FRAME_RECEIVED),
        .tx_bytes = reply.number(XIW_A_CONNECTION_TX_BYTES),
        .rx_bytes = reply.number(XIW_A_CONNECTION_RX_BYTES),
        .parked = reply.has(XIW_A_CONNECTION_PARKED),
        .terminate = reply.number(XIW_A_CONNECTION_TERMINATE),
        .terminate_origin = reply.number(XIW_A_CONNECTION_TERMINATE_ORIGIN),
        .sq_depth = reply.number(XIW_A_CONNECTION_SQ_DEPTH),
        .sq_used = reply.number(XIW_A_CONNECTION_SQ_USED),
        .rq_depth = reply.number(XIW_A_CONNECTION_RQ_DEPTH),
        .rq_used = reply.number(XIW_A_CONNECTION_RQ_USED),
        .operations = operations(reply, XIW_A_CONNECTION_OPERATION),
        .tcp = tcp(reply, XIW_A_CONNECTION_TCP),
    };
}

CounterSet decode_counters(const Attributes &reply) {
    CounterSet set{
        .device = device_ref(reply, XIW_A_COUNTER_DEV_INDEX, XIW_A_COUNTER_DEV_NAME),
        .counters = {},
        .operations = operations(reply, XIW_A_COUNTER_OPERATION),
    };
    for (const Attributes &entry : reply.nests(XIW_A_COUNTER_ENTRY))
        set.counters.push_back({
            .id = entry.required(XIW_A_COUNTER_ENTRY_ID),
            .value = entry.required(XIW_A_COUNTER_ENTRY_VALUE),
        });
    return set;
}

ConfigSet decode_config(const Attributes &reply) {
    ConfigSet set{
        .device = device_ref(reply, XIW_A_CONFIG_DEV_INDEX, XIW_A_CONFIG_DEV_NAME),
        .settings = {},
    };
    for (const Setting &setting : settings())
        if (const auto value = reply.number(setting.attribute))
            set.settings.push_back({setting.attribute, *value});
    return set;
}

} // namespace xiw::nl
