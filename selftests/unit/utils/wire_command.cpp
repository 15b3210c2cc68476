// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "capture.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <random>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Bytes;
using test::Format;
using test::golden;
using test::Recording;
using test::Result;
using test::run_alone;
using test::TemporaryFile;
using xiw::Exit;

namespace {

Recording recording() {
    Recording r;
    r.startup();
    r.send(true, golden("S-01"));
    r.send(true, test::fpdu(test::untagged(8, 0, 2, {0xca, 0xfe, 0, 1, 0, 0, 0, 0})));
    r.send(true, golden("W-01"));
    r.send(true, golden("MX-01"));
    r.send(true, golden("MX-02"));
    r.send(false, golden("MX-05"));
    r.lose(false, 30);
    r.send(false, golden("T-0-1-02"));
    r.send(true, test::fpdu(Bytes(3), false));
    r.rst(true);
    return r;
}

} // namespace

TEST_CASE("decode reads pcap and pcapng alike") {
    const auto packets = recording().packets;
    const TemporaryFile pcap(test::file_of(packets));
    const TemporaryFile pcapng(test::file_of(packets, Format::pcapng));
    const Result result = run_alone({"decode", pcap.path()});

    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, StartsWith("connection 1: 10.0.0.1:40000 > 10.0.0.2:4420\n") &&
                               ContainsSubstring("    0.000000 1 > MPA Request") &&
                               ContainsSubstring("Immediate Data") &&
                               ContainsSubstring("crc bad") &&
                               ContainsSubstring("wrong: 2/0/0x02 MPA: CRC mismatch") &&
                               ContainsSubstring("30 octets not in the capture") &&
                               ContainsSubstring("packets, 1 iWARP connection\n"));
    CHECK(run_alone({"decode", pcapng.path()}).out == result.out);
}

TEST_CASE("decode prints JSON that fits the schema, with and without a conversation") {
    const bool some = GENERATE(true, false);
    const TemporaryFile file(
        test::file_of(some ? recording().packets : std::vector<Recording::Packet>()));
    const Result result = run_alone({"decode", "--json", file.path()});
    REQUIRE(result.exit == Exit::ok);
    const auto document = nlohmann::json::parse(result.out);
    for (const std::string &violation : test::violations(test::tool_schema(), document))
        FAIL_CHECK(violation);
    const auto &capture = document["capture"];
    CHECK(capture["items"].size() == (some ? 12 : 0));
    CHECK(capture["connections"].size() == (some ? 1 : 0));
    if (some) {
        CHECK(capture["items"][0]["request"]["ird"] == 8);
        CHECK(capture["items"][3]["fpdu"]["immediate"].is_number());
        CHECK(capture["items"][6]["fpdu"]["atomic_request"]["operation"] == "FetchAdd");
        CHECK(capture["items"][10]["fpdu"]["terminate"]["code"] == 2);
        CHECK(capture["items"][8]["fpdu"]["wrong"]["layer"] == 2);
    }
}

TEST_CASE("decode prints the same number of TSV columns in each line") {
    const TemporaryFile file(test::file_of(recording().packets));
    std::istringstream lines(run_alone({"--tsv", "decode", file.path()}).out);
    size_t count = 0;
    for (std::string line; std::getline(lines, line); count++)
        CHECK(std::ranges::count(line, '\t') == 7);
    CHECK(count == 13);
}

TEST_CASE("decode refuses files that are not captures") {
    const TemporaryFile text(Bytes{'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd', '\n',
                                   'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd', '\n'});
    const TemporaryFile empty{Bytes()};
    Bytes usb = test::file_of({});
    usb[20] = 189;
    const TemporaryFile other(usb);
    const auto refused = [](const char *path, const char *why) {
        const Result result = run_alone({"decode", path});
        CHECK(result.exit == Exit::failed);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, StartsWith(std::string("xiw: ") + path) && ContainsSubstring(why));
    };
    refused(text.path(), "expected a capture of tcpdump or Wireshark");
    refused(empty.path(), "truncated");
    refused(other.path(), "link layer 189 is not supported");
    refused("/nowhere/at.pcap", "No such file");
    refused("/tmp", "s a directory");
}

TEST_CASE("decode finishes its output after the interrupt that ends its input") {
    const Bytes file = test::file_of(recording().packets);
    const TemporaryFile whole(file);
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    REQUIRE(pipe(in.data()) == 0);
    REQUIRE(pipe(out.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        // Clear the end-of-file flag, because another test may have read standard input to its end.
        std::clearerr(stdin);
        close(in[1]);
        const Result result = run_alone({"decode", "--json", "-"});
        _exit(write(out[1], result.out.data(), result.out.size()) < 0);
    }
    REQUIRE(child > 0);
    close(out[1]);
    REQUIRE(write(in[1], file.data(), file.size()) == static_cast<ssize_t>(file.size()));
    int unread = 1;
    for (int i = 0; i < 10000 && unread != 0; i++) {
        ioctl(in[0], FIONREAD, &unread);
        poll(nullptr, 0, 1);
    }
    kill(child, SIGINT);
    close(in[0]);
    close(in[1]);
    std::string said;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = read(out[0], buffer.data(), buffer.size())) > 0;)
        said.append(buffer.data(), static_cast<size_t>(n));
    close(out[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(said == run_alone({"decode", "--json", whole.path()}).out);
}

TEST_CASE("decode requires exactly one file") {
    CHECK(run_alone({"decode"}).exit == Exit::usage);
    CHECK(run_alone({"decode", "a", "b"}).exit == Exit::usage);
    CHECK(run_alone({"decode", "--prometheus", "a"}).exit == Exit::usage);
}

TEST_CASE("a truncated capture is printed as far as it goes") {
    Bytes whole = test::file_of(recording().packets);
    whole.resize(whole.size() - 3);
    const TemporaryFile file(whole);
    const Result text = run_alone({"decode", file.path()});
    CHECK(text.exit == Exit::failed);
    CHECK_THAT(text.out, ContainsSubstring("MPA Reply") && ContainsSubstring("1 iWARP connection"));
    CHECK_THAT(text.err, ContainsSubstring("truncated"));
    const Result json = run_alone({"decode", "-j", file.path()});
    CHECK(json.exit == Exit::failed);
    CHECK(nlohmann::json::parse(json.out)["capture"]["connections"].size() == 1);
}

TEST_CASE("no file makes decode crash") {
    const auto format = GENERATE(Format::pcap, Format::pcapng);
    const Bytes whole = test::file_of(recording().packets, format);
    std::mt19937 random(6581);
    for (int round = 0; round < 400; round++) {
        Bytes octets = whole;
        for (unsigned n = random() % 12 + 1; n > 0; n--)
            octets[random() % octets.size()] = static_cast<uint8_t>(random());
        octets.resize(octets.size() - random() % 3 * (random() % octets.size() / 2));
        const TemporaryFile file(octets);
        const Result result = run_alone({random() % 2 ? "-j" : "--tsv", "decode", file.path()});
        CHECK((result.exit == Exit::ok || !result.err.empty()));
    }
}
