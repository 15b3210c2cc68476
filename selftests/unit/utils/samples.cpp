// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "samples.hpp"

#include "capture.hpp"
#include "nl/decode.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <counter_list.h>
#include <fmt/format.h>
#include <linux/xiw.h>
#include <rnic/xiw_rnic.h>

namespace test {

namespace {

Attrs ring(uint8_t kind, uint32_t size, uint32_t done, uint32_t given, uint32_t posted) {
    return Attrs()
        .u8(XIW_A_RING_ENTRY_KIND, kind)
        .u32(XIW_A_RING_ENTRY_SIZE, size)
        .u32(XIW_A_RING_ENTRY_DONE, done)
        .u32(XIW_A_RING_ENTRY_GIVEN, given)
        .u32(XIW_A_RING_ENTRY_POSTED, posted);
}

sockaddr_in v4_address(const char *host, uint16_t port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    inet_pton(AF_INET, host, &in.sin_addr);
    return in;
}

sockaddr_in6 v6_address(const char *host, uint16_t port, uint32_t scope) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    in.sin6_scope_id = scope;
    inet_pton(AF_INET6, host, &in.sin6_addr);
    return in;
}

Attrs capability(uint16_t id, uint32_t local, uint32_t offered) {
    return Attrs()
        .u16(XIW_A_CAPABILITY_ENTRY_ID, id)
        .u32(XIW_A_CAPABILITY_ENTRY_LOCAL, local)
        .u32(XIW_A_CAPABILITY_ENTRY_OFFERED, offered)
        .u8(XIW_A_CAPABILITY_ENTRY_KNOWN, XIW_NL_KNOWN_CONFIGURED);
}

Attrs counter(const char *name, uint64_t value, const char *about) {
    return Attrs()
        .text(XIW_A_COUNTER_ENTRY_NAME, name)
        .u64(XIW_A_COUNTER_ENTRY_VALUE, value)
        .text(XIW_A_COUNTER_ENTRY_ABOUT, about);
}

Attrs operation(uint8_t opcode, uint64_t tx, uint64_t rx) { // counters of an opcode
    return Attrs()
        .u8(XIW_A_OPERATION_ENTRY_OPCODE, opcode)
        .u64(XIW_A_OPERATION_ENTRY_TX, tx)
        .u64(XIW_A_OPERATION_ENTRY_RX, rx);
}

} // namespace

std::vector<uint8_t> startup_frame(std::string_view kind, std::initializer_list<uint8_t> rest) {
    const std::string key = fmt::format("MPA ID {} Frame", kind);
    std::vector<uint8_t> frame(key.begin(), key.end());
    frame.insert(frame.end(), rest);
    return frame;
}

Attrs device_reply(uint32_t index, std::string_view name) {
    return Attrs()
        .u32(XIW_A_DEVICE_INDEX, index)
        .text(XIW_A_DEVICE_NAME, name)
        .u32(XIW_A_DEVICE_IFINDEX, 7)
        .u8(XIW_A_DEVICE_KIND, XIW_NL_KIND_SOFT)
        .u8(XIW_A_DEVICE_STATE, XIW_NL_DEVICE_STATE_ACTIVE)
        .text(XIW_A_DEVICE_VERSION, "0.1.0")
        .nest(XIW_A_DEVICE_LIMITS,
              Attrs().u32(XIW_A_LIMITS_QP, 16384).u32(XIW_A_LIMITS_PRIVATE_DATA, 508))
        .nest(XIW_A_DEVICE_OBJECTS, Attrs()
                                        .u32(XIW_A_OBJECTS_QP, 3)
                                        .u32(XIW_A_OBJECTS_CQ, 4)
                                        .u32(XIW_A_OBJECTS_MR, 1200)
                                        .u32(XIW_A_OBJECTS_CONNECTION, 2)
                                        .u32(XIW_A_OBJECTS_LISTENER, 1)
                                        .u32(XIW_A_OBJECTS_PARKED, 0));
}

Attrs capability_reply(bool of_qp) {
    Attrs reply;
    reply.u32(XIW_A_CAPABILITY_DEV_INDEX, 1).text(XIW_A_CAPABILITY_DEV_NAME, "xiw0");
    if (of_qp)
        return reply.u32(XIW_A_CAPABILITY_QPN, 17)
            .nest(XIW_A_CAPABILITY_ENTRY,
                  Attrs()
                      .u16(XIW_A_CAPABILITY_ENTRY_ID, XIW_NL_CAPABILITY_RTR)
                      .u32(XIW_A_CAPABILITY_ENTRY_LOCAL, 7)
                      .u32(XIW_A_CAPABILITY_ENTRY_OFFERED, XIW_NL_RTR_WRITE | XIW_NL_RTR_READ)
                      .u32(XIW_A_CAPABILITY_ENTRY_PEER, XIW_NL_RTR_READ | XIW_NL_RTR_SEND)
                      .u32(XIW_A_CAPABILITY_ENTRY_AGREED, XIW_NL_RTR_READ)
                      .u8(XIW_A_CAPABILITY_ENTRY_KNOWN, XIW_NL_KNOWN_NEGOTIATED))
            .nest(XIW_A_CAPABILITY_ENTRY,
                  Attrs()
                      .u16(XIW_A_CAPABILITY_ENTRY_ID, XIW_NL_CAPABILITY_FETCH_ADD)
                      .u32(XIW_A_CAPABILITY_ENTRY_LOCAL, 1)
                      .u32(XIW_A_CAPABILITY_ENTRY_AGREED, 0)
                      .u8(XIW_A_CAPABILITY_ENTRY_KNOWN, XIW_NL_KNOWN_REFUSED));
    return reply.nest(XIW_A_CAPABILITY_ENTRY, capability(XIW_NL_CAPABILITY_MPA_REVISION, 2, 2))
        .nest(XIW_A_CAPABILITY_ENTRY, capability(XIW_NL_CAPABILITY_CRC, 1, 1))
        .nest(XIW_A_CAPABILITY_ENTRY, capability(XIW_NL_CAPABILITY_MARKERS_RX, 1, 0))
        .nest(XIW_A_CAPABILITY_ENTRY,
              capability(XIW_NL_CAPABILITY_ATOMIC_SCOPE, XIW_NL_ATOMIC_SCOPE_GLOBAL,
                         XIW_NL_ATOMIC_SCOPE_GLOBAL));
}

Attrs connection_reply(bool v6) {
    Attrs reply;
    reply.u32(XIW_A_CONNECTION_DEV_INDEX, 1)
        .text(XIW_A_CONNECTION_DEV_NAME, "xiw0")
        .u32(XIW_A_CONNECTION_QPN, 17)
        .u32(XIW_A_CONNECTION_CM_ID, 4)
        .u8(XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_INITIATOR)
        .u8(XIW_A_CONNECTION_MPA_STATE, XIW_NL_MPA_STATE_FULL)
        .u8(XIW_A_CONNECTION_STREAM_STATE, XIW_NL_STREAM_STATE_RTS);
    if (v6) {
        const auto local = v6_address("fe80::1", 20049, 3);
        const auto remote = v6_address("fe80::2", 4420, 0);
        reply.raw(XIW_A_CONNECTION_LOCAL_ADDR, &local, sizeof(local))
            .raw(XIW_A_CONNECTION_REMOTE_ADDR, &remote, sizeof(remote));
    } else {
        const auto local = v4_address("10.0.0.1", 38000);
        const auto remote = v4_address("10.0.0.2", 4420);
        reply.raw(XIW_A_CONNECTION_LOCAL_ADDR, &local, sizeof(local))
            .raw(XIW_A_CONNECTION_REMOTE_ADDR, &remote, sizeof(remote));
    }
    // The flags are C and S. The private data has 36 octets after the IRD and ORD fields. The IRD
    // is 32 with flag A, and the ORD is 1 with flag D.
    const std::vector<uint8_t> frame = startup_frame("Rep", {0x50, 2, 0, 40, 0x80, 32, 0x40, 1});
    return reply.u8(XIW_A_CONNECTION_MPA_REVISION, 2)
        .u8(XIW_A_CONNECTION_CRC, 1)
        .u8(XIW_A_CONNECTION_MARKERS_TX, 0)
        .u8(XIW_A_CONNECTION_MARKERS_RX, 1)
        .u8(XIW_A_CONNECTION_RTR, XIW_NL_RTR_READ)
        .u32(XIW_A_CONNECTION_MULPDU, 1442)
        .u32(XIW_A_CONNECTION_IRD, 32)
        .u32(XIW_A_CONNECTION_ORD, 16)
        .u32(XIW_A_CONNECTION_IRD_USED, 2)
        .u32(XIW_A_CONNECTION_ORD_USED, 0)
        .raw(XIW_A_CONNECTION_FRAME_SENT, frame.data(), frame.size())
        .raw(XIW_A_CONNECTION_FRAME_RECEIVED, frame.data(), frame.size())
        .u64(XIW_A_CONNECTION_TX_BYTES, 0x1'0000'0001)
        .u64(XIW_A_CONNECTION_RX_BYTES, 4096)
        .u32(XIW_A_CONNECTION_SQ_DEPTH, 128)
        .u32(XIW_A_CONNECTION_SQ_USED, 3)
        .u32(XIW_A_CONNECTION_RQ_DEPTH, 64)
        .u32(XIW_A_CONNECTION_RQ_USED, 60)
        .nest(XIW_A_CONNECTION_OPERATION, operation(0x3, 12, 10)
                                              .u64(XIW_A_OPERATION_ENTRY_TX_BYTES, 0x1'0000'0001)
                                              .u64(XIW_A_OPERATION_ENTRY_RX_BYTES, 4096))
        .nest(XIW_A_CONNECTION_OPERATION, operation(0xe, 1, 0))
        .nest(XIW_A_CONNECTION_TCP, Attrs()
                                        .u32(XIW_A_TCP_RTT, 1200)
                                        .u32(XIW_A_TCP_RTT_VAR, 75)
                                        .u32(XIW_A_TCP_MSS, 1448)
                                        .u32(XIW_A_TCP_CWND, 10)
                                        .u32(XIW_A_TCP_PEER_WINDOW, 65536)
                                        .u32(XIW_A_TCP_RETRANSMITS, 2)
                                        .u32(XIW_A_TCP_TX_QUEUE, 2896)
                                        .u32(XIW_A_TCP_RX_QUEUE, 0)
                                        .text(XIW_A_TCP_CONGESTION, "cubic")
                                        .u8(XIW_A_TCP_CIPHER, XIW_NL_TLS_CIPHER_AES_GCM_256));
}

Attrs listener_reply() {
    const auto local = v4_address("0.0.0.0", 4420);
    return Attrs()
        .u32(XIW_A_CONNECTION_DEV_INDEX, 1)
        .text(XIW_A_CONNECTION_DEV_NAME, "xiw0")
        .u32(XIW_A_CONNECTION_CM_ID, 1)
        .u8(XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_LISTENER)
        .raw(XIW_A_CONNECTION_LOCAL_ADDR, &local, sizeof(local));
}

Attrs dead_connection_reply() {
    return Attrs()
        .u32(XIW_A_CONNECTION_DEV_INDEX, 1)
        .text(XIW_A_CONNECTION_DEV_NAME, "xiw0")
        .u32(XIW_A_CONNECTION_QPN, 18)
        .u8(XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_RESPONDER)
        .u8(XIW_A_CONNECTION_MPA_STATE, XIW_NL_MPA_STATE_TERM)
        .u8(XIW_A_CONNECTION_STREAM_STATE, XIW_NL_STREAM_STATE_ERROR)
        .flag(XIW_A_CONNECTION_PARKED)
        .u16(XIW_A_CONNECTION_TERMINATE, 0x2002)
        .u8(XIW_A_CONNECTION_TERMINATE_ORIGIN, XIW_NL_ORIGIN_LOCAL);
}

Attrs counter_reply() {
    return Attrs()
        .u32(XIW_A_COUNTER_DEV_INDEX, 1)
        .text(XIW_A_COUNTER_DEV_NAME, "xiw0")
        .nest(XIW_A_COUNTER_ENTRY, counter("tx_bytes", 1288490189, "octets handed to TCP"))
        .nest(XIW_A_COUNTER_ENTRY, counter("tx_pkts", 1234567, "FPDUs sent"))
        .nest(XIW_A_COUNTER_ENTRY, counter("rx_pkts", 0, "complete FPDUs received"))
        .nest(XIW_A_COUNTER_ENTRY,
              counter("rx_crc_errors", 3, "bad CRC").flag(XIW_A_COUNTER_ENTRY_ERROR))
        .nest(XIW_A_COUNTER_OPERATION, operation(0x0, 12, 10))
        .nest(XIW_A_COUNTER_OPERATION, operation(0x3, 0, 0));
}

Attrs config_reply() {
    return Attrs()
        .u32(XIW_A_CONFIG_DEV_INDEX, 1)
        .text(XIW_A_CONFIG_DEV_NAME, "xiw0")
        .u8(XIW_A_CONFIG_CRC, 1)
        .u8(XIW_A_CONFIG_MARKERS, 0)
        .u8(XIW_A_CONFIG_MPA_REVISION, 2)
        .u8(XIW_A_CONFIG_ATOMICS, 1)
        .u8(XIW_A_CONFIG_IMMEDIATES, 1)
        .u8(XIW_A_CONFIG_PEER_TO_PEER, 1)
        .u8(XIW_A_CONFIG_RTR, XIW_NL_RTR_WRITE | XIW_NL_RTR_READ)
        .u32(XIW_A_CONFIG_PARK_TIME, 5000)
        .u32(XIW_A_CONFIG_STARTUP_TIME, 10000)
        .u32(XIW_A_CONFIG_RTR_TIME, 10000)
        .u32(XIW_A_CONFIG_LINGER_TIME, 5000)
        .u32(XIW_A_CONFIG_MULPDU_MAX, 0)
        .u32(XIW_A_CONFIG_PEER_TIME, 70000)
        .u8(XIW_A_CONFIG_LATENCY, 0)
        .u8(XIW_A_CONFIG_SEND_WITH_IMMEDIATE, 0)
        .u8(XIW_A_CONFIG_CONNECT_BY_NUMBER, 0)
        .u8(XIW_A_CONFIG_REQUIRE_ENCRYPTION, 0)
        .text(XIW_A_CONFIG_CONGESTION, "")
        .u8(XIW_A_CONFIG_TLS, XIW_NL_TLS_OFF);
}

Attrs latency_reply() {
    const uint64_t counts[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 90, 9, 1};
    return Attrs()
        .u32(XIW_A_LATENCY_DEV_INDEX, 1)
        .text(XIW_A_LATENCY_DEV_NAME, "xiw0")
        .u8(XIW_A_LATENCY_ON, 1)
        .nest(XIW_A_LATENCY_ENTRY, Attrs()
                                       .u8(XIW_A_LATENCY_ENTRY_OPERATION, XIW_NL_LATENCY_READ)
                                       .u64(XIW_A_LATENCY_ENTRY_SUM, 90000)
                                       .raw(XIW_A_LATENCY_ENTRY_COUNTS, counts, sizeof(counts)))
        .nest(XIW_A_LATENCY_ENTRY, Attrs().u8(XIW_A_LATENCY_ENTRY_OPERATION, 99));
}

Attrs ring_reply(bool qp) {
    Attrs reply = Attrs().u32(XIW_A_RING_DEV_INDEX, 1).text(XIW_A_RING_DEV_NAME, "xiw0");
    if (qp)
        return reply.u32(XIW_A_RING_QPN, 3)
            .u32(XIW_A_RING_VECTOR, 1)
            .u32(XIW_A_RING_STREAM, XIW_ST_OPEN | XIW_ST_FIRST_FPDU)
            .nest(XIW_A_RING_ENTRY, ring(XIW_NL_RING_SEND_QUEUE, 128, 0xfffffffe, 1, 3))
            .nest(XIW_A_RING_ENTRY, ring(XIW_NL_RING_ORD, 16, 0, 2, 2));
    return reply.nest(XIW_A_RING_ENTRY, ring(XIW_NL_RING_ADMIN, 64, 7, 8, 8))
        .nest(XIW_A_RING_ENTRY, Attrs()
                                    .u8(XIW_A_RING_ENTRY_KIND, XIW_NL_RING_EVENTS)
                                    .u32(XIW_A_RING_ENTRY_VECTOR, 1)
                                    .u32(XIW_A_RING_ENTRY_SIZE, 1024)
                                    .u32(XIW_A_RING_ENTRY_DONE, 4711))
        .nest(XIW_A_RING_REGISTER, Attrs()
                                       .text(XIW_A_REGISTER_ENTRY_NAME, "status")
                                       .u64(XIW_A_REGISTER_ENTRY_VALUE, 0x100000003));
}

Attrs capture_segment(uint32_t qpn, uint32_t flags, const std::vector<uint8_t> &octets,
                      uint32_t cut) {
    return Attrs()
        .u64(XIW_A_SEGMENT_TIME, 1'700'000'000'000'000'000)
        .u32(XIW_A_SEGMENT_QPN, qpn)
        .u32(XIW_A_SEGMENT_FLAGS, flags)
        .u32(XIW_A_SEGMENT_LENGTH, static_cast<uint32_t>(octets.size()) + cut)
        .raw(XIW_A_SEGMENT_DATA, octets.data(), octets.size());
}

Attrs capture_reply() {
    return Attrs()
        .u32(XIW_A_CAPTURE_DEV_INDEX, 1)
        .text(XIW_A_CAPTURE_DEV_NAME, "xiw0")
        .u64(XIW_A_CAPTURE_SEEN, 7)
        .u64(XIW_A_CAPTURE_LOST, 4)
        .nest(XIW_A_CAPTURE_SEGMENT,
              capture_segment(17, XIW_NL_SEGMENT_FLAG_SENT, untagged(8, 0, 2, Bytes(8))))
        .nest(XIW_A_CAPTURE_SEGMENT, capture_segment(17, 0, untagged(3, 0, 1, {}), 900))
        .nest(XIW_A_CAPTURE_SEGMENT,
              capture_segment(4711, XIW_NL_SEGMENT_FLAG_DAMAGED, untagged(3, 0, 1, {})));
}

Attrs injection_reply() {
    return Attrs()
        .u32(XIW_A_INJECT_DEV_INDEX, 1)
        .text(XIW_A_INJECT_DEV_NAME, "xiw0")
        .nest(XIW_A_INJECT_ENTRY, Attrs()
                                      .u8(XIW_A_INJECT_ENTRY_KIND, XIW_NL_INJECT_RESET)
                                      .u32(XIW_A_INJECT_ENTRY_QPN, 3)
                                      .u32(XIW_A_INJECT_ENTRY_AT, 5)
                                      .u32(XIW_A_INJECT_ENTRY_EVERY, 1)
                                      .u32(XIW_A_INJECT_ENTRY_COUNT, 1)
                                      .u32(XIW_A_INJECT_ENTRY_OCTETS, 10)
                                      .u64(XIW_A_INJECT_ENTRY_SEEN, 7)
                                      .u64(XIW_A_INJECT_ENTRY_HITS, 1))
        .nest(XIW_A_INJECT_ENTRY, Attrs()
                                      .u8(XIW_A_INJECT_ENTRY_KIND, XIW_NL_INJECT_DELAY)
                                      .u32(XIW_A_INJECT_ENTRY_AT, 1)
                                      .u32(XIW_A_INJECT_ENTRY_EVERY, 2)
                                      .u32(XIW_A_INJECT_ENTRY_COUNT, 0)
                                      .u32(XIW_A_INJECT_ENTRY_TIME, 250)
                                      .u64(XIW_A_INJECT_ENTRY_SEEN, 4)
                                      .u64(XIW_A_INJECT_ENTRY_HITS, 2))
        .nest(XIW_A_INJECT_ENTRY, Attrs().u8(XIW_A_INJECT_ENTRY_KIND, 99));
}

Attrs terminate_notice(uint64_t number) {
    const uint8_t write[] = {0xc1, 0x40, 0x77, 0x77, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0x40};
    const uint8_t send[] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const auto local = v4_address("10.0.0.1", 38000);
    const auto remote = v4_address("10.0.0.2", 4420);
    return Attrs()
        .u32(XIW_A_NOTICE_DEV_INDEX, 1)
        .text(XIW_A_NOTICE_DEV_NAME, "xiw0")
        .u8(XIW_A_NOTICE_KIND, XIW_NL_NOTICE_TERMINATE)
        .u64(XIW_A_NOTICE_NUMBER, number)
        .u64(XIW_A_NOTICE_TIME, 1795336200123456789)
        .u8(XIW_A_NOTICE_ORIGIN, XIW_NL_ORIGIN_LOCAL)
        .u32(XIW_A_NOTICE_QPN, 17)
        .u32(XIW_A_NOTICE_CM_ID, 4)
        .u8(XIW_A_NOTICE_ROLE, XIW_NL_ROLE_INITIATOR)
        .raw(XIW_A_NOTICE_LOCAL_ADDR, &local, sizeof(local))
        .raw(XIW_A_NOTICE_REMOTE_ADDR, &remote, sizeof(remote))
        .u16(XIW_A_NOTICE_TERMINATE, 0x1100)
        .u16(XIW_A_NOTICE_SEGMENT_LENGTH, 114)
        .raw(XIW_A_NOTICE_DDP_HEADER, write, sizeof(write))
        .nest(XIW_A_NOTICE_RECORD, Attrs()
                                       .u64(XIW_A_RECORD_AGE, 1'234'567)
                                       .flag(XIW_A_RECORD_SENT)
                                       .flag(XIW_A_RECORD_MESSAGE)
                                       .u32(XIW_A_RECORD_LENGTH, 4096)
                                       .raw(XIW_A_RECORD_DDP_HEADER, send, sizeof(send)))
        .nest(XIW_A_NOTICE_RECORD,
              Attrs().u64(XIW_A_RECORD_AGE, 40'000).u32(XIW_A_RECORD_LENGTH, 1400))
        .nest(XIW_A_NOTICE_RECORD, Attrs()
                                       .u64(XIW_A_RECORD_AGE, 3'999)
                                       .u32(XIW_A_RECORD_LENGTH, 100)
                                       .raw(XIW_A_RECORD_DDP_HEADER, write, sizeof(write)));
}

Attrs reject_notice() {
    return Attrs()
        .u32(XIW_A_NOTICE_DEV_INDEX, 1)
        .text(XIW_A_NOTICE_DEV_NAME, "xiw0")
        .u8(XIW_A_NOTICE_KIND, XIW_NL_NOTICE_REJECT)
        .u64(XIW_A_NOTICE_NUMBER, 8)
        .u64(XIW_A_NOTICE_TIME, 1795336200000000000)
        .u8(XIW_A_NOTICE_ORIGIN, XIW_NL_ORIGIN_REMOTE);
}

std::vector<xiw::Counter> driver_counters() {
    enum Kind { NORMAL, ERROR, COST, OPERATION };
    struct Row {
        Kind kind;
        const char *name;
        const char *about;
    };
#define COUNTER(at, ...) Row{__VA_ARGS__},
#define MESSAGES(direction, opcodes, ...) Row{__VA_ARGS__},
    constexpr Row rows[] = {XIW_RNIC_STATS(COUNTER) XIW_DRIVER_COUNTERS(COUNTER)
                                XIW_MESSAGE_COUNTERS(MESSAGES)};
#undef COUNTER
#undef MESSAGES
    std::vector<xiw::Counter> list;
    for (const Row &row : rows)
        if (row.kind == NORMAL || row.kind == ERROR)
            list.push_back({row.name, 0, row.about, row.kind == ERROR});
    return list;
}

xiw::Report full_report() {
    using xiw::nl::Attributes;
    xiw::Report report;

    report.devices = {xiw::nl::decode_device(Attributes(device_reply()))};
    report.devices->front().ifname = "eth0";
    report.capabilities = {xiw::nl::decode_capabilities(Attributes(capability_reply(false))),
                           xiw::nl::decode_capabilities(Attributes(capability_reply(true)))};
    report.connections = {xiw::nl::decode_connection(Attributes(listener_reply())),
                          xiw::nl::decode_connection(Attributes(connection_reply())),
                          xiw::nl::decode_connection(Attributes(dead_connection_reply()))};
    report.counters = {xiw::nl::decode_counters(Attributes(counter_reply()))};
    report.config = {xiw::nl::decode_config(Attributes(config_reply()))};
    report.latency = {xiw::nl::decode_latency(Attributes(latency_reply()))};
    report.rings = {xiw::nl::decode_rings(Attributes(ring_reply(false))),
                    xiw::nl::decode_rings(Attributes(ring_reply(true)))};
    report.injections = {xiw::nl::decode_injections(Attributes(injection_reply()))};
    report.notices = {xiw::nl::decode_notice(Attributes(terminate_notice())),
                      xiw::nl::decode_notice(Attributes(reject_notice()))};
    xiw::Samples times;
    for (const uint64_t time : {5000, 1000, 2000000})
        times.add(time);
    report.ping = xiw::Ping{.host = "server",
                            .address = "192.0.2.2",
                            .port = 7306,
                            .device = "xiw0",
                            .operations = {{"send", 64, 1, times}, {"read", 64, 0, {}}},
                            .missing = {{"atomic", "siw0 has no atomics"}}};
    report.selftest = xiw::Selftest{
        .device = "xiw0",
        .cases = {{"send", xiw::TestCase::Verdict::pass, "100 messages"},
                  {"read", xiw::TestCase::Verdict::fail, "octet 3 of 8 is 0x00"},
                  {"write-imm", xiw::TestCase::Verdict::skip, "siw0 has no Write with Immediate"}}};
    return report;
}

xiw::Report empty_report() {
    xiw::Report report;
    report.devices.emplace();
    report.capabilities.emplace();
    report.connections.emplace();
    report.counters.emplace();
    report.config.emplace();
    report.latency.emplace();
    report.rings.emplace();
    report.injections.emplace();
    report.notices.emplace();
    report.ping.emplace();
    report.selftest.emplace();
    return report;
}

} // namespace test
