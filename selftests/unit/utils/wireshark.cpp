// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// utils/wireshark/rfc7306.lua, in tshark.
#include "capture.hpp"

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

// What tshark prints for each frame in which the dissector has something to say.
std::string tshark(const Recording &recording, const std::string &what) {
    const test::TemporaryFile file(test::file_of(recording.packets));
    // As another user: as root tshark takes no Lua.
    const std::string user =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const std::string command = user + "env HOME=/nonexistent tshark -n -r " + file.path() +
                                " -X lua_script:" XIW_TOP "/utils/wireshark/rfc7306.lua"
                                " -o tcp.try_heuristic_first:TRUE --disable-protocol nvme-tcp"
                                " -Y rfc7306 " +
                                what + " 2>&1";
    std::string said;
    std::array<char, 512> buffer{};
    chmod(file.path(), 0644);
    const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
        said += buffer.data();
    return said;
}

bool there(const char *program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

} // namespace

TEST_CASE("Wireshark is told what the operations of RFC 7306 are") {
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
    r.send(true, second, 20); // one FPDU in segments

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

TEST_CASE("Wireshark is told what is wrong with them, and stumbles over nothing") {
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
