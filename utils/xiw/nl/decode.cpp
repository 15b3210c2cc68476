// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include "error.hpp"
#include "model/settings.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::nl {

namespace {

// Maximum number of buckets of a histogram.
constexpr size_t buckets_most = 64;

std::vector<uint8_t> octets_of(Bytes bytes) {
    std::vector<uint8_t> list(bytes.size());
    std::ranges::transform(bytes, list.begin(),
                           [](std::byte b) { return std::to_integer<uint8_t>(b); });
    return list;
}

template <typename Object>
Object decode(const Attributes &reply);

// Reads the values of an object, row by row.
template <typename Object>
class Reader {
  public:
    Reader(Object &object, const Attributes &reply) : object_(object), reply_(reply) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*member) {
        if (field.attribute != 0)
            read(field, object_.*member);
    }
    template <typename Value, typename Base>
    void operator()(const Field &, Value (*)(const Base &)) {}
    void column(const char *, const auto &...) {}

  private:
    void read(const Field &field, Maybe &value) { value = reply_.number(field.attribute); }
    void read(const Field &field, uint64_t &value) {
        value = field.optional ? reply_.number(field.attribute).value_or(0)
                               : reply_.required(field.attribute);
    }
    void read(const Field &field, uint8_t &value) {
        value = static_cast<uint8_t>(reply_.required(field.attribute));
    }
    void read(const Field &field, bool &value) { value = reply_.has(field.attribute); }
    void read(const Field &field, std::string &value) {
        value = reply_.text(field.attribute).value_or("");
    }
    void read(const Field &field, DeviceRef &value) {
        value = {reply_.required(field.attribute), reply_.text(field.name_attribute).value_or("")};
    }
    void read(const Field &field, std::optional<Address> &value) {
        if (const auto bytes = reply_.bytes(field.attribute))
            value = decode_address(*bytes);
    }
    void read(const Field &field, std::vector<uint8_t> &value) {
        if (const auto bytes = reply_.bytes(field.attribute))
            value = octets_of(*bytes);
    }
    void read(const Field &field, std::optional<MpaFrame> &value) {
        if (const auto bytes = reply_.bytes(field.attribute))
            value = mpa_frame(octets_of(*bytes));
    }
    void read(const Field &field, std::vector<uint64_t> &value) {
        const auto bytes = reply_.bytes(field.attribute);
        if (!bytes)
            return;
        if (bytes->size() % sizeof(uint64_t) != 0 ||
            bytes->size() > buckets_most * sizeof(uint64_t))
            throw Malformed(fmt::format("histogram of {} octets", bytes->size()));
        value.resize(bytes->size() / sizeof(uint64_t));
        if (!value.empty())
            std::memcpy(value.data(), bytes->data(), bytes->size());
    }
    void read(const Field &field, std::vector<Numbered> &value) {
        if (const auto nest = reply_.nest(field.attribute))
            for (const auto &[type, number] : nest->numbers())
                value.push_back({type, number});
    }
    template <typename Part>
    void read(const Field &field, std::optional<Part> &value) {
        if (const auto nest = reply_.nest(field.attribute))
            value = decode<Part>(*nest);
    }
    template <typename Part>
    void read(const Field &field, std::vector<Part> &value) {
        for (const Attributes &nest : reply_.nests(field.attribute))
            value.push_back(decode<Part>(nest));
    }

    Object &object_;
    const Attributes &reply_;
};

template <typename Object>
Object decode(const Attributes &reply) {
    Object object;
    Reader<Object> reader(object, reply);
    Object::fields(reader);
    return object;
}

template <typename Sockaddr>
Sockaddr socket_address(Bytes bytes) {
    Sockaddr address;
    if (bytes.size() < sizeof(address))
        throw Malformed(fmt::format("socket address of {} octets", bytes.size()));
    std::memcpy(&address, bytes.data(), sizeof(address));
    return address;
}

Captured::Segment segment(const Attributes &entry) {
    const uint64_t flags = entry.number(XIW_A_SEGMENT_FLAGS).value_or(0);
    const uint64_t length = entry.required(XIW_A_SEGMENT_LENGTH);
    const Bytes octets = entry.bytes(XIW_A_SEGMENT_DATA).value_or(Bytes());

    if (length > std::numeric_limits<uint32_t>::max() || octets.size() > length)
        throw Malformed("segment shorter than its captured octets");
    return {
        .time = entry.required(XIW_A_SEGMENT_TIME),
        .qpn = entry.required(XIW_A_SEGMENT_QPN),
        .sent = (flags & XIW_NL_SEGMENT_FLAG_SENT) != 0,
        .damaged = (flags & XIW_NL_SEGMENT_FLAG_DAMAGED) != 0,
        .length = static_cast<uint32_t>(length),
        .octets = octets_of(octets),
    };
}

} // namespace

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
    return decode<Device>(reply);
}

CapabilitySet decode_capabilities(const Attributes &reply) {
    return decode<CapabilitySet>(reply);
}

Connection decode_connection(const Attributes &reply) {
    return decode<Connection>(reply);
}

CounterSet decode_counters(const Attributes &reply) {
    auto set = decode<CounterSet>(reply);
    if (std::ranges::find(set.counters, "", &Counter::name) != set.counters.end())
        throw Malformed("counter without a name");
    return set;
}

// Decode the configuration. The table settings() contains the attribute of each setting.
ConfigSet decode_config(const Attributes &reply) {
    ConfigSet set{
        .device = {reply.required(XIW_A_CONFIG_DEV_INDEX),
                   reply.text(XIW_A_CONFIG_DEV_NAME).value_or("")},
        .settings = {},
    };
    for (const Setting &setting : settings()) {
        const uint16_t attribute = setting.attribute;
        if (setting.shape == Setting::Shape::name) {
            if (const auto name = reply.text(attribute))
                set.settings.push_back({attribute, *name});
        } else if (const auto number = reply.number(attribute)) {
            set.settings.push_back({attribute, *number});
        }
    }
    return set;
}

Notice decode_notice(const Attributes &reply) {
    return decode<Notice>(reply);
}

LatencySet decode_latency(const Attributes &reply) {
    return decode<LatencySet>(reply);
}

RingSet decode_rings(const Attributes &reply) {
    return decode<RingSet>(reply);
}

InjectionSet decode_injections(const Attributes &reply) {
    return decode<InjectionSet>(reply);
}

Captured decode_captured(const Attributes &reply) {
    Captured captured{
        .segments = {},
        .seen = reply.required(XIW_A_CAPTURE_SEEN),
        .lost = reply.required(XIW_A_CAPTURE_LOST),
    };
    for (const Attributes &entry : reply.nests(XIW_A_CAPTURE_SEGMENT))
        captured.segments.push_back(segment(entry));
    return captured;
}

} // namespace xiw::nl
