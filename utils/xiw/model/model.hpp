// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_MODEL_HPP
#define XIW_MODEL_MODEL_HPP

#include "doctor/doctor.hpp"
#include "model/field.hpp"
#include "model/settings.hpp"
#include "model/traffic.hpp"
#include "model/words.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <linux/xiw.h>

// Data from the kernel, in plain structures. Enumerations are numbers here, so that unknown values
// are kept; words.hpp translates the numbers to words. An empty optional is a value that the kernel
// did not send. The table of an object is its function fields(), see field.hpp.

namespace xiw::render {
struct Cell;
}
namespace xiw::wire {
struct Startup;
}

namespace xiw {

using Maybe = std::optional<uint64_t>;

struct Numbered {
    uint64_t id = 0;
    uint64_t value = 0;
};

// A value with a name from the kernel. In JSON, a list of such values is one object, with the names
// as keys.
template <typename Value>
concept Named = requires(const Value &entry) {
    entry.name;
    entry.value;
};

struct DeviceRef {
    uint64_t index = 0;
    std::string name;
};

struct Device {
    DeviceRef ref;
    Maybe ifindex;
    std::string ifname; // empty if the interface was removed
    Maybe kind;
    Maybe state;
    std::string version;
    std::vector<Numbered> limits;
    std::vector<Numbered> objects;

    template <typename Visit>
    static void fields(Visit &visit) {
        using D = Device;
        visit(row::device(XIW_A_DEVICE_INDEX, XIW_A_DEVICE_NAME), &D::ref);
        visit(row::word("kind", XIW_A_DEVICE_KIND, kind_word), &D::kind);
        visit(row::value("netdev"), &D::ifname);
        visit(row::value("ifindex", XIW_A_DEVICE_IFINDEX), &D::ifindex);
        visit(row::word("state", XIW_A_DEVICE_STATE, device_state_word), &D::state);
        visit(row::value("driver_version", XIW_A_DEVICE_VERSION), &D::version);
        visit(row::word("limits", XIW_A_DEVICE_LIMITS, limit_word), &D::limits);
        visit(row::word("objects", XIW_A_DEVICE_OBJECTS, object_word), &D::objects);
    }
};

// A value, and the capability to which it belongs.
struct CapabilityValue {
    uint64_t id = 0;
    Maybe value;
};

struct Capability {
    uint64_t id = 0;
    Maybe local;
    Maybe offered;
    Maybe peer;
    Maybe agreed;
    Maybe known;

    template <typename Visit>
    static void fields(Visit &visit) {
        using C = Capability;
        using E = CapabilityValue (*)(const C &);
        visit(row::word("capability", XIW_A_CAPABILITY_ENTRY_ID, capability_word), &C::id);
        visit(row::hidden(XIW_A_CAPABILITY_ENTRY_LOCAL), &C::local);
        visit(row::hidden(XIW_A_CAPABILITY_ENTRY_OFFERED), &C::offered);
        visit(row::hidden(XIW_A_CAPABILITY_ENTRY_PEER), &C::peer);
        visit(row::hidden(XIW_A_CAPABILITY_ENTRY_AGREED), &C::agreed);
        visit(row::value("local"), E([](const C &c) { return CapabilityValue{c.id, c.local}; }));
        visit(row::value("offered"),
              E([](const C &c) { return CapabilityValue{c.id, c.offered}; }));
        visit(row::value("peer"), E([](const C &c) { return CapabilityValue{c.id, c.peer}; }));
        visit(row::value("agreed"), E([](const C &c) { return CapabilityValue{c.id, c.agreed}; }));
        visit(row::word("known", XIW_A_CAPABILITY_ENTRY_KNOWN, known_word), &C::known);
    }
};

struct CapabilitySet {
    DeviceRef device;
    Maybe qpn; // empty for the device itself
    std::vector<Capability> entries;

    static constexpr const char *about = "of a QP, or of the device itself if qpn is null";
    template <typename Visit>
    static void fields(Visit &visit) {
        using C = CapabilitySet;
        visit(row::device(XIW_A_CAPABILITY_DEV_INDEX, XIW_A_CAPABILITY_DEV_NAME), &C::device);
        visit(row::value("qpn", XIW_A_CAPABILITY_QPN), &C::qpn);
        visit(row::lines("entries", XIW_A_CAPABILITY_ENTRY), &C::entries);
    }
};

struct Address {
    std::string host; // empty if the family is unknown
    uint16_t port = 0;
    bool v6 = false;
};

struct MpaFrame {
    Maybe revision;
    Maybe markers, crc, reject;
    Maybe enhanced, peer_to_peer;
    Maybe rtr_send, rtr_write, rtr_read;
    Maybe ird, ord;
    Maybe private_length;

    static constexpr const char *about = "an MPA frame";
    template <typename Visit>
    static void fields(Visit &visit) {
        using F = MpaFrame;
        visit(row::value("revision"), &F::revision);
        visit(row::flag("markers"), &F::markers);
        visit(row::flag("crc"), &F::crc);
        visit(row::flag("reject"), &F::reject);
        visit(row::flag("enhanced"), &F::enhanced);
        visit(row::flag("peer_to_peer"), &F::peer_to_peer);
        visit(row::flag("rtr_send"), &F::rtr_send);
        visit(row::flag("rtr_write"), &F::rtr_write);
        visit(row::flag("rtr_read"), &F::rtr_read);
        visit(row::value("ird"), &F::ird);
        visit(row::value("ord"), &F::ord);
        visit(row::value("private_length"), &F::private_length);
    }
};

MpaFrame mpa_frame(const wire::Startup &s);
// Get the fields of a frame. The private data may be missing in `octets`.
MpaFrame mpa_frame(std::span<const uint8_t> octets);

struct Operation {
    uint8_t opcode = 0;
    uint64_t tx = 0;
    uint64_t rx = 0;

    template <typename Visit>
    static void fields(Visit &visit) {
        using O = Operation;
        using Name = std::string (*)(const O &);
        visit(row::value("opcode", XIW_A_OPERATION_ENTRY_OPCODE), &O::opcode);
        visit(row::value("operation").never_null(),
              Name([](const O &o) { return opcode_word(o.opcode); }));
        visit(row::value("sent", XIW_A_OPERATION_ENTRY_TX).or_zero(), &O::tx);
        visit(row::value("received", XIW_A_OPERATION_ENTRY_RX).or_zero(), &O::rx);
    }
};

struct OperationBytes : Operation {
    Maybe tx_bytes;
    Maybe rx_bytes;

    template <typename Visit>
    static void fields(Visit &visit) {
        Operation::fields(visit);
        visit(row::value("sent_bytes", XIW_A_OPERATION_ENTRY_TX_BYTES), &OperationBytes::tx_bytes);
        visit(row::value("received_bytes", XIW_A_OPERATION_ENTRY_RX_BYTES),
              &OperationBytes::rx_bytes);
    }
};

// The code of a Terminate message.
struct Cause {
    Maybe origin;
    uint8_t layer = 0, type = 0, code = 0;
    std::string text;

    static constexpr const char *about = "the Terminate message that ended the stream";
    template <typename Visit>
    static void fields(Visit &visit) {
        visit(row::word("origin", 0, origin_word), &Cause::origin);
        codes(visit);
    }
    template <typename Visit>
    static void codes(Visit &visit) {
        visit(row::nibble("layer"), &Cause::layer);
        visit(row::nibble("type"), &Cause::type);
        visit(row::value("code"), &Cause::code);
        visit(row::value("text").never_null(), &Cause::text);
    }
};

// TCP state of a connection.
struct Tcp {
    Maybe rtt; // microseconds
    Maybe rtt_var;
    Maybe mss;
    Maybe cwnd; // segments
    Maybe peer_window;
    Maybe retransmits;
    Maybe tx_queue; // octets not acknowledged
    Maybe rx_queue; // octets that the RNIC has not read
    std::string congestion;
    Maybe cipher; // of TLS

    static constexpr const char *about = "null: the RNIC has its own TCP";
    template <typename Visit>
    static void fields(Visit &visit) {
        visit(row::value("rtt_us", XIW_A_TCP_RTT), &Tcp::rtt);
        visit(row::value("rtt_var_us", XIW_A_TCP_RTT_VAR), &Tcp::rtt_var);
        visit(row::value("mss", XIW_A_TCP_MSS), &Tcp::mss);
        visit(row::value("cwnd", XIW_A_TCP_CWND), &Tcp::cwnd);
        visit(row::value("peer_window", XIW_A_TCP_PEER_WINDOW), &Tcp::peer_window);
        visit(row::value("retransmits", XIW_A_TCP_RETRANSMITS), &Tcp::retransmits);
        visit(row::value("tx_queue", XIW_A_TCP_TX_QUEUE), &Tcp::tx_queue);
        visit(row::value("rx_queue", XIW_A_TCP_RX_QUEUE), &Tcp::rx_queue);
        visit(row::value("congestion", XIW_A_TCP_CONGESTION), &Tcp::congestion);
        visit(row::word("cipher", XIW_A_TCP_CIPHER, cipher_word), &Tcp::cipher);
    }
};

struct Connection;
std::optional<Cause> cause_of(const Connection &connection);

// Cells of the table for people. Each function calculates the cell of one column.
render::Cell state_cell(const Connection &connection);
render::Cell encryption_cell(const Connection &connection);
render::Cell markers_cell(const Connection &connection);
render::Cell ird_cell(const Connection &connection);
render::Cell ord_cell(const Connection &connection);
render::Cell sent_cell(const Connection &connection);
render::Cell received_cell(const Connection &connection);

struct Connection {
    DeviceRef device;
    Maybe qpn;
    Maybe cm_id;
    Maybe role;
    Maybe mpa_state;
    Maybe stream_state;
    std::optional<Address> local;
    std::optional<Address> remote;
    Maybe mpa_revision;
    Maybe crc;
    Maybe markers_tx;
    Maybe markers_rx;
    Maybe rtr;
    Maybe mulpdu;
    Maybe ird;
    Maybe ord;
    Maybe ird_used;
    Maybe ord_used;
    std::optional<MpaFrame> frame_sent;
    std::optional<MpaFrame> frame_received;
    Maybe tx_bytes;
    Maybe rx_bytes;
    bool parked = false;
    Maybe terminate;
    Maybe terminate_origin;
    Maybe sq_depth;
    Maybe sq_used;
    Maybe rq_depth; // empty if the queue is shared
    Maybe rq_used;
    std::vector<OperationBytes> operations; // operations with messages or octets
    std::optional<Tcp> tcp;
    bool port_taken = false; // a listener that waits for its port
    Maybe peer_qpn;          // QP number of the peer, if the QPs were connected by number
    Maybe encryption;        // empty if the RNIC cannot detect encryption

    template <typename Visit>
    static void fields(Visit &visit) {
        using C = Connection;
        visit(row::device(XIW_A_CONNECTION_DEV_INDEX, XIW_A_CONNECTION_DEV_NAME), &C::device);
        visit(row::value("qpn", XIW_A_CONNECTION_QPN).shown("qp"), &C::qpn);
        visit(row::value("cm_id", XIW_A_CONNECTION_CM_ID), &C::cm_id);
        visit(row::word("role", XIW_A_CONNECTION_ROLE, role_word).shown("role"), &C::role);
        visit(row::word("mpa_state", XIW_A_CONNECTION_MPA_STATE, mpa_state_word), &C::mpa_state);
        visit(row::word("stream_state", XIW_A_CONNECTION_STREAM_STATE, stream_state_word),
              &C::stream_state);
        visit.column("state", state_cell);
        visit(row::value("local", XIW_A_CONNECTION_LOCAL_ADDR).shown("local"), &C::local);
        visit(row::value("remote", XIW_A_CONNECTION_REMOTE_ADDR).shown("peer"), &C::remote);
        visit(row::value("mpa_revision", XIW_A_CONNECTION_MPA_REVISION).shown("mpa"),
              &C::mpa_revision);
        visit(row::flag("crc", XIW_A_CONNECTION_CRC).shown("crc"), &C::crc);
        visit(row::flag("markers_tx", XIW_A_CONNECTION_MARKERS_TX), &C::markers_tx);
        visit(row::flag("markers_rx", XIW_A_CONNECTION_MARKERS_RX), &C::markers_rx);
        // Markers are rare.
        visit.column("markers", markers_cell, "off");
        visit(row::word("rtr", XIW_A_CONNECTION_RTR, rtr_word).shown("rtr"), &C::rtr);
        visit(row::value("mulpdu", XIW_A_CONNECTION_MULPDU).shown("mulpdu"), &C::mulpdu);
        visit(row::value("ird", XIW_A_CONNECTION_IRD), &C::ird);
        visit(row::value("ord", XIW_A_CONNECTION_ORD), &C::ord);
        visit(row::value("ird_used", XIW_A_CONNECTION_IRD_USED), &C::ird_used);
        visit(row::value("ord_used", XIW_A_CONNECTION_ORD_USED), &C::ord_used);
        visit.column("encryption", encryption_cell, "none");
        visit.column("ird", ird_cell);
        visit.column("ord", ord_cell);
        visit(row::part("frame_sent", XIW_A_CONNECTION_FRAME_SENT), &C::frame_sent);
        visit(row::part("frame_received", XIW_A_CONNECTION_FRAME_RECEIVED), &C::frame_received);
        visit(row::value("tx_bytes", XIW_A_CONNECTION_TX_BYTES), &C::tx_bytes);
        visit(row::value("rx_bytes", XIW_A_CONNECTION_RX_BYTES), &C::rx_bytes);
        visit.column("sent", sent_cell);
        visit.column("received", received_cell);
        visit(row::value("parked", XIW_A_CONNECTION_PARKED), &C::parked);
        visit(row::part("terminate"), &cause_of);
        visit(Field{.key = "terminate",
                    .attribute = XIW_A_CONNECTION_TERMINATE,
                    .as = Field::As::hex,
                    .json = false},
              &C::terminate);
        visit(row::hidden(XIW_A_CONNECTION_TERMINATE_ORIGIN), &C::terminate_origin);
        visit(row::value("sq_depth", XIW_A_CONNECTION_SQ_DEPTH), &C::sq_depth);
        visit(row::value("sq_used", XIW_A_CONNECTION_SQ_USED), &C::sq_used);
        visit(row::value("rq_depth", XIW_A_CONNECTION_RQ_DEPTH)
                  .described("null: the queue is shared"),
              &C::rq_depth);
        visit(row::value("rq_used", XIW_A_CONNECTION_RQ_USED), &C::rq_used);
        visit(row::part("operations", XIW_A_CONNECTION_OPERATION)
                  .described("those with messages; octets include RDMAP headers"),
              &C::operations);
        visit(row::part("tcp", XIW_A_CONNECTION_TCP), &C::tcp);
        visit(row::value("port_taken", XIW_A_CONNECTION_PORT_TAKEN)
                  .described("the listener waits: another socket has its port"),
              &C::port_taken);
        visit(row::value("peer_qpn", XIW_A_CONNECTION_PEER_QPN)
                  .described("QP number of the peer; null: not connected by number")
                  .shown("peer qp"),
              &C::peer_qpn);
        visit(row::word("encryption", XIW_A_CONNECTION_ENCRYPTION, encryption_word)
                  .described("layers below MPA that encrypted when the connection was set up; "
                             "null: the RNIC cannot see them"),
              &C::encryption);
    }
};

// The kernel names its counters, so the tool also shows counters of a newer driver.
struct Counter {
    std::string name; // as in "rdma statistic" and sysfs
    uint64_t value = 0;
    std::string about;  // what it counts
    bool error = false; // it counts failures

    bool trouble() const { return error && value != 0; }
    const std::string &meaning() const { return about.empty() ? name : about; }

    template <typename Visit>
    static void fields(Visit &visit) {
        using C = Counter;
        visit(row::value("name", XIW_A_COUNTER_ENTRY_NAME), &C::name);
        visit(row::value("value", XIW_A_COUNTER_ENTRY_VALUE), &C::value);
        visit(row::hidden(XIW_A_COUNTER_ENTRY_ABOUT), &C::about);
        visit(row::hidden(XIW_A_COUNTER_ENTRY_ERROR), &C::error);
    }
};

struct CounterSet {
    DeviceRef device;
    std::vector<Counter> counters;
    std::vector<Operation> operations;

    // Get the value of the counter `name`; empty if the kernel does not report it.
    Maybe value(std::string_view name) const {
        for (const Counter &counter : counters)
            if (counter.name == name)
                return counter.value;
        return std::nullopt;
    }

    template <typename Visit>
    static void fields(Visit &visit) {
        using C = CounterSet;
        visit(row::device(XIW_A_COUNTER_DEV_INDEX, XIW_A_COUNTER_DEV_NAME), &C::device);
        visit(row::part("counters", XIW_A_COUNTER_ENTRY), &C::counters);
        visit(row::part("operations", XIW_A_COUNTER_OPERATION), &C::operations);
    }
};

struct Configured {
    uint64_t id = 0;
    SettingValue value;
};

struct ConfigSet {
    DeviceRef device;
    std::vector<Configured> settings; // unknown attributes are omitted
};

struct Bucket {
    uint64_t below = 0; // nanoseconds
    uint64_t count = 0;

    template <typename Visit>
    static void fields(Visit &visit) {
        visit(row::value("below_ns"), &Bucket::below);
        visit(row::value("count"), &Bucket::count);
    }
};

struct Histogram;
uint64_t total(const Histogram &histogram);
std::vector<Bucket> buckets(const Histogram &histogram); // buckets that are not empty

// Latencies of the work requests of one operation.
struct Histogram {
    uint64_t operation = 0;
    uint64_t sum = 0;             // total in nanoseconds
    std::vector<uint64_t> counts; // element n: 2^(n-1) to 2^n - 1 nanoseconds; element 0: 0

    template <typename Visit>
    static void fields(Visit &visit) {
        using H = Histogram;
        visit(row::word("operation", XIW_A_LATENCY_ENTRY_OPERATION, latency_word), &H::operation);
        visit(row::value("count"), &total);
        visit(row::value("sum_ns", XIW_A_LATENCY_ENTRY_SUM).or_zero(), &H::sum);
        visit(row::hidden(XIW_A_LATENCY_ENTRY_COUNTS), &H::counts);
        visit(row::part("buckets").described(
                  "those that are not empty; each begins at half of below_ns"),
              &buckets);
    }
};

struct LatencySet {
    DeviceRef device;
    Maybe on;
    std::vector<Histogram> histograms;

    template <typename Visit>
    static void fields(Visit &visit) {
        using L = LatencySet;
        visit(row::device(XIW_A_LATENCY_DEV_INDEX, XIW_A_LATENCY_DEV_NAME), &L::device);
        visit(row::flag("measuring", XIW_A_LATENCY_ON), &L::on);
        visit(row::part("operations", XIW_A_LATENCY_ENTRY), &L::histograms);
    }
};

struct Ring;
// in_use() counts the entries of a ring that are not complete. not_taken() counts the entries that
// the consumer of the ring has not taken yet.
Maybe in_use(const Ring &ring);
Maybe not_taken(const Ring &ring);

// A ring or a similar queue; indexes are free-running 32-bit counters.
struct Ring {
    uint64_t kind = 0;
    Maybe vector; // vector of an event ring
    Maybe size, done, given, posted;

    template <typename Visit>
    static void fields(Visit &visit) {
        using R = Ring;
        visit(row::word("ring", XIW_A_RING_ENTRY_KIND, ring_word), &R::kind);
        visit(row::value("vector", XIW_A_RING_ENTRY_VECTOR), &R::vector);
        visit(row::value("size", XIW_A_RING_ENTRY_SIZE), &R::size);
        visit(row::value("in_use"), &in_use);
        visit(row::value("not_taken"), &not_taken);
        visit(row::value("done", XIW_A_RING_ENTRY_DONE), &R::done);
        visit(row::value("given", XIW_A_RING_ENTRY_GIVEN), &R::given);
        visit(row::value("posted", XIW_A_RING_ENTRY_POSTED), &R::posted);
    }
};

struct Register {
    std::string name;
    uint64_t value = 0;

    template <typename Visit>
    static void fields(Visit &visit) {
        visit(row::value("name", XIW_A_REGISTER_ENTRY_NAME), &Register::name);
        visit(row::value("value", XIW_A_REGISTER_ENTRY_VALUE), &Register::value);
    }
};

// Rings of one QP, or of the device itself.
struct RingSet {
    DeviceRef device;
    Maybe qpn, vector;
    Maybe stream; // state word, enum xiw_stream_state
    std::vector<Ring> rings;
    std::vector<Register> registers;

    static constexpr const char *about = "of a QP or, without one, of the device itself";
    template <typename Visit>
    static void fields(Visit &visit) {
        using R = RingSet;
        visit(row::device(XIW_A_RING_DEV_INDEX, XIW_A_RING_DEV_NAME), &R::device);
        visit(row::value("qpn", XIW_A_RING_QPN), &R::qpn);
        visit(row::value("vector", XIW_A_RING_VECTOR).no_column(), &R::vector);
        visit(row::value("stream", XIW_A_RING_STREAM).no_column(), &R::stream);
        visit(row::lines("rings", XIW_A_RING_ENTRY), &R::rings);
        visit(row::part("registers", XIW_A_RING_REGISTER), &R::registers);
    }
};

// An armed injection.
struct Injection {
    uint64_t kind = 0;
    Maybe qpn; // empty: any QP
    Maybe at, every;
    Maybe count; // 0: no limit
    Maybe time;  // milliseconds
    Maybe octets;
    Maybe seen, hits;

    template <typename Visit>
    static void fields(Visit &visit) {
        using I = Injection;
        visit(row::value("qpn", XIW_A_INJECT_ENTRY_QPN), &I::qpn);
        visit(row::word("kind", XIW_A_INJECT_ENTRY_KIND, injection_word), &I::kind);
        visit(row::value("at", XIW_A_INJECT_ENTRY_AT), &I::at);
        visit(row::value("every", XIW_A_INJECT_ENTRY_EVERY), &I::every);
        visit(row::value("count", XIW_A_INJECT_ENTRY_COUNT), &I::count);
        visit(row::value("time_ms", XIW_A_INJECT_ENTRY_TIME), &I::time);
        visit(row::value("octets", XIW_A_INJECT_ENTRY_OCTETS), &I::octets);
        visit(row::value("seen", XIW_A_INJECT_ENTRY_SEEN), &I::seen);
        visit(row::value("hits", XIW_A_INJECT_ENTRY_HITS), &I::hits);
    }
};

struct InjectionSet {
    DeviceRef device;
    std::vector<Injection> armed; // the oldest first

    static constexpr const char *about = "errors that the device injects";
    template <typename Visit>
    static void fields(Visit &visit) {
        using I = InjectionSet;
        visit(row::device(XIW_A_INJECT_DEV_INDEX, XIW_A_INJECT_DEV_NAME), &I::device);
        visit(row::lines("armed", XIW_A_INJECT_ENTRY), &I::armed);
    }
};

struct Record;
std::string record_direction(const Record &record);
Maybe record_opcode(const Record &record); // empty if the header is not valid
std::string record_operation(const Record &record);
std::string record_text(const Record &record); // one line, without time and direction

// An entry of a flight recorder: a segment, or a message if the RNIC records no segments.
struct Record {
    Maybe age; // nanoseconds before the event
    bool sent = false;
    bool message = false;
    Maybe length;                    // octets after the header
    std::vector<uint8_t> ddp_header; // empty if it is not valid
    bool hidden = false;             // STag and address in the header are zero

    template <typename Visit>
    static void fields(Visit &visit) {
        using R = Record;
        visit(row::value("age_ns", XIW_A_RECORD_AGE).described("before the event"), &R::age);
        visit(row::hidden(XIW_A_RECORD_SENT), &R::sent);
        visit(row::value("direction").never_null(), &record_direction);
        visit(row::value("message", XIW_A_RECORD_MESSAGE)
                  .described("true: a message, because the RNIC reports no segments"),
              &R::message);
        visit(row::value("opcode"), &record_opcode);
        visit(row::value("operation"), &record_operation);
        visit(row::value("length", XIW_A_RECORD_LENGTH).described("octets after the header"),
              &R::length);
        visit(row::value("ddp_header", XIW_A_RECORD_DDP_HEADER).described("hexadecimal"),
              &R::ddp_header);
        visit(row::value("hidden", XIW_A_RECORD_HIDDEN)
                  .described("true: STag and address in it are zero"),
              &R::hidden);
        visit(row::value("text").never_null(), &record_text);
    }
};

// Rates per second; empty if there is no earlier value.
struct Flow {
    Maybe tx = {};
    Maybe rx = {};
};

struct DeviceRate {
    DeviceRef device;
    std::string ifname;
    Maybe state;
    uint64_t connections = 0;
    Flow octets = {};
    Flow fpdus = {};
    Flow messages = {};
    Maybe trouble = {}; // errors counted in the interval
};

struct ConnectionRate {
    Connection connection;
    Flow octets;
};

struct Activity {
    uint64_t interval = 0; // nanoseconds
    std::vector<DeviceRate> devices;
    std::vector<ConnectionRate> connections;
};

// The Terminate message of an event.
struct NoticeCause : Cause {
    Maybe segment_length;
    std::vector<uint8_t> ddp_header; // header of the offending segment
    std::vector<uint8_t> rdma_header;
    bool hidden = false;
    std::string header_text;

    static constexpr const char *about = nullptr;
    template <typename Visit>
    static void fields(Visit &visit) {
        using N = NoticeCause;
        codes(visit);
        visit(row::value("segment_length"), &N::segment_length);
        visit(row::value("ddp_header").described("hexadecimal"), &N::ddp_header);
        visit(row::value("rdma_header").described("hexadecimal"), &N::rdma_header);
        visit(row::value("hidden").described("true: STags and addresses in the headers are zero"),
              &N::hidden);
        visit(row::value("about"), &N::header_text);
    }
};

struct Notice;
std::string notice_time(const Notice &notice);
std::optional<NoticeCause> notice_cause(const Notice &notice);
std::string notice_text(const Notice &notice);   // one line: "sent Terminate 1/1/0x00 ..."
std::string notice_advice(const Notice &notice); // what to check; may be empty

// An event from the kernel.
struct Notice {
    DeviceRef device;
    Maybe kind;
    Maybe number;
    Maybe time; // nanoseconds since 1970, UTC
    Maybe origin;
    Maybe qpn;
    Maybe cm_id;
    Maybe role;
    std::optional<Address> local;
    std::optional<Address> remote;
    Maybe terminate;
    Maybe segment_length;
    std::vector<uint8_t> ddp_header; // header of the offending segment
    std::vector<uint8_t> rdma_header;
    bool hidden = false; // STags and addresses in the headers are zero
    Maybe error;
    std::string text;
    Maybe from; // states of a stream before (from) and after (to) a change
    Maybe to;
    std::vector<Record> records; // the oldest first

    static constexpr const char *about = "an event; the numbers of a device increase by one";
    template <typename Visit>
    static void fields(Visit &visit) {
        using N = Notice;
        visit(row::device(XIW_A_NOTICE_DEV_INDEX, XIW_A_NOTICE_DEV_NAME), &N::device);
        visit(row::value("number", XIW_A_NOTICE_NUMBER), &N::number);
        visit(row::value("time_ns", XIW_A_NOTICE_TIME), &N::time);
        visit(row::value("time").no_column(), &notice_time);
        visit(row::word("kind", XIW_A_NOTICE_KIND, notice_kind_word), &N::kind);
        visit(row::word("origin", XIW_A_NOTICE_ORIGIN, origin_word), &N::origin);
        visit(row::value("qpn", XIW_A_NOTICE_QPN), &N::qpn);
        visit(row::value("cm_id", XIW_A_NOTICE_CM_ID).no_column(), &N::cm_id);
        visit(row::word("role", XIW_A_NOTICE_ROLE, role_word).no_column(), &N::role);
        visit(row::value("local", XIW_A_NOTICE_LOCAL_ADDR), &N::local);
        visit(row::value("remote", XIW_A_NOTICE_REMOTE_ADDR), &N::remote);
        visit(row::part("terminate"), &notice_cause);
        visit(Field{.key = "terminate",
                    .attribute = XIW_A_NOTICE_TERMINATE,
                    .as = Field::As::hex,
                    .json = false},
              &N::terminate);
        visit(row::hidden(XIW_A_NOTICE_SEGMENT_LENGTH), &N::segment_length);
        visit(row::hidden(XIW_A_NOTICE_DDP_HEADER), &N::ddp_header);
        visit(row::hidden(XIW_A_NOTICE_RDMA_HEADER), &N::rdma_header);
        visit(row::hidden(XIW_A_NOTICE_HIDDEN), &N::hidden);
        visit(row::value("errno", XIW_A_NOTICE_ERROR).called("error"), &N::error);
        visit(row::word("from", XIW_A_NOTICE_FROM, stream_state_word).no_column(), &N::from);
        visit(row::word("to", XIW_A_NOTICE_TO, stream_state_word).no_column(), &N::to);
        visit(row::hidden(XIW_A_NOTICE_TEXT), &N::text);
        visit(row::value("text").never_null(), &notice_text);
        visit(row::value("advice").no_column(), &notice_advice);
        visit(row::part("records", XIW_A_NOTICE_RECORD)
                  .described(
                      "the last segments or messages before the end of a stream, the oldest first"),
              &N::records);
    }
};

// The explanation of a code. A member is empty if the tool has no text for it.
struct Explanation {
    std::string subject; // the code, as xiw prints it
    std::string kind;    // type of the code
    std::string meaning;
    std::string source; // document that defines the code
    std::string effect; // consequence of the code; for an errno, its meaning in the driver
    std::string advice; // what to check
};

// The output of one command. Parts that the command does not show are absent; parts without objects
// are empty lists.
struct Report {
    std::optional<std::vector<Device>> devices;
    std::optional<std::vector<CapabilitySet>> capabilities;
    std::optional<std::vector<Connection>> connections;
    std::optional<std::vector<CounterSet>> counters;
    std::optional<std::vector<ConfigSet>> config;
    std::optional<std::vector<Explanation>> explanations;
    std::optional<std::vector<Notice>> notices;
    std::optional<std::vector<LatencySet>> latency;
    std::optional<std::vector<RingSet>> rings;
    std::optional<std::vector<InjectionSet>> injections;
    std::optional<Activity> activity;
    Maybe lost; // number of lost events
    std::optional<doctor::Findings> findings;
    std::optional<Ping> ping;
    std::optional<Selftest> selftest;
    bool consistent = true; // false if the objects changed while they were read
};

} // namespace xiw

#endif
