// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Check whether this machine is ready for xiw. Each check examines one prerequisite, changes
// nothing, and names the command that fixes a problem. Each check is a function and, except for
// check_peer(), a row of the table in checks.cpp.
#ifndef XIW_DOCTOR_DOCTOR_HPP
#define XIW_DOCTOR_DOCTOR_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/socket.h>

struct ifaddrs;

namespace xiw::doctor {

enum class Verdict { pass, warn, fail };
const char *verdict_word(Verdict verdict);

struct Finding {
    Verdict verdict = Verdict::pass;
    std::string text;
    std::string fix; // a command or an instruction; empty if there is nothing to do
    std::string check = {};
};
using Findings = std::vector<Finding>;

// The path to the peer.
struct Path {
    std::string address;                                      // address of the peer
    std::string netdev;                                       // interface to the peer
    uint64_t mtu = 0;                                         // MTU of the path, if known
    std::optional<std::chrono::microseconds> round_trip = {}; // empty if unknown
    std::string error; // why there is no path; in this case, the other members are empty
};

// An RDMA device of this driver.
struct RdmaDevice {
    std::string name;
    std::string netdev;  // empty if unknown
    bool failed = false; // the RNIC has failed
};

// A listener without a port, because another socket had the port when the device was added.
struct Waiting {
    std::string device;
    std::string address; // address with the port
    uint16_t port = 0;
};

// A device that requires encryption, or uses TLS.
struct Demand {
    std::string device;
    uint64_t tls = 0;      // enum xiw_nl_tls
    bool required = false; // the setting require-encryption
    // Number of events that report a connection as refused or ended because it was not encrypted.
    // The driver keeps only the last events.
    size_t refused = 0;
    std::string peer; // peer of the last of these connections, with the port; empty if unknown
};

// The machine that the checks examine. Tests use a substitute.
struct Host {
    std::string root;     // prefix of every path
    std::string release;  // kernel release
    uint64_t memlock = 0; // octets; all ones: no limit
    // The devices that the driver has reported; empty if it has not answered.
    std::optional<std::vector<RdmaDevice>> reported = {};
    std::function<Path(const std::string &host)> path;
    std::function<std::vector<Waiting>()> waiting; // an empty function means no listeners
    std::function<std::vector<Demand>()> demands;  // an empty function means no devices

    bool is(const std::string &path) const;
    bool usable(const std::string &path) const; // readable and writable
    // Contents of a file without trailing blanks; empty if the file cannot be read.
    std::optional<std::string> text(const std::string &path) const;
    std::optional<uint64_t> number(const std::string &path) const;
    std::vector<std::string> list(const std::string &folder) const; // names, sorted
    // Get the RDMA devices of this driver in this network namespace. If the driver does not answer,
    // get the devices that sysfs lists, which may include devices of other network namespaces.
    std::vector<RdmaDevice> devices() const;
    std::string netdev_of(const std::string &device) const; // empty if unknown
};

// This machine.
Host this_host();

// Get the devices of this network namespace from the driver; empty if the driver does not answer.
std::optional<std::vector<RdmaDevice>> reported_devices();

// Get the listeners that wait for a port, as the driver reports them; none if the driver does not
// answer.
std::vector<Waiting> waiting_listeners();

// Get the devices that require encryption or use TLS; none if the driver does not answer.
std::vector<Demand> encryption_demands();
// Check whether the connections of these devices can be encrypted.
void check_encryption(const Host &host, Findings &found);

// Send up to three echo requests to an address, and return the shortest round-trip time. Returns an
// empty value if the peer does not answer the first request within a second, or if this program is
// not permitted to send echo requests.
std::optional<std::chrono::microseconds> round_trip(const sockaddr *peer, socklen_t length);
// Get the name of the interface in `list` that has an IPv4 or IPv6 address; empty if there is none.
// Compare also the scope, unless it is 0, because several interfaces may have the same link-local
// address. For example, a VLAN has the address of its interface.
std::string interface_with(const sockaddr *address, const ifaddrs *list);
// Get the path to a host from the kernel's routes, and its round-trip time.
Path path_to(const std::string &host);
// Check the path to the peer. examine() calls this only if a peer is given.
void check_peer(const Host &host, const std::string &peer, Findings &found);

// Run all checks; the peer may be empty.
Findings examine(const Host &host, const std::string &peer);

} // namespace xiw::doctor

#endif
