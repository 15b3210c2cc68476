// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "model/injections.hpp"
#include "tree.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// Return the enumerators of linux/xiw.h that begin with `prefix`, in the order of the header and as
// words: XIW_NL_ROLE_LISTENER becomes "listener".
std::vector<std::string> enumerators(const std::string &prefix, char dash) {
    std::ifstream header(test::in_tree("/uapi/linux/xiw.h"));
    std::vector<std::string> words;

    REQUIRE(header);
    for (std::string line; std::getline(header, line);) {
        if (!line.starts_with("\t" + prefix))
            continue;
        std::string word = line.substr(1 + prefix.size());
        word.resize(word.find_first_of(", ="));
        if (word == "MAX")
            continue;
        std::ranges::transform(word, word.begin(), [dash](unsigned char c) {
            return c == '_' ? dash : static_cast<char>(std::tolower(c));
        });
        words.push_back(word);
    }
    return words;
}

void compare(const std::string &prefix, char dash, uint64_t first,
             const std::function<std::string(uint64_t)> &word) {
    CAPTURE(prefix);
    const auto words = enumerators(prefix, dash);

    REQUIRE_FALSE(words.empty());
    for (size_t i = 0; i < words.size(); i++)
        CHECK(word(first + i) == words[i]);
    CHECK_THAT(word(first + words.size()), StartsWith("unknown(0x"));
    CHECK(word(0x1234) == "unknown(0x1234)");
}

} // namespace

TEST_CASE("words match the names in linux/xiw.h and stop at the last of them") {
    compare("XIW_NL_KIND_", '-', 0, xiw::kind_word);
    compare("XIW_NL_DEVICE_STATE_", '-', 0, xiw::device_state_word);
    compare("XIW_NL_KNOWN_", '-', 0, xiw::known_word);
    compare("XIW_NL_ROLE_", '-', 0, xiw::role_word);
    compare("XIW_NL_MPA_STATE_", '-', 0, xiw::mpa_state_word);
    compare("XIW_NL_STREAM_STATE_", '-', 0, xiw::stream_state_word);
    compare("XIW_NL_ORIGIN_", '-', 0, xiw::origin_word);
    compare("XIW_NL_NOTICE_", '-', 0, xiw::notice_kind_word);
    compare("XIW_NL_INJECT_", '-', 0, xiw::injection_word);
    compare("XIW_NL_RING_", '-', 0, xiw::ring_word);
    compare("XIW_NL_LATENCY_", '-', 0, xiw::latency_word);
    compare("XIW_NL_CAPABILITY_", '_', 0, xiw::capability_word);
    compare("XIW_A_LIMITS_", '_', 1, xiw::limit_word);
    compare("XIW_A_OBJECTS_", '_', 1, xiw::object_word);
    compare("XIW_NL_ATOMIC_SCOPE_", '-', 0, [](uint64_t scope) {
        return xiw::capability_value_word(XIW_NL_CAPABILITY_ATOMIC_SCOPE, scope);
    });
}

TEST_CASE("capability values are printed as words") {
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_CRC, 0) == "off");
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_CRC, 1) == "on");
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_CRC, 2) == "unknown(0x2)");
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_MPA_REVISION, 2) == "2");
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_RTR, 3) == "write+read");
    CHECK(xiw::capability_value_word(XIW_NL_CAPABILITY_RTR, 0) == "none");
    CHECK(xiw::capability_value_word(999, 5) == "5");
}

TEST_CASE("opcode names come from the protocol core") {
    CHECK_THAT(xiw::opcode_word(0x0), ContainsSubstring("Write"));
    CHECK_THAT(xiw::opcode_word(0x9), ContainsSubstring("Immediate"));
    CHECK_THAT(xiw::opcode_word(0xa), ContainsSubstring("Atomic"));
    CHECK(xiw::opcode_word(0xf) == "Send with Immediate");
    CHECK(xiw::opcode_word(0xc) == "unknown(0xc)");
    CHECK(xiw::opcode_word(0xff) == "unknown(0xff)");
}

TEST_CASE("Terminate causes come from the protocol core and name the RFC") {
    CHECK_THAT(xiw::terminate_word(0x2002), StartsWith("2/0/0x02 ") && ContainsSubstring("CRC") &&
                                                ContainsSubstring("RFC 5044"));
    CHECK_THAT(xiw::terminate_word(0x0102),
               StartsWith("0/1/0x02 ") && ContainsSubstring("RFC 5040"));
    CHECK_THAT(xiw::terminate_word(0x1001),
               StartsWith("1/0/0x01, meant as 0/1/0x01: ") && ContainsSubstring("bounds"));
    CHECK(xiw::terminate_word(0xf3aa) == "15/3/0xaa unknown(0xf3aa)");
}
