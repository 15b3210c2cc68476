// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "kernel.hpp"
#include "model/words.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using xiw::Exit;

namespace {

test::Result dump(std::vector<const char *> arguments = {}) {
    test::Kernel kernel = test::busy_kernel();
    arguments.insert(arguments.begin(), "dump");
    return test::run_tool(&kernel, arguments);
}

} // namespace

TEST_CASE("xiw dump shows the progress of each ring, also when the indexes wrap") {
    const test::Result result = dump();
    CHECK(result.exit == Exit::ok);
    CHECK(result.out == "xiw0\n"
                        "  RING      SIZE  IN USE  NOT CONSUMED  DONE  GIVEN  POSTED\n"
                        "  admin       64       1             0     7      8       8\n"
                        "  events 1  1024       -             -  4711      -       -\n"
                        "  REGISTER  VALUE\n"
                        "  status    0x0000000100000003\n"
                        "xiw0 QP 3, vector 1, stream open+first-fpdu\n"
                        "  RING        SIZE  IN USE  NOT CONSUMED        DONE  GIVEN  POSTED\n"
                        "  send-queue   128       5             2  4294967294      1       3\n"
                        "  ord           16       2             0           0      2       2\n");
}

TEST_CASE("xiw dump can be limited to one QP") {
    const test::Result result = dump({"--qp", "3"});
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, ContainsSubstring("xiw0 QP 3") && !ContainsSubstring("admin"));
    const test::Result none = dump({"--qp", "4"});
    CHECK(none.exit == Exit::failed);
    CHECK_THAT(none.err, ContainsSubstring("no QP 4"));
}

TEST_CASE("xiw dump prints JSON and TSV") {
    const auto json = nlohmann::json::parse(dump({"--json"}).out);
    CHECK(test::violations(test::tool_schema(), json).empty());
    const auto &device = json.at("rings").at(0), &qp = json.at("rings").at(1);
    CHECK(device.at("qpn").is_null());
    CHECK(device.at("registers").at("status") == 0x100000003);
    CHECK(device.at("rings").at(1).at("posted").is_null());
    CHECK(qp.at("rings").at(0).at("in_use") == 5);
    CHECK(dump({"--tsv"}).out ==
          "device\tqpn\tring\tvector\tsize\tin_use\tnot_taken\tdone\tgiven\tposted\n"
          "xiw0\t-\tadmin\t-\t64\t1\t0\t7\t8\t8\n"
          "xiw0\t-\tevents\t1\t1024\t-\t-\t4711\t-\t-\n"
          "xiw0\t3\tsend-queue\t-\t128\t5\t2\t4294967294\t1\t3\n"
          "xiw0\t3\tord\t-\t16\t2\t0\t0\t2\t2\n");
}

TEST_CASE("xiw dump requires privilege") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_RING_GET].error = EPERM;
    const test::Result result = test::run_tool(&kernel, {"dump"});
    CHECK(result.exit == Exit::denied);
    CHECK_THAT(result.err, ContainsSubstring("CAP_NET_ADMIN"));
}

TEST_CASE("bits of a stream's state are printed as words") {
    CHECK(xiw::stream_word(0) == "none");
    CHECK(xiw::stream_word(0x1ff) ==
          "open+first-fpdu+peer-closed+lost+term-sent+stopped+closed+rtr-timeout+unencrypted");
    CHECK(xiw::stream_word(0x201) == "open+unknown(0x200)");
}
