// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The script utils/systemd/xiw-rnic-port, with stand-ins for the programs that the script calls.
#include "standins.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

namespace {

struct Machine : test::Machine {
    Machine() : test::Machine("xiw-rnic-port") {}
};

} // namespace

TEST_CASE("the port of an RNIC is a macvlan in a network namespace") {
    const Machine m;
    m.config("vm1", "# a comment\nnetdev = eth5\n\nvectors=4");
    CHECK(m.run("up vm1") == "+ ip netns add rnic-vm1\n"
                             "+ ip link add link eth5 name port netns rnic-vm1 type macvlan mode "
                             "bridge\n"
                             "+ ip -n rnic-vm1 link set lo up\n"
                             "+ ip -n rnic-vm1 link set port addrgenmode none\n"
                             "+ ip -n rnic-vm1 link set port up\n"
                             "status 0\n");
    CHECK(m.run("down vm1") == "status 0\n");
    m.create("rnic-vm1");
    CHECK(m.run("down vm1") == "+ ip -n rnic-vm1 link del port\n"
                               "+ ip netns del rnic-vm1\n"
                               "status 0\n");
    CHECK_THAT(m.run("up vm1"), ContainsSubstring("rnic-vm1 exists already") &&
                                    !ContainsSubstring("+ ip") && ContainsSubstring("status 1"));
}

TEST_CASE("the port of an RNIC has the given MAC address and router") {
    const Machine m;
    m.config("vm1", "netdev=eth5\nmac=52:54:00:73:06:01\ngateway=10.0.0.1\n");
    CHECK_THAT(
        m.run("up vm1"),
        ContainsSubstring("netns rnic-vm1 address 52:54:00:73:06:01 type macvlan") &&
            ContainsSubstring("+ ip -n rnic-vm1 address add 127.0.0.73/32 dev port scope host\n"
                              "+ ip -n rnic-vm1 route add default via 10.0.0.1 dev port onlink\n"));
    m.config("vm1", "netdev=eth5\ngateway=2001:db8::1\n");
    CHECK_THAT(m.run("up vm1"),
               ContainsSubstring(
                   "+ ip -n rnic-vm1 -6 route add default via 2001:db8::1 dev port onlink\n"));
}

TEST_CASE("a port that cannot be made leaves no namespace") {
    const Machine m;
    m.config("vm1", "netdev=eth6\n");
    m.answer("sleep", "touch " + m.folder + "/eth6");
    m.answer("ip", "case \"$*\" in 'netns add'*) touch " + m.folder +
                       "/rnic-vm1 ;; 'link add'*) exit 1 ;; esac");
    CHECK(m.run("up vm1") == "+ sleep 0.2\n"
                             "+ ip netns add rnic-vm1\n"
                             "+ ip link add link eth6 name port netns rnic-vm1 type macvlan mode "
                             "bridge\n"
                             "xiw-rnic-port: " +
                                 m.folder +
                                 "/vm1.conf: cannot make a port of eth6\n"
                                 "+ ip -n rnic-vm1 link del port\n"
                                 "+ ip netns del rnic-vm1\n"
                                 "status 1\n");
}

TEST_CASE("an invalid file or name of an RNIC is refused, and nothing in it is executed") {
    const Machine m;
    CHECK_THAT(m.run("up none"), ContainsSubstring("cannot read") && ContainsSubstring("status 1"));
    for (const char *content : {"mac=52:54:00:73:06:01\n", "netdev=eth5\ncrc=off\n", "eth5\n"}) {
        m.config("vm1", content);
        CHECK_THAT(m.run("up vm1"), ContainsSubstring("vm1.conf: ") && !ContainsSubstring("+ ") &&
                                        ContainsSubstring("status 1"));
    }
    m.config("vm1", "netdev=$(touch here)\nmac=;false\n");
    m.run("up vm1");
    CHECK(!std::filesystem::exists("here"));
    for (const char *name : {"''", "../vm1", "-a", ".b", "'a b'"})
        CHECK_THAT(m.run(std::string("up ") + name), ContainsSubstring("status 2"));
    CHECK_THAT(m.run("up"), ContainsSubstring("usage") && ContainsSubstring("status 2"));
    CHECK_THAT(m.run("reload vm1"), ContainsSubstring("usage") && ContainsSubstring("status 2"));
}
