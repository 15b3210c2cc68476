// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "doctor/doctor.hpp"
#include "schema.hpp"
#include "tool.hpp"
#include "tree.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <arpa/inet.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <ifaddrs.h>
#include <linux/xiw.h>
#include <netinet/in.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;
using test::Result;
using xiw::Exit;
using namespace xiw::doctor;

namespace {

// A folder of files that describes a machine to `xiw doctor`. The constructor describes a machine
// without problems.
class Machine {
  public:
    Machine() {
        char name[] = "/tmp/xiw-host.XXXXXX";
        if (mkdtemp(name) == nullptr)
            throw std::runtime_error("mkdtemp");
        host.root = name;
        host.release = "6.12.0-test";
        host.memlock = std::numeric_limits<uint64_t>::max();
        host.path = [](const std::string &) {
            return Path{.address = "192.0.2.1", .netdev = "eth0", .mtu = 1500, .error = ""};
        };
        std::ifstream version(test::in_tree("/VERSION"));
        std::string now;
        std::getline(version, now);
        put("/sys/module/xiw/version", now + "\n");
        put("/sys/module/ib_core/parameters/netns_mode", "Y\n");
        put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
        for (const char *device : {"xiw0", "mlx5_0"}) {
            const std::string folder = std::string("/sys/class/infiniband/") + device;
            put(folder + "/node_desc", device[0] == 'x' ? "xiw iWARP\n" : "other\n");
            put(folder + "/ports/1/state", "4: ACTIVE\n");
            put(folder + "/ports/1/phys_state", "5: LinkUp\n");
            put(folder + "/ports/1/rate", "10 Gb/sec (1X)\n");
            put(folder + "/ports/1/link_layer", "Ethernet\n");
        }
        put(ndev, "eth0\n");
        put("/sys/class/net/eth0/mtu", "1500\n");
        put("/dev/infiniband/uverbs0", "");
        put("/dev/infiniband/rdma_cm", "");
        put(provider, "");
        put(sibling, "");
        put("/proc/self/cgroup", "0::/user\n");
        put("/lib/modules/6.12.0-test/kernel/drivers/block.ko", "");
        put("/lib/modules/6.12.0-test/build/Makefile", "");
        put(dkms, "");
        put("/var/lib/dkms/xiw/1.2.3/source", "");
        put("/proc/net/tcp", listeners);
        put(cgroup, "xiw0 hca_handle=max hca_object=max\n");
        put(clock, "tsc\n");
    }
    ~Machine() {
        std::error_code error;
        std::filesystem::remove_all(host.root, error);
    }
    Machine(const Machine &) = delete;
    Machine(Machine &&) = delete;
    Machine &operator=(const Machine &) = delete;
    Machine &operator=(Machine &&) = delete;

    void put(const std::string &path, const std::string &content) const {
        const std::filesystem::path file = host.root + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << content;
    }
    void remove(const std::string &path) const { std::filesystem::remove_all(host.root + path); }

    Result run(std::vector<const char *> arguments = {"doctor"}) const {
        return test::run_on(host, std::move(arguments));
    }

    static constexpr const char *ndev = "/sys/class/infiniband/xiw0/ports/1/gid_attrs/ndevs/0";
    static constexpr const char *provider =
        "/usr/lib/x86_64-linux-gnu/libibverbs/libxiw-rdmav34.so";
    static constexpr const char *sibling = "/usr/lib/x86_64-linux-gnu/libibverbs/libsiw-rdmav34.so";
    static constexpr const char *cgroup = "/sys/fs/cgroup/user/rdma.max";
    static constexpr const char *dkms =
        "/var/lib/dkms/xiw/1.2.3/6.12.0-test/x86_64/module/xiw.ko.xz";
    static constexpr const char *listeners =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
        "   1: 0100000A:1144 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
        "   2: 0100000A:1543 0200000A:1543 01 00000000:00000000 00:00000000 00000000     0\n";
    static constexpr const char *clock =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    Host host;
};

struct Trouble {
    void (*spoil)(Machine &m);
    int exit;
    const char *check, *says, *fix;
};

const Trouble troubles[] = {
    {[](Machine &m) { m.remove("/sys/module/xiw"); }, 2, "module", "no module xiw", "make"},
    {[](Machine &m) {
         m.remove("/sys/module/xiw");
         m.put("/lib/modules/6.12.0-test/updates/xiw.ko.xz", "");
     },
     2, "module", "not loaded", "modprobe xiw"},
    {[](Machine &m) {
         m.remove("/sys/module/xiw");
         m.put("/lib/modules/6.12.0-test/kernel/drivers/infiniband/sw/xiw/xiw.ko.xz", "");
     },
     2, "module", "not loaded", "modprobe xiw"},
    {[](Machine &m) { m.put("/sys/module/xiw/version", "0.0.9"); }, 1, "module",
     "the module is xiw 0.0.9", "make install"},
    {[](Machine &m) { m.remove(Machine::dkms); }, 1, "dkms",
     "DKMS has no module for the kernel 6.12.0-test", "dkms install xiw/1.2.3 -k 6.12.0-test"},
    {[](Machine &m) {
         m.remove(Machine::dkms);
         m.remove("/lib/modules/6.12.0-test/build");
     },
     1, "dkms", "whose headers are missing", "apt-get install linux-headers-6.12.0-test"},
    {[](Machine &m) { m.put("/lib/modules/6.13.0-next/kernel/x", ""); }, 1, "dkms",
     "DKMS has no module for the kernel 6.13.0-next", "linux-headers-6.13.0-next"},
    {[](Machine &m) {
         m.remove("/sys/module/xiw");
         m.put("/var/lib/dkms/mok.pub", "");
         m.put("/sys/kernel/security/lockdown", "none [integrity] confidentiality");
     },
     2, "lockdown", "must be signed", "mokutil --import /var/lib/dkms/mok.pub"},
    {[](Machine &m) {
         m.remove("/sys/module/xiw");
         m.put("/sys/kernel/security/lockdown", "none [integrity] confidentiality");
     },
     2, "lockdown", "must be signed", "mokutil"},
    {[](Machine &m) { m.remove("/sys/class/infiniband/xiw0"); }, 2, "device", "no xiw RDMA device",
     "rdma link add"},
    {[](Machine &m) { m.put("/sys/class/infiniband/xiw0/ports/1/state", "1: DOWN"); }, 2, "device",
     "not active: 1: DOWN", "ip link set eth0 up"},
    // The port of a failed device remains active in sysfs.
    {[](Machine &m) {
         m.host.reported =
             std::vector<RdmaDevice>{{.name = "xiw0", .netdev = "eth0", .failed = true}};
     },
     2, "device", "the RNIC of xiw0 has failed",
     "rdma link del xiw0; rdma link add xiw0 type xiw netdev eth0"},
    {[](Machine &m) { m.remove("/sys/class/infiniband/mlx5_0/ports/1/rate"); }, 1, "exporters",
     "mlx5_0/ports/1/rate cannot be read", "prometheus"},
    {[](Machine &m) { m.put("/sys/class/net/eth0/mtu", "576"); }, 1, "mtu", "576",
     "ip link set eth0 mtu 1500"},
    {[](Machine &m) { m.remove(Machine::ndev); }, 1, "mtu", "is unknown", nullptr},
    {[](Machine &m) {
         m.host.waiting = [] {
             return std::vector<Waiting>{{.device = "xiw0", .address = "0.0.0.0:445", .port = 445}};
         };
     },
     1, "ports", "a listener of xiw0 waits for 0.0.0.0:445", "ss -ltnp sport = :445"},
    {[](Machine &m) {
         m.put("/sys/module/ib_isert/refcnt", "1");
         m.put("/sys/kernel/config/target/iscsi/iqn.x/tpgt_1/np/10.0.0.1:3260/iser", "0\n");
     },
     1, "iser", "the portal 10.0.0.1:3260 of the iSCSI target is without iSER", "ulps.md, iSER"},
    {[](Machine &m) { m.remove("/sys/module/ib_core"); }, 1, "namespace", "not loaded",
     "modprobe ib_core"},
    {[](Machine &m) { m.remove("/dev/infiniband"); }, 1, "uverbs", "only kernel ULPs",
     "modprobe -a ib_uverbs"},
    {[](Machine &m) { m.remove(Machine::provider); }, 1, "provider", "no provider for xiw",
     "provider"},
    {[](Machine &m) {
         m.remove(Machine::sibling);
         m.put("/usr/lib/x86_64-linux-gnu/libibverbs/libsiw-rdmav57.so", "");
     },
     2, "provider", "private ABI 34, libibverbs has 57", "build the provider"},
    {[](Machine &m) { m.host.memlock = 8U << 20; }, 1, "memlock", "8192 KiB",
     "ulimit -l unlimited"},
    // Only CAP_IPC_LOCK in the initial user namespace lifts the memlock limit.
    {[](Machine &m) {
         m.host.memlock = 8U << 20;
         m.put("/proc/self/status", "Name:\txiw\nCapEff:\t000001ffffffffff\n");
         m.put("/proc/self/uid_map", "         0       1000          1\n");
     },
     1, "memlock", "8192 KiB", "ulimit -l unlimited"},
    {[](Machine &m) {
         m.host.memlock = 8U << 20;
         m.put("/proc/self/status", "Name:\txiw\nCapEff:\t000001ffffffbfff\n");
         m.put("/proc/self/uid_map", "         0          0 4294967295\n");
     },
     1, "memlock", "8192 KiB", "ulimit -l unlimited"},
    {[](Machine &m) { m.put(Machine::cgroup, "xiw0 hca_handle=2 hca_object=max\n"); }, 1, "cgroup",
     "/sys/fs/cgroup/user/rdma.max limits xiw0: hca_handle=2", "echo xiw0"},
    {[](Machine &m) {
         m.put("/proc/self/cgroup", "0::/user/a/b\n");
         m.put(Machine::cgroup, "xiw0 hca_handle=2 hca_object=max\n");
     },
     1, "cgroup", "/sys/fs/cgroup/user/rdma.max limits xiw0: hca_handle=2",
     "hca_handle=max hca_object=max > /sys/fs/cgroup/user/rdma.max"},
    // The root of a cgroup namespace may have an rdma.max, unlike the root of the hierarchy.
    {[](Machine &m) {
         m.put("/proc/self/cgroup", "0::/\n");
         m.put("/sys/fs/cgroup/rdma.max", "xiw0 hca_handle=max hca_object=9\n");
     },
     1, "cgroup", "/sys/fs/cgroup/rdma.max limits xiw0: hca_handle=max hca_object=9",
     "> /sys/fs/cgroup/rdma.max"},
    {[](Machine &m) { m.put(Machine::clock, "hpet"); }, 1, "clock", "hpet", "clocksource=tsc"},
    {[](Machine &m) {
         m.remove(Machine::dkms);
         m.host.release = "6.18.2-rt";
         m.put("/var/lib/dkms/xiw/1.2.3/6.18.2-rt/x86_64/module/xiw.ko", "");
         m.put("/sys/kernel/realtime", "1");
     },
     1, "realtime", "the kernel 6.18.2-rt has PREEMPT_RT", "without PREEMPT_RT"},
    {[](Machine &m) {
         m.host.demands = [] {
             return std::vector<Demand>{{.device = "xiw0", .refused = 2, .peer = "192.0.2.1:4420"}};
         };
     },
     1, "encryption", "xiw0 requires encryption and refused 2 connections, the last with 192.0.2.1",
     "ip xfrm policy"},
    {[](Machine &m) {
         m.put("/sys/class/net/eth0/uevent", "DEVTYPE=macsec\nINTERFACE=eth0\n");
         m.host.demands = [] {
             return std::vector<Demand>{{.device = "xiw0", .refused = 1, .peer = ""}};
         };
     },
     1, "encryption", "an unknown peer", "encrypt on, protect on, validate strict"},
    {[](Machine &m) {
         m.host.demands = [] {
             return std::vector<Demand>{{.device = "xiw0", .tls = XIW_NL_TLS_ACCEPT, .peer = ""}};
         };
     },
     1, "encryption", "xiw0 uses TLS, but tlshd does not run", "systemctl enable --now tlshd"},
    // With tls=accept, an initiator does not use TLS. So another layer must encrypt the connection.
    {[](Machine &m) {
         m.put("/proc/42/comm", "tlshd\n");
         m.host.demands = [] {
             return std::vector<Demand>{{.device = "xiw0",
                                         .tls = XIW_NL_TLS_ACCEPT,
                                         .required = true,
                                         .refused = 1,
                                         .peer = "192.0.2.1:4420"}};
         };
     },
     1, "encryption", "xiw0 requires encryption and refused 1 connections", "ip xfrm policy"},
    {[](Machine &m) {
         m.put("/proc/42/comm", "tlshd\n");
         m.host.demands = [] {
             return std::vector<Demand>{{.device = "xiw0",
                                         .tls = XIW_NL_TLS_REQUIRE,
                                         .refused = 1,
                                         .peer = "192.0.2.1:4420"}};
         };
     },
     1, "encryption", "xiw0 uses TLS and refused 1 connections, the last with 192.0.2.1:4420",
     "journalctl -u tlshd"},
};

} // namespace

TEST_CASE("doctor passes a complete machine") {
    const Machine machine;
    const Result result = machine.run({"doctor", "--peer", "example"});
    CAPTURE(result.out);
    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, !ContainsSubstring("warn") && !ContainsSubstring("fail"));
    CHECK_THAT(result.out, ContainsSubstring("xiw0 is active on eth0"));
    CHECK_THAT(result.out, ContainsSubstring("the route to example (192.0.2.1) uses xiw0 on eth0"));
}

TEST_CASE("doctor reports each problem and how to fix it") {
    for (const Trouble &row : troubles) {
        Machine m;
        row.spoil(m);
        const Result result = m.run({"doctor", "--json"});
        CAPTURE(row.check, row.says, result.out);
        CHECK(static_cast<int>(result.exit) == row.exit);
        const auto document = nlohmann::json::parse(result.out);
        CHECK(test::violations(test::tool_schema(), document).empty());
        const auto &findings = document["findings"];
        const auto it = std::ranges::find_if(findings, [&row](const auto &f) {
            return f["check"] == row.check && f["verdict"] != "pass";
        });
        REQUIRE(it != findings.end());
        CHECK_THAT((*it)["text"].get<std::string>(), ContainsSubstring(row.says));
        if (row.fix != nullptr)
            CHECK_THAT((*it)["fix"].get<std::string>(), ContainsSubstring(row.fix));
    }
}

TEST_CASE("doctor reports no problem in a harmless state") {
    Machine m;
    SECTION("no DKMS") {
        m.remove("/var/lib/dkms");
    }
    SECTION("modules of a removed kernel") {
        m.put("/lib/modules/6.11.0-old/updates/x", "");
    }
    SECTION("a TCP portal while nobody uses iSER") {
        m.put("/sys/kernel/config/target/iscsi/iqn.x/tpgt_1/np/10.0.0.1:3260/iser", "0\n");
    }
    SECTION("a portal with iSER") {
        m.put("/sys/module/ib_isert/refcnt", "1");
        m.put("/sys/kernel/config/target/iscsi/iqn.x/tpgt_1/np/10.0.0.1:3260/iser", "1\n");
    }
    SECTION("the provider of another architecture") {
        m.remove("/usr/lib/x86_64-linux-gnu");
        m.put("/usr/lib/aarch64-linux-gnu/libibverbs/libxiw-rdmav34.so", "");
    }
    SECTION("another version of the driver in DKMS") {
        m.put("/var/lib/dkms/xiw/1.0.0/source", "");
    }
    SECTION("a device of another driver whose description begins with xiw") {
        m.put("/sys/class/infiniband/mlx5_0/node_desc", "xiw iWARP 2\n");
    }
    SECTION("PREEMPT_RT before 6.18") {
        m.put("/sys/kernel/realtime", "1");
    }
    const Result result = m.run();
    CAPTURE(result.out);
    CHECK(result.exit == Exit::ok);
}

TEST_CASE("doctor does not warn of a limit of locked memory that the kernel ignores") {
    Machine m;
    m.host.memlock = 8U << 20;
    m.put("/proc/self/status", "Name:\txiw\nCapPrm:\t0\nCapEff:\t0000000000004000\n");
    m.put("/proc/self/uid_map", "         0          0 4294967295\n");
    const Result result = m.run();
    CAPTURE(result.out);
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, ContainsSubstring("the limit of 8192 KiB applies to other users"));
}

TEST_CASE("doctor checks only devices that the driver reports in this network namespace") {
    Machine m;
    // Let sysfs also list a device of another network namespace.
    m.put("/sys/class/infiniband/xiw1/node_desc", "xiw iWARP\n");
    for (const char *file : {"state", "phys_state", "rate", "link_layer"})
        m.put(std::string("/sys/class/infiniband/xiw1/ports/1/") + file, "4: ACTIVE\n");
    m.host.reported = std::vector<RdmaDevice>{{.name = "xiw0", .netdev = "eth2"}};
    m.put("/sys/class/net/eth2/mtu", "9000\n");
    const Result result = m.run();
    CAPTURE(result.out);
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, ContainsSubstring("xiw0 is active on eth2") &&
                               ContainsSubstring("eth2 has an MTU of 9000") &&
                               !ContainsSubstring("xiw1"));

    m.host.reported = std::vector<RdmaDevice>();
    CHECK_THAT(m.run().out, ContainsSubstring("no xiw RDMA device in this network namespace"));
    // If the driver does not answer, the doctor gets the devices from sysfs.
    m.host.reported = std::nullopt;
    CHECK_THAT(m.run().out,
               ContainsSubstring("xiw0 is active on eth0") && ContainsSubstring("xiw1 is active"));
}

TEST_CASE("doctor names the version of the driver that DKMS must install") {
    Machine m;
    m.remove("/var/lib/dkms/xiw");
    for (const char *known : {"1.9.0", "1.10.0", "1.2.3"})
        m.put(std::string("/var/lib/dkms/xiw/") + known + "/source", "");
    CHECK_THAT(m.run().out, ContainsSubstring("dkms install xiw/1.10.0 -k 6.12.0-test"));
    std::string own = *m.host.text("/sys/module/xiw/version");
    m.put("/var/lib/dkms/xiw/" + own + "/source", "");
    CHECK_THAT(m.run().out, ContainsSubstring("dkms install xiw/" + own + " -k 6.12.0-test"));
}

TEST_CASE("doctor names the ports of listening services that a firewall must accept") {
    Machine m;
    const Result ipv4 = m.run();
    CHECK(ipv4.exit == Exit::ok);
    CHECK_THAT(ipv4.out, ContainsSubstring("NVMe-oF listens on port 4420, which a firewall") &&
                             ContainsSubstring("nft list ruleset"));
    m.put("/proc/net/tcp6", "   0: 00000000000000000000000000000000:4E51 "
                            "00000000000000000000000000000000:0000 0A 0\n");
    CHECK_THAT(m.run().out, ContainsSubstring("NVMe-oF listens on port 4420") &&
                                ContainsSubstring("NFS/RDMA listens on port 20049"));
    m.remove("/proc/net/tcp");
    m.remove("/proc/net/tcp6");
    CHECK_THAT(m.run().out, ContainsSubstring("no listening service for a firewall to block") &&
                                !ContainsSubstring("nft"));
}

TEST_CASE("doctor checks the path to a peer") {
    Machine m;
    Path path{.address = "192.0.2.1", .netdev = "eth0", .mtu = 1400, .error = ""};
    m.host.path = [&path](const std::string &) { return path; };
    CHECK_THAT(m.run({"doctor", "--peer", "x"}).out,
               ContainsSubstring("the path to x has an MTU of 1400, eth0 has 1500") &&
                   ContainsSubstring("ping -M do -s 1472 x"));
    path.address = "2001:db8::1";
    CHECK_THAT(m.run({"doctor", "--peer", "x"}).out, ContainsSubstring("ping -M do -s 1452 x"));
    path.netdev = "eth1";
    const Result elsewhere = m.run({"doctor", "--peer", "x"});
    CHECK(static_cast<int>(elsewhere.exit) == 2);
    CHECK_THAT(elsewhere.out, ContainsSubstring("rdma link add xiw0 type xiw netdev eth1"));
    path = {.address = "", .netdev = "", .mtu = 0, .error = "Network is unreachable"};
    CHECK_THAT(m.run({"doctor", "--peer", "x"}).out,
               ContainsSubstring("no route to x: Network is unreachable"));
}

TEST_CASE("doctor finds the interface of a link-local address by its scope") {
    struct Interface {
        std::string name;
        sockaddr_in6 address;
        ifaddrs row;
    };
    // An interface, and a VLAN on it with the same addresses
    std::array<Interface, 2> list{};
    for (unsigned i = 0; i < list.size(); i++) {
        Interface &one = list[i];
        one.name = i == 0 ? "eth0" : "eth0.100";
        one.address.sin6_family = AF_INET6;
        one.address.sin6_scope_id = i + 2;
        REQUIRE(inet_pton(AF_INET6, "fe80::1", &one.address.sin6_addr) == 1);
        one.row.ifa_name = one.name.data();
        one.row.ifa_addr = reinterpret_cast<sockaddr *>(&one.address);
        one.row.ifa_next = i == 0 ? &list[1].row : nullptr;
    }
    sockaddr_in6 own = list[0].address;
    own.sin6_port = htons(9);
    const auto found = [&] {
        return interface_with(reinterpret_cast<const sockaddr *>(&own), &list[0].row);
    };
    CHECK(found() == "eth0");
    own.sin6_scope_id = 3;
    CHECK(found() == "eth0.100");
    own.sin6_scope_id = 4;
    CHECK(found().empty());
    // The kernel returns no scope if the peer has a global address.
    own.sin6_scope_id = 0;
    CHECK(!found().empty());
}

TEST_CASE("doctor checks TCP's receive buffers for the round-trip time") {
    using std::chrono::microseconds;
    Machine m;
    Path path{.address = "192.0.2.1", .netdev = "eth0", .mtu = 1500, .error = ""};
    m.host.path = [&path](const std::string &) { return path; };
    const auto out = [&] { return m.run({"doctor", "--peer", "x"}).out; };
    m.put("/sys/class/net/eth0/speed", "10000\n");
    m.put("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    CHECK_THAT(out(), ContainsSubstring("x answers no echo requests"));

    // TCP's window is half of the buffer of 6 MiB, and 3 MiB per 1 ms are 25.2 Gbit/s. In 50 ms,
    // 10 Gbit/s transfer 62.5 MB, which need a buffer of 119.2 MiB.
    path.round_trip = microseconds(1000);
    CHECK_THAT(out(),
               ContainsSubstring("the round-trip time to x is 1 ms; net.ipv4.tcp_rmem permits "
                                 "about 25.2 Gbit/s"));
    path.round_trip = microseconds(50000);
    CHECK_THAT(out(),
               ContainsSubstring("limits a connection to about 0.5 Gbit/s, and eth0 has 10") &&
                   ContainsSubstring("tcp_rmem='4096 131072 125829120'"));
    path.round_trip = std::chrono::seconds(2);
    m.put("/proc/sys/net/ipv4/tcp_rmem", "8192\t262144\t6291456\n");
    CHECK_THAT(out(), ContainsSubstring("tcp_rmem='8192 262144 2146435072'"));
    path.round_trip = microseconds(0);
    CHECK_THAT(out(), ContainsSubstring("the round-trip time to x is 0 ms\n"));

    // Test an interface without a rate, and a malformed tcp_rmem.
    path.round_trip = microseconds(50000);
    m.put("/sys/class/net/eth0/speed", "-1\n");
    CHECK_THAT(out(), ContainsSubstring("permits about 0.503 Gbit/s on a connection"));
    m.put("/proc/sys/net/ipv4/tcp_rmem", "4096\n");
    CHECK_THAT(out(), ContainsSubstring("the round-trip time to x is 50 ms\n"));
    // A PCIe RNIC has its own TCP, so the TCP settings of this machine do not matter for it.
    m.put("/sys/class/infiniband/xiw0/device/vendor", "0x1b36\n");
    CHECK_THAT(out(), !ContainsSubstring("round-trip"));
}

// The doctor sends echo requests through a raw socket, which needs a privilege.
TEST_CASE("doctor measures the round-trip time") {
    if (geteuid() != 0)
        SKIP("needs root");
    for (const char *peer : {"127.0.0.1", "::1"}) {
        INFO(peer);
        if (peer[0] == ':' && !std::filesystem::exists("/proc/net/if_inet6"))
            continue; // this machine has no IPv6
        const auto time = path_to(peer).round_trip;
        REQUIRE(time);
        CHECK(time->count() > 0);
    }
}

TEST_CASE("doctor finishes on an empty machine and on this one") {
    Host empty = this_host();
    empty.root = "/nowhere";
    CHECK(static_cast<int>(test::run_on(empty, {"doctor"}).exit) == 2);
    for (const char *peer : {"127.0.0.1", "::1", "no.such.host.invalid"}) {
        const Result result = test::run_on(this_host(), {"doctor", "--tsv", "--peer", peer});
        CHECK(static_cast<int>(result.exit) <= 2);
        CHECK_THAT(result.out, ContainsSubstring("check\tverdict\ttext\tfix\n"));
    }
}

TEST_CASE("doctor takes no argument except a peer") {
    CHECK(test::run_tool(nullptr, {"doctor", "x"}).exit == Exit::usage);
    CHECK(test::run_tool(nullptr, {"doctor", "--peer"}).exit == Exit::usage);
}
