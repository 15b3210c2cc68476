// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The commands xiw config save and xiw config restore.
#include "kernel.hpp"
#include "nl/attributes.hpp"
#include "samples.hpp"
#include "tool.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::Attrs;
using test::Result;
using xiw::Exit;

namespace {

const std::string all =
    "crc=on markers=off mpa-revision=2 atomics=on immediates=on "
    "send-with-immediate=off peer-to-peer=on rtr=write+read park-time=5000ms startup-time=10000ms "
    "rtr-time=10000ms linger-time=5000ms mulpdu-max=0 peer-time=70000ms "
    "latency=off connect-by-number=off require-encryption=off "
    "congestion=default tls=off";

Attrs other_config() {
    return Attrs()
        .u32(XIW_A_CONFIG_DEV_INDEX, 5)
        .text(XIW_A_CONFIG_DEV_NAME, "xiw5")
        .u8(XIW_A_CONFIG_CRC, 0)
        .u8(XIW_A_CONFIG_MPA_REVISION, 1);
}

test::Kernel two_devices() {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_DEVICE_GET].objects.push_back(test::device_reply(5, "xiw5"));
    kernel.answers[XIW_CMD_CONFIG_GET].objects.push_back(other_config());
    return kernel;
}

Result run_config(test::Kernel &kernel, std::vector<const char *> arguments,
                  const std::string &input = {}) {
    arguments.insert(arguments.begin(), "config");
    return test::run_tool(&kernel, std::move(arguments), input);
}

Result restore(test::Kernel &kernel, const std::string &input) {
    return run_config(kernel, {"restore", "-"}, input);
}

// Return the attributes of each XIW_CMD_CONFIG_SET request as a text: the device and the changes.
std::vector<std::string> changes(const test::Kernel &kernel) {
    std::vector<std::string> list;
    for (const test::Asked &asked : kernel.asked_for(XIW_CMD_CONFIG_SET)) {
        std::string &text = list.emplace_back();
        for (const auto &number : xiw::nl::Attributes(asked.attributes).numbers())
            text += (text.empty() ? "" : " ") + std::to_string(number.type) + "=" +
                    std::to_string(number.value);
    }
    return list;
}

std::string change(uint32_t device, uint16_t attribute, uint32_t value) {
    return std::to_string(XIW_A_CONFIG_DEV_INDEX) + "=" + std::to_string(device) + " " +
           std::to_string(attribute) + "=" + std::to_string(value);
}

} // namespace

TEST_CASE("config save writes one command with every setting for each device") {
    test::Kernel kernel = two_devices();
    const Result result = run_config(kernel, {"save"});

    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, StartsWith("# Written by xiw config save"));
    CHECK_THAT(result.out,
               EndsWith("\nconfig set xiw0 " + all + "\nconfig set xiw5 crc=off mpa-revision=1\n"));
    CHECK(run_config(kernel, {"save", "-"}).out == result.out);
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).empty());
}

TEST_CASE("restore and batch accept what config save wrote") {
    const test::Folder folder;
    const std::string file = folder.file("saved");
    test::Kernel kernel = two_devices();
    REQUIRE(run_config(kernel, {"save", file.c_str()}).exit == Exit::ok);
    CHECK(run_config(kernel, {"save"}).out == folder.text("saved"));

    const Result restored = run_config(kernel, {"restore", file.c_str()});
    CHECK(restored.exit == Exit::ok);
    CHECK((restored.out + restored.err).empty());
    // No setting differs, so the tool requests no change.
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).empty());

    CHECK(test::run_tool(&kernel, {"batch", file.c_str()}).exit == Exit::ok);
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).size() == 2);
}

TEST_CASE("config save --link writes a file for links.d, which restore accepts") {
    test::Kernel kernel = test::busy_kernel();
    std::string lines = "\nnetdev=eth0\n" + all + "\n";
    for (char &c : lines)
        c = c == ' ' ? '\n' : c;
    const Result result = run_config(kernel, {"save", "--link", "xiw0"});
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, StartsWith("# ") && EndsWith(lines));

    CHECK(run_config(kernel, {"restore", "--link", "xiw0", "-"}, result.out).exit == Exit::ok);
    CHECK(changes(kernel).empty());
    CHECK(
        run_config(kernel, {"restore", "--link", "xiw0", "-"}, "netdev = eth0\n crc = off # old\n")
            .exit == Exit::ok);
    CHECK(changes(kernel) == std::vector{change(1, XIW_A_CONFIG_CRC, 0)});
    CHECK(run_config(kernel, {"restore", "--link", "xiw0", "-"}, "netdev=eth0#old\ncrc=off#new\n")
              .exit == Exit::ok);
    CHECK(changes(kernel).size() == 2);
    // As in xiw-link, quotes have no meaning, so a comment may contain an unpaired quote.
    CHECK(run_config(kernel, {"restore", "--link", "xiw0", "-"}, "crc=off# it's \"new\n").exit ==
          Exit::ok);
    CHECK(changes(kernel).size() == 3);
}

TEST_CASE("config save --link refuses the name of an interface that links.d does not support") {
    test::Kernel kernel = test::busy_kernel();
    const test::Folder folder;
    const std::string file = folder.put("xiw0.conf", "before");
    kernel.interface = GENERATE("lan#1", "lan\x01");
    const Result result = run_config(kernel, {"save", "--link", "xiw0", file.c_str()});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("does not support the interface name \"lan") &&
                               ContainsSubstring("ip link set"));
    CHECK(folder.text("xiw0.conf") == "before");
    // The format of commands does not contain the name of the interface.
    CHECK(run_config(kernel, {"save"}).exit == Exit::ok);
}

TEST_CASE("config restore --link accepts an alternative name of the interface") {
    test::Kernel kernel = test::busy_kernel();
    CHECK(
        run_config(kernel, {"restore", "--link", "xiw0", "-"}, "netdev=storage\ncrc=off\n").exit ==
        Exit::ok);
    CHECK(changes(kernel).size() == 1);
}

TEST_CASE("config restore changes only what differs, with one request per device") {
    test::Kernel kernel = two_devices();
    const Result result = restore(kernel, "config set xiw5 crc=on\n"
                                          "config set xiw0 markers=off\n"
                                          "config set xiw5 mpa-revision=2 # with the first\n");
    CHECK(result.exit == Exit::ok);
    CHECK(changes(kernel) == std::vector{change(5, XIW_A_CONFIG_CRC, 1) + " " +
                                         std::to_string(XIW_A_CONFIG_MPA_REVISION) + "=2"});
}

TEST_CASE("a file that config restore does not understand changes nothing") {
    struct Row {
        const char *text, *message;
        Exit exit = Exit::usage;
    };
    const auto row = GENERATE(values<Row>({
        {"", "standard input has no settings"},
        {"# config set xiw0 crc=off\n", "standard input has no settings"},
        {"config set xiw0 crc=off\nstat\n", "standard input:2: expected: config set"},
        {"config set xiw0\n", "standard input:1: expected: config set"},
        {"config set xiw0 crc=off\nconfig set xiw0 crc=maybe\n", ":2: crc must be off or on"},
        {"config set xiw0 crc=off\n\nconfig set xiw5 crc=on speed=9\n", ":3: no setting \"speed\""},
        {"config set xiw0 crc=off\nconfig set xiw0 crc=on\n", ":2: crc is given twice"},
        {"config set xiw0 crc=off\nconfig set xiw9 crc=on\n", ":2: no xiw device \"xiw9\"",
         Exit::failed},
        {"config set xiw0 crc=off\nconfig set xiw5 markers=on\n", "xiw5 has no setting markers",
         Exit::failed},
        {"config set xiw0 crc=off\nnetdev=eth0\n", ":2: expected"},
        {"config set xiw0 crc=off\nconfig set 'xiw0\n", ":2: missing closing quote"},
    }));
    CAPTURE(row.text);
    test::Kernel kernel = two_devices();
    const Result result = restore(kernel, row.text);

    CHECK(result.exit == row.exit);
    CHECK_THAT(result.err, StartsWith("xiw: ") && ContainsSubstring(row.message));
    CHECK(result.out.empty());
    CHECK(changes(kernel).empty());
}

TEST_CASE("an invalid file for links.d changes nothing") {
    struct Row {
        const char *text, *message;
    };
    const auto row = GENERATE(values<Row>({
        {"netdev=eth1\ncrc=off\n", "xiw0 is on eth0, not on eth1"},
        {"netdev=eth0\nnetdev=eth0\ncrc=off\n", "standard input:2: netdev is given twice"},
        {"netdev=eth0\n", "has no settings"},
        {"crc=off\ncrc\n", ":2: \"crc\" does not have the form KEY=VALUE"},
        {"config set xiw0 crc=off\n", ":1: no setting \"configsetxiw0crc\""},
        {"crc='off'\n", ":1: crc must be off or on, not \"'off'\""},
    }));
    CAPTURE(row.text);
    test::Kernel kernel = test::busy_kernel();
    const Result result = run_config(kernel, {"restore", "-l", "xiw0", "-"}, row.text);
    CHECK(result.exit != Exit::ok);
    CHECK_THAT(result.err, ContainsSubstring(row.message));
    CHECK(changes(kernel).empty());
}

TEST_CASE("a device that refuses keeps its settings, and earlier devices are changed") {
    test::Kernel kernel = two_devices();
    auto &answer = kernel.answers[XIW_CMD_CONFIG_SET];
    answer.accepted = 1;
    answer.error = EBUSY;
    const Result result = restore(kernel, "config set xiw0 crc=off latency=on\n"
                                          "config set xiw5 crc=on\n");
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err,
               StartsWith("xiw: xiw5: ") && ContainsSubstring("; its settings are unchanged"));
    CHECK(changes(kernel) == std::vector{change(1, XIW_A_CONFIG_CRC, 0) + " " +
                                             std::to_string(XIW_A_CONFIG_LATENCY) + "=1",
                                         change(5, XIW_A_CONFIG_CRC, 1)});
}

TEST_CASE("config restore without privilege is explained") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONFIG_SET].error = EPERM;
    const Result result = restore(kernel, "config set xiw0 crc=off\n");
    CHECK(result.exit == Exit::denied);
    CHECK_THAT(result.err, ContainsSubstring("CAP_NET_ADMIN") &&
                               ContainsSubstring("its settings are unchanged"));
}

TEST_CASE("config save keeps the old file if it cannot write a complete one") {
    const test::Folder folder;
    const std::string file = folder.put("saved", "before");
    test::Kernel kernel = test::busy_kernel();

    SECTION("no device") {
        kernel = test::Kernel();
        CHECK_THAT(run_config(kernel, {"save", file.c_str()}).err,
                   ContainsSubstring("no xiw device"));
    }
    SECTION("devices that appear and disappear") {
        kernel.answers[XIW_CMD_CONFIG_GET].interruptions = 1000;
        CHECK_THAT(run_config(kernel, {"save", file.c_str()}).err,
                   ContainsSubstring("added or removed"));
    }
    SECTION("a value of a newer module") {
        kernel.answers[XIW_CMD_CONFIG_GET].objects = {Attrs()
                                                          .u32(XIW_A_CONFIG_DEV_INDEX, 1)
                                                          .text(XIW_A_CONFIG_DEV_NAME, "xiw0")
                                                          .u8(XIW_A_CONFIG_CRC, 7)};
        CHECK_THAT(run_config(kernel, {"save", file.c_str()}).err,
                   ContainsSubstring("crc of xiw0"));
    }
    SECTION("another output format") {
        CHECK(run_config(kernel, {"save", file.c_str(), "--json"}).exit == Exit::usage);
        CHECK(run_config(kernel, {"save", file.c_str(), "--tsv"}).exit == Exit::usage);
    }
    CHECK(folder.text("saved") == "before");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("config save keeps the mode of a file and follows links to it") {
    namespace fs = std::filesystem;
    const test::Folder folder;
    const std::string file = folder.put("saved", "before");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("saved", folder.file("link"));
    test::Kernel kernel = test::busy_kernel();

    CHECK(run_config(kernel, {"save", folder.file("link").c_str()}).exit == Exit::ok);
    CHECK_THAT(folder.text("saved"), EndsWith("config set xiw0 " + all + "\n"));
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(fs::is_symlink(folder.file("link")));
    CHECK(run_config(kernel, {"save", "/dev/null"}).exit == Exit::ok);
    CHECK(fs::is_character_file("/dev/null"));

    for (const std::string &bad : {folder.file("none/file"), folder.path()}) {
        const Result result = run_config(kernel, {"save", bad.c_str()});
        CHECK(result.exit == Exit::failed);
        CHECK_THAT(result.err, ContainsSubstring("cannot write " + bad));
    }
    CHECK(run_config(kernel, {"save", "/dev/full"}).exit == Exit::failed);
}

TEST_CASE("config save follows links to a file that does not exist") {
    namespace fs = std::filesystem;
    const test::Folder folder;
    const std::string link = folder.file("link");
    test::Kernel kernel = test::busy_kernel();
    fs::create_directory(folder.file("to"));

    SECTION("relative links, each relative to its own folder") {
        fs::create_symlink("to/second", link);
        fs::create_symlink("../saved", folder.file("to/second"));
    }
    SECTION("an absolute link") {
        fs::create_symlink(folder.file("saved"), link);
    }
    CHECK(run_config(kernel, {"save", link.c_str()}).exit == Exit::ok);
    CHECK(fs::is_symlink(fs::symlink_status(link)));
    CHECK(fs::is_regular_file(fs::symlink_status(folder.file("saved"))));
    CHECK_THAT(folder.text("saved"), EndsWith("config set xiw0 " + all + "\n"));
}

TEST_CASE("config save replaces no link that leads nowhere") {
    namespace fs = std::filesystem;
    const test::Folder folder;
    const std::string link = folder.file("link");
    test::Kernel kernel = test::busy_kernel();

    fs::create_symlink(GENERATE("link", "none/file"), link);
    const Result result = run_config(kernel, {"save", link.c_str()});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("cannot write " + link));
    CHECK(fs::is_symlink(fs::symlink_status(link)));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("device names that need quoting are saved and restored") {
    test::Kernel kernel = test::busy_kernel();
    const auto name = GENERATE("xiw 0", "#xiw", "a\"b", "a'b");
    kernel.answers[XIW_CMD_CONFIG_GET].objects = {Attrs()
                                                      .u32(XIW_A_CONFIG_DEV_INDEX, 1)
                                                      .text(XIW_A_CONFIG_DEV_NAME, name)
                                                      .u8(XIW_A_CONFIG_CRC, 1)};
    const Result saved = run_config(kernel, {"save"});
    REQUIRE(saved.exit == Exit::ok);
    kernel.answers[XIW_CMD_CONFIG_GET].objects = {Attrs()
                                                      .u32(XIW_A_CONFIG_DEV_INDEX, 1)
                                                      .text(XIW_A_CONFIG_DEV_NAME, name)
                                                      .u8(XIW_A_CONFIG_CRC, 0)};
    CHECK(restore(kernel, saved.out).exit == Exit::ok);
    CHECK(changes(kernel) == std::vector{change(1, XIW_A_CONFIG_CRC, 1)});
}

TEST_CASE("a device name with a newline is not saved") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONFIG_GET].objects = {Attrs()
                                                      .u32(XIW_A_CONFIG_DEV_INDEX, 1)
                                                      .text(XIW_A_CONFIG_DEV_NAME, "a\nb")
                                                      .u8(XIW_A_CONFIG_CRC, 1)};
    CHECK_THAT(run_config(kernel, {"save"}).err, ContainsSubstring("a\\x0ab"));
}
