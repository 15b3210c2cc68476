// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "capture.hpp"
#include "console/ending.hpp"
#include "kernel.hpp"
#include "nl/decode.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <arpa/inet.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;
using test::Attrs;
using test::Result;
using xiw::Exit;

namespace {

// Run `xiw capture`. If `kernel` is from busy_kernel(), it returns three segments, and then reports
// that the device has been removed.
Result capture(test::Kernel &kernel, std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "capture");
    return test::run_tool(&kernel, arguments);
}

// Build the reply for a connection between two link-local addresses.
Attrs link_local_connection(uint32_t qpn, uint16_t port) {
    sockaddr_in6 local{}, remote{};
    local.sin6_family = remote.sin6_family = AF_INET6;
    local.sin6_scope_id = remote.sin6_scope_id = 3;
    local.sin6_port = htons(port);
    remote.sin6_port = htons(4420);
    inet_pton(AF_INET6, "fe80::1", &local.sin6_addr);
    inet_pton(AF_INET6, "fe80::2", &remote.sin6_addr);
    return Attrs()
        .u32(XIW_A_CONNECTION_DEV_INDEX, 1)
        .text(XIW_A_CONNECTION_DEV_NAME, "xiw0")
        .u32(XIW_A_CONNECTION_QPN, qpn)
        .u8(XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_INITIATOR)
        .raw(XIW_A_CONNECTION_LOCAL_ADDR, &local, sizeof(local))
        .raw(XIW_A_CONNECTION_REMOTE_ADDR, &remote, sizeof(remote));
}

// Wait until the condition is true. Return false at the time limit.
template <typename Condition>
bool within(std::chrono::seconds time, const Condition &condition) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        usleep(1000);
    }
    return true;
}

// Return true if the process sleeps, as its file /proc/PID/stat reports.
bool sleeps(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return text.find(") S ") != std::string::npos;
}

} // namespace

TEST_CASE("xiw capture prints what passes and how much it missed") {
    test::Kernel kernel = test::busy_kernel();
    const Result result = capture(kernel, {});
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out,
               ContainsSubstring("connection 1: 10.0.0.1:38000 > 10.0.0.2:4420\n") &&
                   ContainsSubstring("1 > Immediate Data       qn 0 msn 2 mo 0, 8 octets: 0x") &&
                   ContainsSubstring("1 < Send                 qn 0 msn 1 mo 0, 900 octets\n") &&
                   ContainsSubstring("ULPDU of 18 octets, crc bad\n") &&
                   ContainsSubstring("3 packets, 2 iWARP connections\n"));
    CHECK(result.err == "xiw: capturing on xiw0\nxiw: xiw0 is gone\nxiw: 3 captured, 4 lost\n");
}

TEST_CASE("xiw capture separates connections between link-local addresses") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONNECTION_GET].objects = {link_local_connection(17, 38000),
                                                      link_local_connection(4711, 38001)};
    CHECK_THAT(capture(kernel, {}).out,
               ContainsSubstring("connection 1: [fe80::1]:38000 > [fe80::2]:4420\n") &&
                   ContainsSubstring("1 < Send                 qn 0 msn 1 mo 0, 900 octets\n") &&
                   ContainsSubstring("connection 2: [fe80::2]:4420 > [fe80::1]:38001\n"));
}

TEST_CASE("xiw capture requests what its options select") {
    test::Kernel kernel = test::busy_kernel();
    CHECK(capture(kernel, {"xiw0", "--qp", "17", "--snap", "64", "--buffer", "128"}).exit ==
          Exit::ok);
    const auto asked = kernel.asked_for(XIW_CMD_CAPTURE_START);
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().attributes == Attrs()
                                          .u32(XIW_A_CAPTURE_DEV_INDEX, 1)
                                          .u32(XIW_A_CAPTURE_QPN, 17)
                                          .u32(XIW_A_CAPTURE_SNAP, 64)
                                          .u32(XIW_A_CAPTURE_SIZE, 128 * 1024)
                                          .octets());
}

TEST_CASE("xiw capture ends after the given count") {
    test::Kernel kernel = test::busy_kernel();
    CHECK_THAT(capture(kernel, {"-c", "2"}).err, ContainsSubstring("2 captured"));
    CHECK(kernel.asked_for(XIW_CMD_CAPTURE_GET).size() == 1);
    test::Kernel none = test::busy_kernel();
    CHECK_THAT(capture(none, {"-c", "0"}).err, ContainsSubstring("0 captured"));
}

TEST_CASE("xiw capture reads the whole ring at its end") {
    // A ring of 128 KiB has room for six segments of 20 KiB, and a reply has room for one.
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CAPTURE_GET].accepted = 1000;
    CHECK(capture(kernel, {"--buffer", "128", "--seconds", "0"}).exit == Exit::ok);
    CHECK(kernel.asked_for(XIW_CMD_CAPTURE_GET).size() > 7);
}

TEST_CASE("xiw capture writes a file that xiw decode prints identically") {
    test::Kernel kernel = test::busy_kernel();
    const std::string words = capture(kernel, {}).out;
    const test::Folder folder;
    const std::string file = folder.file("file");
    test::Kernel again = test::busy_kernel();
    // Keep 18 octets of each segment. The tags that precede each segment in the file are longer,
    // and the limit does not apply to them.
    const Result result = capture(again, {"--snap", "18", "--write", file.c_str()});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out.empty());
    CHECK(test::run_tool(nullptr, {"decode", file.c_str()}).out == words);

    struct stat status{};
    REQUIRE(stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 077) == 0);

    test::Kernel third = test::busy_kernel();
    CHECK(capture(third, {"-w", "-"}).out == folder.text("file"));
}

// The file system gets room again after the first write that fails: the signal of that write raises
// the limit of the file size.
TEST_CASE("xiw capture writes nothing after a block of which it could write only a part") {
    test::Kernel first = test::busy_kernel();
    const std::string whole = capture(first, {"-w", "-"}).out;
    const test::Folder folder;
    const std::string file = folder.file("file");
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit limit{.rlim_cur = whole.size() / 2, .rlim_max = before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, [](int) {
        rlimit most{};
        getrlimit(RLIMIT_FSIZE, &most);
        most.rlim_cur = most.rlim_max;
        setrlimit(RLIMIT_FSIZE, &most);
    });
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    test::Kernel kernel = test::busy_kernel();
    const Result result = capture(kernel, {"-w", file.c_str()});
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("xiw: 3 captured, 4 lost\n") &&
                               ContainsSubstring("cannot write " + file));
    CHECK(folder.text("file") == whole.substr(0, whole.size() / 2));
}

TEST_CASE("xiw capture keeps the segments of a device that is removed after they were read") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CAPTURE_GET].objects = {
        Attrs()
            .u64(XIW_A_CAPTURE_SEEN, 1)
            .u64(XIW_A_CAPTURE_LOST, 0)
            .nest(XIW_A_CAPTURE_SEGMENT,
                  test::capture_segment(17, 0, test::untagged(3, 0, 1, {})))};
    kernel.answers[XIW_CMD_CONNECTION_GET] = {.objects = {}, .error = ENODEV};
    const test::Folder folder;
    const std::string file = folder.file("file");
    const Result result = capture(kernel, {"xiw0", "-w", file.c_str()});
    CHECK(result.exit == Exit::ok);
    CHECK(result.err == "xiw: capturing on xiw0\nxiw: xiw0 is gone\nxiw: 1 captured, 0 lost\n");
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 1);
    CHECK_THAT(test::run_tool(nullptr, {"decode", file.c_str()}).out,
               ContainsSubstring("1 packet"));
}

TEST_CASE("xiw capture uses a small part of its time to read the connections") {
    // Reading the connections takes longer than the pause between two reads, and never lists the
    // QPs of these segments.
    test::Kernel kernel = test::busy_kernel();
    Attrs reply = Attrs().u64(XIW_A_CAPTURE_SEEN, 40).u64(XIW_A_CAPTURE_LOST, 0);
    for (uint32_t qpn = 1000; qpn < 1040; qpn++)
        reply.nest(XIW_A_CAPTURE_SEGMENT,
                   test::capture_segment(qpn, 0, test::untagged(3, 0, 1, {})));
    kernel.answers[XIW_CMD_CAPTURE_GET].objects = {reply};
    kernel.answers[XIW_CMD_CONNECTION_GET].time = std::chrono::milliseconds(50);
    const Result result = capture(kernel, {});
    CHECK_THAT(result.err, ContainsSubstring("40 captured"));
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() < 20);
}

TEST_CASE("xiw capture does not read the connections again if they changed meanwhile") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONNECTION_GET].interruptions = 1000;
    const Result result = capture(kernel, {"-c", "1"});
    CHECK_THAT(result.out, ContainsSubstring("10.0.0.1:38000 > 10.0.0.2:4420"));
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 1);
}

TEST_CASE("xiw capture makes an existing file private and follows no link") {
    const test::Folder folder;
    const std::string file = folder.file("file"), link = folder.file("link");
    std::ofstream(file) << "what was there before, and is longer than nothing";
    REQUIRE(chmod(file.c_str(), 0644) == 0);
    test::Kernel kernel = test::busy_kernel();
    CHECK(capture(kernel, {"-w", file.c_str()}).exit == Exit::ok);
    struct stat status{};
    REQUIRE(stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    test::Kernel again = test::busy_kernel();
    CHECK(capture(again, {"-w", "-"}).out == folder.text("file"));

    REQUIRE(symlink(file.c_str(), link.c_str()) == 0);
    test::Kernel third = test::busy_kernel();
    const Result result = capture(third, {"-w", link.c_str()});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("cannot write " + link));
}

TEST_CASE("a signal ends xiw capture while it waits for the reader of a FIFO") {
    const test::Folder folder;
    const std::string fifo = folder.file("fifo");
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGHUP, SIG_DFL); // under nohup, the child inherits SIG_IGN
        test::Kernel kernel = test::busy_kernel();
        capture(kernel, {"-w", fifo.c_str()});
        _exit(0);
    }
    REQUIRE(child > 0);
    // The child sleeps only when it opens the FIFO.
    CHECK(within(std::chrono::seconds(60), [child] { return sleeps(child); }));
    kill(child, SIGHUP);
    int status = 0;
    const bool ended = within(std::chrono::seconds(10), [child, &status] {
        return waitpid(child, &status, WNOHANG) == child;
    });
    CHECK(ended);
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGHUP);
}

TEST_CASE("xiw capture prints JSON and TSV") {
    test::Kernel kernel = test::busy_kernel();
    const auto json = nlohmann::json::parse(capture(kernel, {"--json"}).out);
    CHECK(test::violations(test::tool_schema(), json).empty());
    CHECK(json.at("capture").at("items").at(0).at("fpdu").at("crc") == "unseen");
    CHECK(json.at("capture").at("items").at(2).at("fpdu").at("crc") == "bad");
    test::Kernel other = test::busy_kernel();
    CHECK_THAT(capture(other, {"--tsv"}).out,
               ContainsSubstring("10.0.0.2:4420\t10.0.0.1:38000\tSend"));
}

TEST_CASE("xiw capture reports why it fails") {
    test::Kernel kernel = test::busy_kernel();
    SECTION("an output format together with a file") {
        const Result result = capture(kernel, {"--json", "-w", "-"});
        CHECK(result.exit == Exit::usage);
        CHECK_THAT(result.err, ContainsSubstring("--json and --tsv cannot be used with --write"));
    }
    SECTION("an invalid buffer size") {
        for (const char *size : {"127", "65537", "-1", "x"})
            CHECK(capture(kernel, {"--buffer", size}).exit == Exit::usage);
    }
    SECTION("a file that cannot be written") {
        const Result result = capture(kernel, {"-w", "/nonexistent/file"});
        CHECK(result.exit == Exit::failed);
        CHECK_THAT(result.err, ContainsSubstring("cannot write /nonexistent/file"));
        CHECK(kernel.asked_for(XIW_CMD_CAPTURE_START).empty());
    }
    SECTION("a full device") {
        CHECK_THAT(capture(kernel, {"-w", "/dev/full"}).err,
                   ContainsSubstring("cannot write /dev/full: No space left"));
    }
    SECTION("standard output that cannot be written: the capture ends immediately") {
        kernel.answers[XIW_CMD_CAPTURE_GET].accepted = 9;
        const Result words = test::run_tool(&kernel, {"capture"}, {}, 0);
        CHECK(words.exit == Exit::failed);
        CHECK_THAT(words.err, ContainsSubstring("xiw: cannot write the output\n"));
        CHECK(kernel.asked_for(XIW_CMD_CAPTURE_GET).size() == 1);
        // The output has no room for a line. The first block of a file contains newlines, so there
        // is no room for this block either.
        const Result file = test::run_tool(&kernel, {"capture", "-w", "-"}, {}, 0);
        CHECK(file.exit == Exit::failed);
        CHECK(file.err == "xiw: cannot write the output\n");
        CHECK(kernel.asked_for(XIW_CMD_CAPTURE_GET).size() == 1);
    }
    SECTION("another capture is running") {
        kernel.answers[XIW_CMD_CAPTURE_START] = {.objects = {}, .error = EBUSY};
        CHECK(capture(kernel, {}).exit == Exit::failed);
    }
    SECTION("no privilege: an existing file keeps its contents, and no JSON is begun") {
        kernel.answers[XIW_CMD_CAPTURE_START] = {.objects = {}, .error = EPERM};
        CHECK(capture(kernel, {}).exit == Exit::denied);
        const test::Folder folder;
        const std::string file = folder.put("file", "an earlier capture");
        CHECK(capture(kernel, {"-w", file.c_str()}).exit == Exit::denied);
        CHECK(folder.text("file") == "an earlier capture");
        CHECK(capture(kernel, {"--json"}).out.empty());
    }
    SECTION("an error during the capture: the output is complete") {
        kernel.answers[XIW_CMD_CAPTURE_GET] = {.objects = {}, .error = EIO};
        const Result result = capture(kernel, {"--json"});
        CHECK(result.exit == Exit::failed);
        CHECK(nlohmann::json::parse(result.out).at("capture").at("items").empty());
    }
    SECTION("no device") {
        kernel.answers[XIW_CMD_DEVICE_GET].objects.clear();
        CHECK_THAT(capture(kernel, {}).err, ContainsSubstring("no xiw device"));
    }
    SECTION("a malformed answer") {
        kernel.answers[XIW_CMD_CAPTURE_GET].objects = {
            Attrs()
                .u64(XIW_A_CAPTURE_SEEN, 1)
                .u64(XIW_A_CAPTURE_LOST, 0)
                .nest(XIW_A_CAPTURE_SEGMENT, test::capture_segment(1, 0, test::Bytes(8), ~7U))};
        CHECK_THAT(capture(kernel, {}).err, ContainsSubstring("malformed"));
    }
}

TEST_CASE("a process with work to finish is notified of a signal, which does not kill it") {
    {
        xiw::console::Ending ending;
        CHECK_FALSE(ending.within(std::chrono::milliseconds::zero()));
        raise(GENERATE(SIGINT, SIGTERM, SIGHUP));
        CHECK(ending.within(std::chrono::minutes(1)));
        CHECK(ending.within(std::chrono::minutes(1)));
        raise(SIGINT); // another signal does not kill the process
    }
    sigset_t mask;
    REQUIRE(sigprocmask(SIG_SETMASK, nullptr, &mask) == 0);
    CHECK(sigismember(&mask, SIGINT) == 0);
}
