// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The script utils/systemd/xiw-link, with stand-ins for the programs that the script calls.
#include "standins.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

namespace {

struct Machine : test::Machine {
    Machine() : test::Machine("xiw-link") {}
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
    m.answer("sleep", "[ ! -e " + m.folder + "/once ] || touch " + m.folder + "/eth6\n" + "touch " +
                          m.folder + "/once");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "+ sleep 0.2\n"
                            "+ sleep 0.2\n"
                            "+ rdma link add t0 type xiw netdev eth6\n"
                            "status 0\n");
}

TEST_CASE("an interface that never appears is waited for in vain") {
    const Machine m;
    m.config("t0", "netdev=eth6\n");
    m.answer("rdma", "exit 1");
    CHECK_THAT(m.run("up t0"), ContainsSubstring("+ sleep 0.2\n+ rdma link add t0") &&
                                   ContainsSubstring("t0.conf: cannot make t0 on eth6") &&
                                   ContainsSubstring("status 1"));
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

TEST_CASE("a device that exists already is accepted on the interface of the link only") {
    const Machine m;
    m.config("t0", "netdev=eth5\n");
    m.show("rdma", "link t0/1 state ACTIVE physical_state LINK_UP netdev eth5 ");
    CHECK(m.run("up t0") == "+ modprobe xiw\nxiw-link: t0 is there already\nstatus 0\n");
    m.answer("xiw", "exit 1");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "xiw-link: t0 is there already, but is no device of xiw\n"
                            "status 1\n");

    m.show("rdma", "link t0/1 state ACTIVE physical_state LINK_UP netdev eth7 ");
    CHECK(m.run("up t0") == "+ modprobe xiw\n"
                            "xiw-link: t0 is there already, on eth7 instead of eth5\n"
                            "status 1\n");
    m.show("rdma", "link t0/1 state DOWN physical_state DISABLED ");
    CHECK_THAT(m.run("up t0"),
               ContainsSubstring("on an unknown interface instead of eth5\nstatus 1"));
}

TEST_CASE("a link is removed, even if its file now names another interface") {
    const Machine m;
    m.config("t0", "netdev=eth5\n");
    m.show("rdma", "link t0/1 state ACTIVE physical_state LINK_UP netdev eth7 ");
    CHECK(m.run("down t0") == "+ rdma link del t0\nstatus 0\n");
}

TEST_CASE("an interface may have an alternative name") {
    const Machine m;
    m.config("t0", "netdev=storage\n");
    m.show("ip", "7: eth7@if8: <BROADCAST,MULTICAST,UP> mtu 1500\n    altname storage");
    m.show("rdma", "link t0/1 state ACTIVE physical_state LINK_UP netdev eth7 ");
    CHECK(m.run("up t0") == "+ modprobe xiw\nxiw-link: t0 is there already\nstatus 0\n");
    CHECK(m.run("down t0") == "+ rdma link del t0\nstatus 0\n");
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
