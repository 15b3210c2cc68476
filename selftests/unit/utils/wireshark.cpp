// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// tshark with the dissector utils/wireshark/rfc7306.lua.
#include "capture.hpp"
#include "tree.hpp"
#include "wire/exported.hpp"
#include "wire/pcapng.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <catch2/catch_test_macros.hpp>
#include <sys/stat.h>
#include <unistd.h>

using test::Bytes;
using test::golden;
using test::Recording;

namespace {

struct Close {
    void operator()(std::FILE *pipe) const { pclose(pipe); }
};

// Return tshark's output for each frame of the file `octets` that matches `filter`. `what` contains
// the options that select the output.
std::string tshark_file(const Bytes &octets, const std::string &filter, const std::string &what) {
    const test::TemporaryFile file(octets);
    // Do not run tshark as root, because it does not run Lua scripts as root.
    const std::string user =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const std::string command = user + "env HOME=/nonexistent tshark -n -r " + file.path() +
                                " -X lua_script:" + test::in_tree("/utils/wireshark/rfc7306.lua") +
                                " -o tcp.try_heuristic_first:TRUE --disable-protocol nvme-tcp" +
                                (filter.empty() ? "" : " -Y " + filter) + " " + what + " 2>&1";
    std::string said;
    std::array<char, 512> buffer{};
    chmod(file.path(), 0644);
    const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
        said += buffer.data();
    return said;
}

// Return tshark's output for each frame that the dissector recognizes.
std::string tshark(const Recording &recording, const std::string &what) {
    return tshark_file(test::file_of(recording.packets), "rfc7306", what);
}

bool there(const char *program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

} // namespace

TEST_CASE("Wireshark shows the operations of RFC 7306") {
    if (!there("tshark") || !there("setpriv"))
        SKIP("tshark or setpriv");
    Recording r;
    r.startup();
    for (const char *id : {"S-01", "W-01", "IM-01", "IM-02", "MX-01", "AR-01", "AR-08"})
        r.send(true, golden(id));
    r.send(false, golden("AA-01"));
    Bytes two = golden("IM-03");
    const Bytes second = golden("AR-10");
    two.insert(two.end(), second.begin(), second.end());
    r.send(true, two);
    r.send(true, second, 20); // one FPDU in several segments

    CHECK(tshark(r, "-T fields -e rfc7306.operation -e rfc7306.immediate -e rfc7306.id "
                    "-e rfc7306.original") ==
          "Immediate Data\t0xa1b2c3d400000000\t\t\n"
          "Immediate Data with Solicited Event\t0xa1b2c3d400000000\t\t\n"
          "FetchAdd\t\t16\t\n"
          "CmpSwap\t\t23\t\n"
          "Atomic Response\t\t16\t0x00000000fffffffe\n"
          "Immediate Data,CmpSwap\t0x0123456789abcdef\t25\t\n"
          "CmpSwap\t\t25\t\n");
    CHECK(tshark(r, "").find(
              "{FetchAdd id 16 at 0x11223344+0x0000000100000040 add 0x0000000000000005 "
              "mask 0x0000000000000000}") != std::string::npos);
}

TEST_CASE("Wireshark shows Send with Immediate") {
    if (!there("tshark") || !there("setpriv"))
        SKIP("tshark or setpriv");
    Recording r;
    r.startup();
    r.send(true, test::fpdu(test::send_immediate(false, 0xa1b2c3d4, Bytes(2))));
    r.send(true, test::fpdu(test::send_immediate(true, 7, {}, 2)));
    Bytes reserved = test::send_immediate(false, 8, {}, 3);
    reserved[1] |= 0x20;
    r.send(true, test::fpdu(reserved));

    CHECK(tshark(r, "-T fields -e rfc7306.operation -e rfc7306.immediate_value "
                    "-e rfc7306.solicited") == "Send with Immediate\t0xa1b2c3d4\tFalse\n"
                                               "Send with Immediate\t0x00000007\tTrue\n"
                                               "Send with Immediate\t0x00000008\tFalse\n");
    CHECK(
        tshark(r, "-T fields -e _ws.expert.message").find("reserved bit of Send with Immediate") !=
        std::string::npos);
    CHECK(tshark(r, "").find("{Send with Immediate 0x00000007 with Solicited Event}") !=
          std::string::npos);
}

TEST_CASE("Wireshark reports errors in the operations of RFC 7306") {
    if (!there("tshark") || !there("setpriv"))
        SKIP("tshark or setpriv");
    Recording r;
    r.startup();
    r.send(true, test::fpdu(test::untagged(8, 0, 1, Bytes(9))));
    r.send(true, test::fpdu(test::untagged(9, 1, 1, Bytes(8))));
    r.send(true, test::fpdu(test::untagged(11, 3, 1, {})));
    Bytes atomic(52);
    atomic[3] = 7;
    r.send(true, test::fpdu(test::untagged(10, 1, 1, atomic)));
    Bytes tagged(24);
    tagged[0] = 0xc1;
    tagged[1] = 0x48;
    r.send(true, test::fpdu(tagged));

    const std::string said = tshark(r, "-T fields -E aggregator=/s -e rfc7306.operation -e "
                                       "_ws.expert.message");
    for (const char *wanted : {"9 octets instead of 8", "queue 1 instead of 0",
                               "0 octets instead of 12", "unknown Atomic 7", "tagged"}) {
        CAPTURE(wanted, said);
        CHECK(said.find(wanted) != std::string::npos);
    }
    CHECK(tshark(r, "").find("Lua") == std::string::npos);
}

TEST_CASE("Wireshark reads what xiw captures") {
    if (!there("tshark") || !there("setpriv"))
        SKIP("tshark or setpriv");
    const xiw::wire::Endpoint one{.address = {10, 0, 0, 1}, .port = 4000, .v6 = false};
    const xiw::wire::Endpoint two{.address = {10, 0, 0, 2}, .port = 4420, .v6 = false};
    namespace pcapng = xiw::wire::pcapng;
    xiw::wire::Octets file = pcapng::section("xiw");
    const auto put = [&file](const xiw::wire::Octets &block) {
        file.insert(file.end(), block.begin(), block.end());
    };
    put(pcapng::interface(
        {.link = xiw::wire::exported_link, .name = "xiw0", .description = "DDP segments"}));
    const auto segment = [&](bool damaged, const Bytes &octets, size_t kept) {
        const xiw::wire::Octets tags =
            xiw::wire::exported_tags({.from = one, .to = two, .damaged = damaged});
        put(pcapng::packet({.interface = 0,
                            .time = 1'700'000'000'000'000'000,
                            .sent = true,
                            .bad_crc = damaged,
                            .length = static_cast<uint32_t>(tags.size() + octets.size()),
                            .head = tags,
                            .tail = xiw::wire::Span(octets).first(kept)}));
    };
    segment(false, test::untagged(3, 0, 1, Bytes(100)), 40);
    segment(false, test::untagged(8, 0, 2, {0xca, 0xfe, 0, 1, 0, 0, 0, 0}), 26);
    segment(true, test::untagged(3, 0, 3, Bytes(10)), 28);
    segment(false, test::untagged(10, 1, 1, Bytes(52)), 20); // truncated: no Atomic is shown
    put(pcapng::statistics({.interface = 0, .time = 0, .seen = 4, .lost = 0}));

    CHECK(tshark_file(file, "",
                      "-T fields -e frame.interface_name -e ip.src -e ip.dst "
                      "-e iwarp_rdma.opcode -e rfc7306.immediate -e frame.len") ==
          "xiw0\t10.0.0.1\t10.0.0.2\t0x03\t\t182\n"
          "xiw0\t10.0.0.1\t10.0.0.2\t0x08\t0xcafe000100000000\t90\n"
          "xiw0\t10.0.0.1\t10.0.0.2\t\t\t80\n"
          "xiw0\t10.0.0.1\t10.0.0.2\t0x0a\t\t134\n");
    CHECK(tshark_file(file, "_ws.malformed", "").empty());
}
