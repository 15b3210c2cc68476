// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The checks, in the order of the table at the end.
#include "doctor/doctor.hpp"

#include "util.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <linux/capability.h>

namespace xiw::doctor {

namespace {

// Returns true if the module is installed for the running kernel.
bool installed(const Host &host) {
    for (const char *folder :
         {"updates", "updates/dkms", "extra", "kernel/drivers/infiniband/sw/xiw"})
        for (const std::string &file :
             host.list(fmt::format("/lib/modules/{}/{}", host.release, folder)))
            if (file.starts_with("xiw.ko"))
                return true;
    return false;
}

// Check that the module is installed and loaded, and has the version of this tool.
void check_module(const Host &host, Findings &found) {
    if (!host.is("/sys/module/xiw")) {
        if (installed(host))
            found.push_back({Verdict::fail, "the module xiw is not loaded", "modprobe xiw"});
        else
            found.push_back({Verdict::fail,
                             fmt::format("no module xiw for the kernel {}", host.release),
                             "apt-get install xiw-dkms, or make modules && make modules_install in "
                             "the source tree"});
        return;
    }
    const std::string loaded = host.text("/sys/module/xiw/version").value_or("");
    if (!loaded.empty() && loaded != version)
        found.push_back({Verdict::warn,
                         fmt::format("the module is xiw {}, this tool is {}", loaded, version),
                         "make install, then reload the module (install.md, Upgrading)"});
    else
        found.push_back({Verdict::pass, fmt::format("xiw {} is loaded", loaded), ""});
}

// Folder of DKMS with the versions and builds of the driver.
constexpr const char *dkms_tree = "/var/lib/dkms/xiw";

// Returns true if DKMS has built the driver for a kernel release:
// TREE/VERSION/RELEASE/ARCHITECTURE/module/xiw.ko exists, possibly compressed.
bool built(const Host &host, const std::string &source, const std::string &release) {
    const std::string folder = fmt::format("{}/{}/{}", dkms_tree, source, release);
    for (const std::string &architecture : host.list(folder))
        for (const std::string &file : host.list(fmt::format("{}/{}/module", folder, architecture)))
            if (file.starts_with("xiw.ko"))
                return true;
    return false;
}

// Get the versions of the driver that DKMS manages. dkms_tree also contains links to installed
// modules (kernel-RELEASE-ARCHITECTURE), which this function omits.
std::vector<std::string> versions(const Host &host) {
    std::vector<std::string> names = host.list(dkms_tree);
    std::erase_if(names, [&host](const std::string &name) {
        return !host.is(fmt::format("{}/{}/source", dkms_tree, name));
    });
    return names;
}

// Choose the version that DKMS should install: the version of this tool, or else the newest.
std::string preferred(const std::vector<std::string> &known) {
    if (std::ranges::find(known, version) != known.end())
        return version;
    return *std::ranges::max_element(known, [](const std::string &one, const std::string &other) {
        return strverscmp(one.c_str(), other.c_str()) < 0;
    });
}

// Get the running kernel, and the kernels that may be booted next: those that have modules.
std::vector<std::string> kernels(const Host &host) {
    std::vector<std::string> releases = host.list("/lib/modules");
    std::erase_if(releases, [&host](const std::string &release) {
        return release != host.release && !host.is(fmt::format("/lib/modules/{}/kernel", release));
    });
    if (std::ranges::find(releases, host.release) == releases.end())
        releases.push_back(host.release);
    return releases;
}

// Check that DKMS has built the driver for the running kernel, and for each kernel that may be
// booted next. DKMS builds it only for kernels whose headers are installed.
void check_dkms(const Host &host, Findings &found) {
    const auto known = versions(host);
    bool missing = false;
    if (known.empty()) {
        found.push_back({Verdict::pass, "the module is not managed by DKMS", ""});
        return;
    }
    for (const std::string &release : kernels(host)) {
        if (std::ranges::any_of(
                known, [&](const std::string &source) { return built(host, source, release); }))
            continue;
        missing = true;
        const bool headers = host.is(fmt::format("/lib/modules/{}/build/Makefile", release));
        found.push_back({Verdict::warn,
                         fmt::format("DKMS has no module for the kernel {}{}", release,
                                     headers ? "" : ", whose headers are missing"),
                         headers
                             ? fmt::format("dkms install xiw/{} -k {}", preferred(known), release)
                             : fmt::format("apt-get install linux-headers-{}", release)});
    }
    if (!missing)
        found.push_back({Verdict::pass, "DKMS has the module for each kernel", ""});
}

// Check for lockdown (Secure Boot). A kernel in lockdown loads only signed modules.
constexpr const char *dkms_key = "/var/lib/dkms/mok.pub"; // signing key of DKMS

void check_lockdown(const Host &host, Findings &found) {
    const auto lockdown = host.text("/sys/kernel/security/lockdown");

    // The current mode is in brackets.
    if (!lockdown || lockdown->find("[none]") != std::string::npos)
        found.push_back({Verdict::pass, "modules do not need a signature", ""});
    else if (host.is("/sys/module/xiw"))
        found.push_back(
            {Verdict::pass, "the kernel is in lockdown and has accepted the module", ""});
    else
        found.push_back({Verdict::warn, "the kernel is in lockdown: the module must be signed",
                         host.is(dkms_key) ? std::string("mokutil --import ") + dkms_key
                                           : "mokutil --import MOK.der (install.md, Secure Boot)"});
}

// Check one RDMA device: its RNIC and its port. When an RNIC has failed, sysfs continues to report
// the state of the interface as the state of the port, so check the RNIC first.
Finding finding_of(const Host &host, const RdmaDevice &device) {
    const std::string netdev = device.netdev.empty() ? "DEV" : device.netdev;
    const std::string state =
        host.text("/sys/class/infiniband/" + device.name + "/ports/1/state").value_or("unknown");

    if (device.failed)
        return {Verdict::fail, fmt::format("the RNIC of {} has failed", device.name),
                fmt::format("rdma link del {0}; rdma link add {0} type xiw netdev {1}", device.name,
                            netdev)};
    if (state.find("ACTIVE") == std::string::npos)
        return {Verdict::fail, fmt::format("the port of {} is not active: {}", device.name, state),
                fmt::format("ip link set {} up", netdev)};
    return {Verdict::pass,
            fmt::format("{} is active{}", device.name,
                        device.netdev.empty() ? "" : " on " + device.netdev),
            ""};
}

// Check that there is an RDMA device of this driver, that no RNIC has failed, and that each port is
// active.
void check_device(const Host &host, Findings &found) {
    const auto devices = host.devices();

    if (devices.empty())
        found.push_back({Verdict::fail, "no xiw RDMA device in this network namespace",
                         "rdma link add xiw0 type xiw netdev eth0 (or another interface)"});
    for (const RdmaDevice &device : devices)
        found.push_back(finding_of(host, device));
}

// Check the files that exporters of Prometheus read. If one port lacks one of these files,
// node_exporter skips all RDMA devices.
void check_exporters(const Host &host, Findings &found) {
    size_t missing = 0;
    for (const std::string &device : host.list("/sys/class/infiniband"))
        for (const char *file : {"state", "phys_state", "rate", "link_layer"}) {
            const auto path = fmt::format("/sys/class/infiniband/{}/ports/1/{}", device, file);
            if (host.text(path).value_or("").empty()) {
                missing++;
                found.push_back(
                    {Verdict::warn,
                     fmt::format("{} cannot be read: node_exporter will not show any RDMA device",
                                 path),
                     "xiw stat --prometheus does not need it"});
            }
        }
    if (missing == 0)
        found.push_back({Verdict::pass, "all files that exporters need exist", ""});
}

// Warn if the MTU is below this value. An FPDU should fit into one TCP segment (RFC 5044 section
// 5.1), so a small MTU causes short FPDUs.
constexpr uint64_t ordinary_mtu = 1500;

void check_mtu(const Host &host, Findings &found) {
    for (const RdmaDevice &device : host.devices()) {
        const std::string &netdev = device.netdev;
        const auto mtu = host.number("/sys/class/net/" + netdev + "/mtu");
        if (netdev.empty() || !mtu)
            found.push_back(
                {Verdict::warn, fmt::format("the MTU of {} is unknown", device.name), ""});
        else if (*mtu < ordinary_mtu)
            found.push_back(
                {Verdict::warn,
                 fmt::format("{} has an MTU of {}: short FPDUs are slow", netdev, *mtu),
                 fmt::format("ip link set {} mtu 1500 (9000 if the switches support it)", netdev)});
        else
            found.push_back({Verdict::pass, fmt::format("{} has an MTU of {}", netdev, *mtu), ""});
    }
}

// Services that a firewall may block. The check finds a service by its listening TCP socket. Of the
// services that use RDMA, only those on a software RNIC have such a socket. Packets to a PCIe RNIC
// do not pass the firewall of this machine.
struct Service {
    uint16_t port;
    const char *name;
};

constexpr Service services[] = {{4420, "NVMe-oF"}, {5445, "SMB Direct"}, {20049, "NFS/RDMA"}};

// Returns true if a TCP socket listens on the port. A line of /proc/net/tcp is, for example,
// " 0: 00000000:1144 00000000:0000 0A ...", with the port 0x1144 and the state 0x0a (LISTEN).
bool listens(const Host &host, uint16_t port) {
    const std::string wanted = fmt::format(":{:04X}", port);
    for (const char *file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::istringstream lines(host.text(file).value_or(""));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string number;
            std::string local;
            std::string remote;
            std::string state;
            words >> number >> local >> remote >> state;
            if (state == "0A" && local.ends_with(wanted))
                return true;
        }
    }
    return false;
}

void check_firewall(const Host &host, Findings &found) {
    const size_t before = found.size();
    for (const Service &service : services)
        if (listens(host, service.port))
            found.push_back({Verdict::pass,
                             fmt::format("{} listens on port {}, which a firewall must accept",
                                         service.name, service.port),
                             "nft list ruleset shows whether it does"});
    if (found.size() == before)
        found.push_back({Verdict::pass, "no listening service for a firewall to block", ""});
}

// Check for listeners that wait because another socket has their port (ulps.md).
void check_ports(const Host &host, Findings &found) {
    const std::vector<Waiting> list = host.waiting ? host.waiting() : std::vector<Waiting>();

    for (const Waiting &waiting : list)
        found.push_back({Verdict::warn,
                         fmt::format("a listener of {} waits for {}, which another socket has",
                                     waiting.device, waiting.address),
                         fmt::format("ss -ltnp sport = :{} shows that socket; the listener gets "
                                     "the port when the socket is closed (ulps.md)",
                                     waiting.port)});
    if (list.empty())
        found.push_back({Verdict::pass, "no listener waits for its port", ""});
}

// Folder of the kernel's iSCSI targets. Each portal has a TCP listener. iSER listens on the same
// port, in the initial network namespace. Over a software RNIC, iSER fails to listen if the TCP
// listener is in the same namespace (ulps.md).
constexpr const char *iscsi_target = "/sys/kernel/config/target/iscsi";

std::vector<std::string> portals_without_iser(const Host &host) {
    std::vector<std::string> portals;
    for (const std::string &target : host.list(iscsi_target))
        for (const std::string &group : host.list(fmt::format("{}/{}", iscsi_target, target))) {
            const auto folder = fmt::format("{}/{}/{}/np", iscsi_target, target, group);
            for (const std::string &portal : host.list(folder))
                if (host.text(fmt::format("{}/{}/iser", folder, portal)) == "0")
                    portals.push_back(portal);
        }
    return portals;
}

void check_iser(const Host &host, Findings &found) {
    if (!host.is("/sys/module/ib_isert")) {
        found.push_back({Verdict::pass, "the kernel's iSER target is not loaded", ""});
        return;
    }
    const auto portals = portals_without_iser(host);
    for (const std::string &portal : portals)
        found.push_back({Verdict::warn,
                         fmt::format("the portal {} of the iSCSI target is without iSER", portal),
                         "create its TCP listener in another network namespace (ulps.md, iSER)"});
    if (portals.empty())
        found.push_back({Verdict::pass, "each portal of the iSCSI target has iSER", ""});
}

// Check whether an RDMA device is visible in all network namespaces or only in its own.
void check_namespace(const Host &host, Findings &found) {
    const auto shared = host.text("/sys/module/ib_core/parameters/netns_mode");

    if (!shared)
        found.push_back({Verdict::warn, "ib_core is not loaded", "modprobe ib_core"});
    else if (*shared == "Y")
        found.push_back({Verdict::pass,
                         "RDMA devices are shared by all network namespaces (rdma system "
                         "set netns exclusive changes that)",
                         ""});
    else
        found.push_back({Verdict::pass, "RDMA devices belong to one network namespace each", ""});
}

// Check the files through which user-space programs access RDMA. Kernel ULPs do not need them.
constexpr const char *verbs_folder = "/dev/infiniband";

void check_file(const Host &host, const std::string &name, Findings &found) {
    const std::string path = fmt::format("{}/{}", verbs_folder, name);
    if (host.usable(path))
        found.push_back({Verdict::pass, path + " is usable", ""});
    else
        found.push_back({Verdict::warn, path + " is not usable by this user",
                         "apt-get install rdma-core (its udev rules)"});
}

void check_uverbs(const Host &host, Findings &found) {
    bool verbs = false;
    for (const std::string &name : host.list(verbs_folder))
        if (name.starts_with("uverbs") || name == "rdma_cm") {
            verbs = verbs || name.starts_with("uverbs");
            check_file(host, name, found);
        }
    if (!verbs)
        found.push_back({Verdict::warn, "no /dev/infiniband/uverbsN: only kernel ULPs can use xiw",
                         "modprobe -a ib_uverbs rdma_ucm"});
}

// libibverbs loads a provider for each driver. A provider is built for one private ABI, whose
// number is part of the file name: 34 in "libsiw-rdmav34.so". Returns this number; empty if the
// file is not a provider.
std::string abi_of(const std::string &file) {
    const size_t at = file.rfind("-rdmav");
    if (at == std::string::npos || !file.ends_with(".so"))
        return {};
    return file.substr(at + 6, file.size() - at - 6 - 3);
}

void check_provider(const Host &host, Findings &found) {
    std::vector<std::string> ours;
    std::vector<std::string> others;
    std::vector<std::string> folders = {"/usr/lib64/libibverbs", "/usr/local/lib/libibverbs"};

    for (const std::string &architecture : host.list("/usr/lib"))
        folders.push_back(fmt::format("/usr/lib/{}/libibverbs", architecture));
    for (const std::string &folder : folders)
        for (const std::string &file : host.list(folder))
            if (const std::string abi = abi_of(file); !abi.empty())
                (file.starts_with("libxiw-") ? ours : others).push_back(abi);
    if (ours.empty())
        found.push_back({Verdict::warn,
                         "libibverbs has no provider for xiw: only kernel ULPs can use it",
                         "install ibverbs-provider-xiw, or build it: make utils && make install"});
    else if (!others.empty() && std::ranges::find_first_of(ours, others) == ours.end())
        found.push_back({Verdict::fail,
                         fmt::format("the provider is for private ABI {}, libibverbs has {}",
                                     ours.front(), others.front()),
                         "build the provider against the libibverbs that is installed"});
    else
        found.push_back({Verdict::pass, "libibverbs has a provider for xiw", ""});
}

// Memory that user space registers is pinned, and counts against the limit of locked memory. Warn
// if that limit is below this value.
constexpr uint64_t little_memlock = 64U << 20;

// Returns true if the kernel ignores the limit for this process, because the process has
// CAP_IPC_LOCK in the initial user namespace. The check recognises this namespace by its map, which
// maps each user to itself.
bool ignores_memlock(const Host &host) {
    std::istringstream map(host.text("/proc/self/uid_map").value_or(""));
    std::istringstream status(host.text("/proc/self/status").value_or(""));
    uint64_t inside = 0, outside = 0, count = 0, capabilities = 0;

    if (!(map >> inside >> outside >> count) || inside != 0 || outside != 0 ||
        count != std::numeric_limits<uint32_t>::max())
        return false;
    for (std::string word; status >> word;)
        if (word == "CapEff:")
            status >> std::hex >> capabilities;
    return (capabilities >> CAP_IPC_LOCK & 1) != 0;
}

void check_memlock(const Host &host, Findings &found) {
    if (host.memlock == std::numeric_limits<uint64_t>::max())
        found.push_back({Verdict::pass, "locked memory has no limit", ""});
    else if (ignores_memlock(host))
        found.push_back({Verdict::pass,
                         fmt::format("locked memory has no limit for this user; the limit of {} "
                                     "KiB applies to other users",
                                     host.memlock / 1024),
                         ""});
    else if (host.memlock < little_memlock)
        found.push_back({Verdict::warn,
                         fmt::format("locked memory is limited to {} KiB: ibv_reg_mr will soon "
                                     "fail with ENOMEM",
                                     host.memlock / 1024),
                         "ulimit -l unlimited (in a unit: LimitMEMLOCK=infinity)"});
    else
        found.push_back({Verdict::pass,
                         fmt::format("locked memory is limited to {} MiB", host.memlock >> 20),
                         ""});
}

// Get the path of this process in the unified hierarchy of cgroups. The path follows "0::" in a
// line such as "0::/user.slice".
std::string own_group(const Host &host) {
    std::istringstream lines(host.text("/proc/self/cgroup").value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::"))
            return line.substr(3);
    return {};
}

// Read a file of the RDMA controller, and report its limits for devices of this driver. Returns
// false if there are none.
bool report_limits(const Host &host, const std::string &file, Findings &found) {
    const auto devices = host.devices();
    std::istringstream lines(host.text(file).value_or(""));
    bool limited = false;

    // A line is, for example, "xiw0 hca_handle=2 hca_object=max".
    for (std::string line; std::getline(lines, line);) {
        const std::string device = line.substr(0, line.find(' '));
        std::string limits = line.substr(std::min(device.size() + 1, line.size()));
        if (std::ranges::find(devices, device, &RdmaDevice::name) == devices.end() ||
            limits == "hca_handle=max hca_object=max")
            continue;
        limited = true;
        found.push_back({Verdict::warn, fmt::format("{} limits {}: {}", file, device, limits),
                         fmt::format("echo {} hca_handle=max hca_object=max > {}", device, file)});
    }
    return limited;
}

// Check whether the RDMA controller of cgroups limits the number of objects. The kernel charges an
// object to the group of the process and to all groups above this group.
void check_cgroup(const Host &host, Findings &found) {
    std::string group = own_group(host);
    bool limited = false;

    for (;;) {
        group.erase(group.find_last_not_of('/') + 1);
        limited |= report_limits(host, "/sys/fs/cgroup" + group + "/rdma.max", found);
        if (group.empty())
            break;
        group.erase(group.rfind('/') + 1);
    }
    if (!limited)
        found.push_back({Verdict::pass, "no control group limits RDMA objects", ""});
}

// A slow clock source increases latencies, because reading it takes time.
void check_clock(const Host &host, Findings &found) {
    const std::string clock =
        host.text("/sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("");

    if (clock == "hpet" || clock == "acpi_pm" || clock == "jiffies" || clock == "refined-jiffies")
        found.push_back({Verdict::warn, fmt::format("the clock source is {}, which is slow", clock),
                         "boot with clocksource=tsc, if the machine's TSC is reliable"});
    else
        found.push_back({Verdict::pass,
                         fmt::format("the clock source is {}", clock.empty() ? "unknown" : clock),
                         ""});
}

// Returns true if a kernel release, such as "6.12.0-1-amd64", is at least MAJOR.MINOR.
bool at_least(const std::string &release, unsigned major, unsigned minor) {
    std::istringstream text(release);
    unsigned first = 0, second = 0;
    char dot = 0;

    text >> first >> dot >> second;
    return std::pair(first, second) >= std::pair(major, minor);
}

// Check for a bug of irq_poll. Since Linux 6.18, softirqs on one CPU can preempt each other if the
// kernel has PREEMPT_RT, but not CONFIG_PREEMPT_RT_NEEDS_BH_LOCK. irq_poll does not support this
// (docs/upstream/irq_poll). The check does not read the second option.
void check_realtime(const Host &host, Findings &found) {
    if (host.text("/sys/kernel/realtime") != "1")
        found.push_back({Verdict::pass, "the kernel has no PREEMPT_RT", ""});
    else if (!at_least(host.release, 6, 18))
        found.push_back({Verdict::pass, "the kernel has PREEMPT_RT", ""});
    else
        found.push_back(
            {Verdict::warn,
             fmt::format("the kernel {} has PREEMPT_RT and a bug of irq_poll: initiators "
                         "of NVMe-oF, iSER, SRP, rnbd and SMB Direct can crash it",
                         host.release),
             "boot a kernel without PREEMPT_RT to use these initiators"});
}

struct Check {
    const char *name;
    void (*look)(const Host &host, Findings &found);
};

// The checks. Each check follows the checks on which it depends.
constexpr Check checks[] = {
    {"module", check_module},
    {"dkms", check_dkms},
    {"lockdown", check_lockdown},
    {"device", check_device},
    {"exporters", check_exporters},
    {"mtu", check_mtu},
    {"firewall", check_firewall},
    {"ports", check_ports},
    {"iser", check_iser},
    {"namespace", check_namespace},
    {"uverbs", check_uverbs},
    {"provider", check_provider},
    {"memlock", check_memlock},
    {"cgroup", check_cgroup},
    {"clock", check_clock},
    {"realtime", check_realtime},
    {"encryption", check_encryption},
};

void name(Findings &found, size_t from, const char *check) {
    for (; from < found.size(); from++)
        found[from].check = check;
}

} // namespace

const char *verdict_word(Verdict verdict) {
    return verdict == Verdict::pass ? "pass" : verdict == Verdict::warn ? "warn" : "fail";
}

Findings examine(const Host &host, const std::string &peer) {
    Findings found;
    for (const Check &check : checks) {
        const size_t before = found.size();
        check.look(host, found);
        name(found, before, check.name);
    }
    if (!peer.empty()) {
        const size_t before = found.size();
        check_peer(host, peer, found);
        name(found, before, "peer");
    }
    return found;
}

} // namespace xiw::doctor
