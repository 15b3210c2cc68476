// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "startup.hpp"
#include "peer.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

TEST_CASE("peer: golden startup frames are decoded and rebuilt") {
    unsigned count = 0;

    for (const Vector &v : golden().all()) {
        if (!v.startup)
            continue;
        Frame frame = decode_startup(v.octets);
        CAPTURE(v.id, frame.describe());
        if (frame.kind == "unknown")
            continue;
        Keys keys;
        for (const Field &f : frame.fields)
            keys[std::string(f.name)] = *frame.text(f.name);
        keys["private"] = *frame.text("private");
        // This frame is too short for the IRD and ORD fields that its S flag announces. So build it
        // without S, and set S afterwards.
        if (v.id == "N-MPA-07")
            keys["s"] = "0";
        Octets made = build_startup(frame.kind, keys);
        if (v.id == "N-MPA-07")
            made[16] |= 0x10;
        CHECK(hex(made) == hex(v.octets));
        CHECK(startup_size(v.octets) == v.octets.size());
        count++;
    }
    CHECK(count >= 24);
}

TEST_CASE("peer: startup frames are built from keys and values") {
    CHECK(hex(build_startup(
              "request",
              {{"a", "1"}, {"b", "1"}, {"ird", "8"}, {"c", "1"}, {"d", "1"}, {"ord", "16"}})) ==
          hex(golden().at("MPA-REQ2-01").octets));
    CHECK(hex(build_startup("reply", {{"rev", "1"}})) == hex(golden().at("MPA-REP1-01").octets));
    CHECK(hex(build_startup("request",
                            {{"rev", "1"}, {"markers", "on"}, {"private", "text:ULPHELLO"}})) ==
          hex(golden().at("MPA-REQ1-02").octets));
    CHECK_THROWS_AS(build_startup("request", {{"rev", "1"}, {"ird", "1"}}), std::invalid_argument);
    CHECK_THROWS_AS(build_startup("request", {{"ird", "16384"}}), std::invalid_argument);
    CHECK(hex(build_startup("request", {{"rev", "1"}, {"key", "fill:00:16"}})).starts_with("0000"));
    CHECK(load(build_startup("request", {{"pd_len", "513"}}), 18, 2) == 513);
}
