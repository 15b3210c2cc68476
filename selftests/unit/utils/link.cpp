// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// utils/systemd/xiw-link, with stand-ins for the programs that it calls.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tree.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

struct Close {
    void operator()(std::FILE *pipe) const { pclose(pipe); }
};

class Machine {
  public:
    Machine() {
        char name[] = "/tmp/xiw-link.XXXXXX";
        if (mkdtemp(name) == nullptr)
            throw std::runtime_error("mkdtemp");
        folder = name;
        for (const char *program : {"rdma", "modprobe", "xiw", "udevadm"})
            answer(program, "exit 0");
        std::ofstream(folder + "/eth5");
    }
    ~Machine() {
        std::error_code error;
        std::filesystem::remove_all(folder, error);
    }
    Machine(const Machine &) = delete;
    Machine(Machine &&) = delete;
    Machine &operator=(const Machine &) = delete;
    Machine &operator=(Machine &&) = delete;

    // Creates a stand-in for a program. It prints its arguments and runs `how`, but its
    // `link show` always fails, as if there were no link.
    void answer(const std::string &program, const std::string &how) const {
        const std::string path = folder + "/" + program;
        std::ofstream(path) << "#!/bin/sh\n"
                               "case \"$1 $2\" in 'link show') exit 1 ;; esac\n"
                               "echo \"+ "
                            << program << " $*\"\n"
                            << how << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    void config(const std::string &name, const std::string &content) const {
        std::ofstream(folder + "/" + name + ".conf") << content;
    }
    std::string run(const std::string &arguments) const {
        const std::string command =
            "PATH=" + folder + ":$PATH XIW_LINKS=" + folder + " XIW_INTERFACES=" + folder + " " +
            test::in_tree("/utils/systemd/xiw-link") + " " + arguments + " 2>&1; echo status $?";
        std::string said;
        std::array<char, 512> buffer{};
        const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
        while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
            said += buffer.data();
        return said;
    }

    std::string folder;
};

} // namespace

TEST_CASE("a link is created with its settings") {
    const Machine m;
    m.config("t0", "# a comment\nnetdev = eth5 # which\n\ncrc=off\npark-time=2s");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "+ rdma link add t0 type xiw netdev eth5\n"
                            "+ xiw config set t0 crc=off park-time=2s\n"
                            "status 0\n");
    CHECK(m.run("reload t0") == "+ xiw config set t0 crc=off park-time=2s\nstatus 0\n");
    m.config("t0", "netdev=eth5\n");
    CHECK(m.run("reload t0") == "status 0\n");
    CHECK(m.run("down t0") == "status 0\n");
}

TEST_CASE("a missing interface is waited for") {
    const Machine m;
    m.config("t0", "netdev=eth6\n");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "+ udevadm settle --timeout=30\n"
                            "+ rdma link add t0 type xiw netdev eth6\n"
                            "status 0\n");
    m.answer("rdma", "exit 1");
    CHECK_THAT(m.run("up t0"), ContainsSubstring("t0.conf: cannot make t0 on eth6") &&
                                   ContainsSubstring("status 1"));
    m.answer("udevadm", "exit 127");
    m.answer("rdma", "exit 0");
    CHECK_THAT(m.run("up t0"), ContainsSubstring("status 0"));
}

TEST_CASE("a link whose settings are refused is removed") {
    const Machine m;
    m.config("t0", "netdev=eth5\ncrc=perhaps\n");
    m.answer("xiw", "exit 2");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "+ rdma link add t0 type xiw netdev eth5\n"
                            "+ xiw config set t0 crc=perhaps\n"
                            "+ rdma link del t0\n"
                            "status 1\n");
    m.answer("rdma", "exit 1");
    CHECK_THAT(m.run("up t0"), !ContainsSubstring("config set") && ContainsSubstring("status 1"));
    m.answer("modprobe", "exit 1");
    CHECK(m.run("up t0") == "+ modprobe xiw\nstatus 1\n");
}

TEST_CASE("an invalid file or name is refused, and nothing in it is executed") {
    const Machine m;
    CHECK_THAT(m.run("up none"), ContainsSubstring("cannot read") && ContainsSubstring("status 1"));
    m.config("t0", "crc=off\n");
    CHECK_THAT(m.run("up t0"), ContainsSubstring("no netdev=") && ContainsSubstring("status 1"));
    m.config("t0", "netdev=eth0\nsomething\n");
    CHECK_THAT(m.run("up t0"),
               ContainsSubstring("is not KEY=VALUE") && !ContainsSubstring("modprobe"));
    m.config("t0", "netdev=$(touch " + m.folder + "/run)\ncrc=`touch " + m.folder + "/run`;*\n");
    m.run("up t0");
    CHECK_FALSE(std::filesystem::exists(m.folder + "/run"));
    for (const char *name : {"../t0", "''", "-x", "'a b'", ".t", "'*'"})
        CHECK_THAT(m.run(std::string("up ") + name),
                   ContainsSubstring("no name of a link") && ContainsSubstring("status 2"));
    for (const char *arguments : {"", "up", "sideways t0", "up t0 t1"})
        CHECK_THAT(m.run(arguments), ContainsSubstring("usage") && ContainsSubstring("status 2"));
}
