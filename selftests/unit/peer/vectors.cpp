// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The table of golden vectors is read. Scenarios that run against the kernel cover each vector that
// not-live.tsv does not list.
#include "vectors.hpp"
#include "message.hpp"
#include "peer.hpp"
#include "runner.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

namespace {

std::set<std::string> not_live() {
    std::ifstream in(XIW_SELFTESTS "/conformance/not-live.tsv");
    std::set<std::string> ids;

    REQUIRE(in);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#') || line.starts_with("id\t"))
            continue;
        size_t tab = line.find('\t');
        CAPTURE(line);
        REQUIRE(tab != std::string::npos);
        CHECK(line.size() > tab + 10); // a reason of at least ten octets
        CHECK(ids.insert(line.substr(0, tab)).second);
    }
    return ids;
}

} // namespace

TEST_CASE("peer: each golden frame is in a scenario or in the list of exceptions") {
    std::set<std::string> excused = not_live(), known;
    std::multiset<std::string> live;

    for (const auto &entry :
         std::filesystem::directory_iterator(XIW_SELFTESTS "/conformance/scenarios"))
        if (entry.path().extension() == ".scn")
            live.merge(vectors_named(Script::read(entry.path())));
    for (const Vector &v : golden().all()) {
        known.insert(v.id);
        CAPTURE(v.id, live.count(v.id), excused.count(v.id));
        CHECK((live.count(v.id) != 0) != excused.contains(v.id));
    }
    for (const std::string &id : live)
        CHECK(known.contains(id));
    for (const std::string &id : excused)
        CHECK(known.contains(id));
}

TEST_CASE("peer: values are translated, also in the header that a Terminate returns") {
    Translation t;
    t.stag[0x11223344] = 0xaabbccdd;
    t.stag[0xcafe0010] = 1;
    t.to[0x100000000] = 7;

    Frame write = decode(t.apply(golden().at("W-01").octets));
    CHECK(write.value("stag") == 0xaabbccdd);
    CHECK(write.value("to") == 7);
    CHECK(crc_good(write.octets));

    Frame terminate = decode(t.apply(golden().at("N-RR-02").terminate));
    CHECK(hex(*terminate.part("header")) ==
          "4141000000000000000100000001000000000000000100000000000020000000"
          "1001aabbccdd0000000000000007");
    CHECK(crc_good(terminate.octets));

    Frame bad = decode(t.apply(golden().at("N-CRC-01").octets));
    CHECK_FALSE(crc_good(bad.octets));
    CHECK(t.apply(golden().at("S-01").octets) == golden().at("S-01").octets);
}
