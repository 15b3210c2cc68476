// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Unusual values for each argument and each option of each command. The command returns an exit
// status of xiw(8), prints a message if it fails, and changes no setting of a device.
#include "cmd/command.hpp"
#include "doctor/doctor.hpp"
#include "kernel.hpp"
#include "tool.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/xiw.h>
#include <unistd.h>

using test::Result;
using xiw::Exit;

namespace {

using Words = std::vector<std::string>;

// A folder in which commands may write and read. While a Place exists, it is the current folder,
// and standard input is empty.
class Place {
  public:
    Place() : before_(std::filesystem::current_path()), input_(dup(STDIN_FILENO)) {
        std::filesystem::current_path(folder_.path());
        const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(null, STDIN_FILENO);
        close(null);
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    Place(Place &&) = delete;
    Place &operator=(Place &&) = delete;
    ~Place() {
        std::filesystem::current_path(before_);
        dup2(input_, STDIN_FILENO);
        close(input_);
    }

    Result run(test::Kernel &kernel, const Words &words) const {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        xiw::cmd::Environment env{
            .out = out,
            .err = err,
            .colour = false,
            .connect = [&kernel] { return kernel.connect(); },
            .ifname = [](uint64_t) { return "eth0"; },
            .host =
                [this] {
                    xiw::doctor::Host host;
                    host.root = folder_.path();
                    host.path = [](const std::string &) {
                        xiw::doctor::Path path;
                        path.error = "no such host";
                        return path;
                    };
                    return host;
                },
            .in = &in,
            .console = [] { return std::make_unique<test::Clock>(); },
        };
        std::vector<const char *> argv{"xiw"};
        for (const std::string &word : words)
            argv.push_back(word.c_str());
        const Exit exit = xiw::cmd::run(env, static_cast<int>(argv.size()), argv.data());
        return {exit, out.str(), err.str()};
    }

  private:
    test::Folder folder_;
    std::filesystem::path before_;
    int input_;
};

struct Leaf {
    Words path;
    Words options; // one name of each option
};

void leaves(std::vector<Leaf> &list, const CLI::App &app, const Words &path) {
    const auto subs = app.get_subcommands([](const CLI::App *) { return true; });
    for (const CLI::App *sub : subs) {
        Words inner = path;
        inner.push_back(sub->get_name());
        leaves(list, *sub, inner);
    }
    if (!subs.empty())
        return;
    Leaf leaf{path, {}};
    for (const CLI::Option *option : app.get_options()) {
        if (option == app.get_help_ptr())
            continue;
        if (!option->get_lnames().empty())
            leaf.options.push_back("--" + option->get_lnames().front());
        else if (!option->get_snames().empty())
            leaf.options.push_back("-" + option->get_snames().front());
    }
    list.push_back(leaf);
}

std::vector<Leaf> leaves() {
    std::vector<Leaf> list;
    xiw::cmd::Parser parser;
    leaves(list, parser.app(), {});
    return list;
}

// Some commands write to the file that an argument names. So each of these words is a harmless file
// name.
const Words &hostile() {
    static const Words words = {
        "",
        "-",
        "--",
        "---",
        "--=",
        "-=",
        "=",
        "=on",
        "crc",
        "crc=",
        "crc=\n",
        "-1",
        "0",
        "00",
        "0x",
        "1e999",
        "nan",
        "4294967296",
        "99999999999999999999",
        "%s%n{}{0}",
        "\033[2J",
        "\xff\xfe",
        "a\tb\nc",
        "xiw0 ",
        "--help=1",
        "-jj",
        "--json=x",
        "--no-such",
        "\302\247",
        std::string(100000, 'x'),
        std::string(5000, '\n'),
    };
    return words;
}

void check(const Place &place, const Words &words) {
    test::Kernel kernel = test::busy_kernel();
    const Result result = place.run(kernel, words);
    std::string line;
    for (const std::string &word : words)
        line += " '" + word.substr(0, 40) + "'";
    CAPTURE(line, result.exit, result.out.substr(0, 200), result.err.substr(0, 200));

    // Each failure has an error message that begins with "xiw: ". `xiw doctor` prints its results
    // in another form.
    const bool told = result.err.starts_with("xiw: ") || std::ranges::count(words, "doctor") != 0;
    if (result.exit < Exit::ok || result.exit > Exit::denied ||
        (result.exit != Exit::ok && !told) || result.err.size() > 3000 ||
        std::ranges::any_of(result.err,
                            [](char c) {
                                return (static_cast<unsigned char>(c) < 0x20 && c != '\n') ||
                                       c == 0x7f;
                            }) ||
        !kernel.asked_for(XIW_CMD_CONFIG_SET).empty())
        FAIL_CHECK("not what xiw(8) says");
}

Words operator+(Words left, const Words &right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

} // namespace

TEST_CASE("each command survives every hostile argument") {
    REQUIRE(leaves().size() > 12);
    for (const Leaf &leaf : leaves()) {
        const Place place;
        check(place, leaf.path);
        for (const std::string &word : hostile()) {
            check(place, leaf.path + Words{word});
            check(place, leaf.path + Words{"xiw0", word});
            check(place, Words{word} + leaf.path);
            for (const std::string &option : leaf.options) {
                // If an option takes a value, OPTION WORD and OPTION=WORD differ only if WORD
                // begins with a dash.
                if (word.starts_with('-'))
                    check(place, leaf.path + Words{option, word});
                check(place, leaf.path + Words{fmt::format("{}={}", option, word)});
            }
        }
        check(place, leaf.path + Words(1000, "xiw0"));
        for (const std::string &option : leaf.options)
            check(place, leaf.path + Words(100, option));
    }
}

TEST_CASE("each command reports a missing module or needs none") {
    const Place place;
    for (const Leaf &leaf : leaves()) {
        test::Kernel kernel;
        kernel.loaded = false;
        const Result result = place.run(kernel, leaf.path);
        CAPTURE(leaf.path.back(), result.err);
        CHECK((result.exit == Exit::absent || result.exit == Exit::ok ||
               result.exit == Exit::usage || leaf.path[0] == "doctor"));
        // selftest and ping report missing user-space verbs instead of a missing module.
        const bool verbs = leaf.path[0] == "selftest" || leaf.path[0] == "ping";
        CHECK((result.exit != Exit::absent ||
               result.err.find(verbs ? "verbs" : "modprobe xiw") != std::string::npos));
    }
}

TEST_CASE("a message quotes only the beginning of a long argument") {
    const Place place;
    test::Kernel kernel = test::busy_kernel();
    const Result result = place.run(kernel, {"show", "\033]0;title\a" + std::string(100000, 'x')});
    CHECK(result.exit == Exit::failed);
    CHECK(result.err.starts_with("xiw: no xiw device \"\\x1b]0;title\\x07xxx"));
    CHECK(result.err.size() < 2000);
}
