// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_MODEL_HPP
#define XIW_MODEL_MODEL_HPP

#include "doctor/doctor.hpp"
#include "model/traffic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Data from the kernel, as plain data. Enumerations are numbers here, so that unknown values are
// kept; words.hpp translates them. An empty optional is a value that the kernel did not send.

namespace xiw {

using Maybe = std::optional<uint64_t>;

struct Numbered {
    uint64_t id = 0;
    uint64_t value = 0;
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
};

struct Capability {
    uint64_t id = 0;
    Maybe local;
    Maybe offered;
    Maybe peer;
    Maybe agreed;
    Maybe known;
};

struct CapabilitySet {
    DeviceRef device;
    Maybe qpn; // empty: the device itself
    std::vector<Capability> entries;
};

struct Address {
    std::string host; // empty if the family is unknown
    uint16_t port = 0;
    bool v6 = false;
};

struct MpaFrame {
    Maybe revision;
    Maybe flags;
    Maybe ird;
    Maybe ord;
    Maybe private_length;
};

struct Operation {
    uint8_t opcode = 0;
    uint64_t tx = 0;
    uint64_t rx = 0;
    Maybe tx_bytes; // only for connections
    Maybe rx_bytes;
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
};

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
    std::vector<Operation> operations; // those with messages
    std::optional<Tcp> tcp;
};

struct CounterSet {
    DeviceRef device;
    std::vector<Numbered> counters;
    std::vector<Operation> operations;
};

struct ConfigSet {
    DeviceRef device;
    std::vector<Numbered> settings; // unknown attributes are omitted
};

// Latencies of the work requests of one operation.
struct Histogram {
    uint64_t operation = 0;
    uint64_t sum = 0;             // total in nanoseconds
    std::vector<uint64_t> counts; // element n: less than 2^n nanoseconds
};

struct LatencySet {
    DeviceRef device;
    Maybe on;
    std::vector<Histogram> histograms;
};

// A ring, or something with as many entries; indexes are free-running 32-bit counters.
struct Ring {
    uint64_t kind = 0;
    Maybe vector; // of an event ring
    Maybe size, done, given, posted;
};

struct Register {
    std::string name;
    uint64_t value = 0;
};

// Rings of one QP, or of the device itself.
struct RingSet {
    DeviceRef device;
    Maybe qpn, vector;
    Maybe stream; // state word, enum xiw_stream_state
    std::vector<Ring> rings;
    std::vector<Register> registers;
};

// An armed fault.
struct Fault {
    uint64_t kind = 0;
    Maybe qpn; // empty: any QP
    Maybe at, every;
    Maybe count; // 0: no limit
    Maybe time;  // milliseconds
    Maybe octets;
    Maybe seen, hits;
};

struct FaultSet {
    DeviceRef device;
    std::vector<Fault> armed; // the oldest first
};

// An entry of a flight recorder: a segment, or a message if the RNIC records no segments.
struct Record {
    Maybe age; // nanoseconds before the event
    bool sent = false;
    bool message = false;
    Maybe length;                    // octets after the header
    std::vector<uint8_t> ddp_header; // empty if it is not valid
    bool hidden = false;             // STag and address in it are zero
};

// Per second; empty without an earlier value.
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
    std::vector<uint8_t> ddp_header; // of the offending segment
    std::vector<uint8_t> rdma_header;
    bool hidden = false; // STags and addresses in them are zero
    Maybe error;
    std::string text;
    Maybe from; // states of a stream
    Maybe to;
    std::vector<Record> records; // the oldest first
};

// A code in words. Empty strings: not known.
struct Explanation {
    std::string subject; // as printed by xiw
    std::string kind;    // type of the code
    std::string meaning;
    std::string source; // where it is defined
    std::string effect; // its consequence
    std::string advice; // what to check
};

// Everything that one command shows. Parts that the command does not show are absent; parts
// without objects are empty lists.
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
    std::optional<std::vector<FaultSet>> faults;
    std::optional<Activity> activity;
    Maybe lost; // number of lost events
    std::optional<doctor::Findings> findings;
    std::optional<Ping> ping;
    std::optional<Selftest> selftest;
    bool consistent = true; // false if the objects changed while they were read
};

} // namespace xiw

#endif
