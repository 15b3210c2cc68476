// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/settings.hpp"

#include "model/names.hpp"
#include "model/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/xiw.h>

namespace xiw {

namespace {

using enum Setting::Shape;

constexpr auto table = std::to_array<Setting>({
    {XIW_A_CONFIG_CRC, "crc", flag, 0, 1,
     "request CRC; it is off only if the peer does not request it either"},
    {XIW_A_CONFIG_MARKERS, "markers", flag, 0, 1, "request MPA markers from the peer"},
    {XIW_A_CONFIG_MPA_REVISION, "mpa-revision", number, 1, 2,
     "MPA revision as initiator, and the highest accepted"},
    {XIW_A_CONFIG_ATOMICS, "atomics", flag, 0, 1, "execute and send Atomic Requests"},
    {XIW_A_CONFIG_IMMEDIATES, "immediates", flag, 0, 1, "accept and send Immediate Data"},
    {XIW_A_CONFIG_SEND_WITH_IMMEDIATE, "send-with-immediate", flag, 0, 1,
     "accept and send Send with Immediate, an experiment"},
    {XIW_A_CONFIG_PEER_TO_PEER, "peer-to-peer", flag, 0, 1,
     "open the stream with an RTR message when connecting"},
    {XIW_A_CONFIG_RTR, "rtr", rtr, XIW_NL_RTR_WRITE,
     XIW_NL_RTR_WRITE | XIW_NL_RTR_READ | XIW_NL_RTR_SEND, "RTR messages offered and accepted"},
    {XIW_A_CONFIG_PARK_TIME, "park-time", milliseconds, 0, XIW_NL_TIME_MAX,
     "time to wait for a receive before terminating"},
    {XIW_A_CONFIG_STARTUP_TIME, "startup-time", milliseconds, 1, XIW_NL_TIME_MAX,
     "time limit of TCP and MPA setup"},
    {XIW_A_CONFIG_RTR_TIME, "rtr-time", milliseconds, 1, XIW_NL_TIME_MAX,
     "time to wait for the first FPDU after accepting"},
    {XIW_A_CONFIG_LINGER_TIME, "linger-time", milliseconds, 1, XIW_NL_TIME_MAX,
     "time limit of the close of a connection"},
    {XIW_A_CONFIG_MULPDU_MAX, "mulpdu-max", octets, 128, 64768,
     "maximum ULPDU to send, 0: derived from the path"},
    {XIW_A_CONFIG_PEER_TIME, "peer-time", limit, XIW_NL_PEER_TIME_MIN, XIW_NL_PEER_TIME_MAX,
     "time without an answer until a peer counts as dead, 0: TCP's limit"},
    {XIW_A_CONFIG_LATENCY, "latency", flag, 0, 1, "measure the latency of work requests: xiw hist"},
    {XIW_A_CONFIG_CONNECT_BY_NUMBER, "connect-by-number", flag, 0, 1,
     "let QPs connect by the address and QP number of their peer"},
    {XIW_A_CONFIG_REQUIRE_ENCRYPTION, "require-encryption", flag, 0, 1,
     "refuse connections that nothing encrypts"},
    {XIW_A_CONFIG_CONGESTION, "congestion", name, 1, 15, "congestion control of new connections"},
    {XIW_A_CONFIG_TLS, "tls", choice, 0, std::size(names::tls) - 1, "use of TLS below MPA",
     names::tls},
});
// Two attributes name the device; all other attributes are settings.
static_assert(table.size() == XIW_A_CONFIG_MAX - 2);

std::optional<uint32_t> decimal(std::string_view text) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc() || end != text.end())
        return std::nullopt;
    return value;
}

std::optional<uint32_t> duration(std::string_view text) {
    uint32_t scale = 1;
    if (text.ends_with("ms")) {
        text.remove_suffix(2);
    } else if (text.ends_with("s")) {
        text.remove_suffix(1);
        scale = 1000;
    }
    const auto value = decimal(text);
    if (!value || *value > UINT32_MAX / scale)
        return std::nullopt;
    return *value * scale;
}

// Users write this word instead of an empty name.
constexpr std::string_view no_name = "default";

bool in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

} // namespace

std::optional<SettingValue> Setting::parse(std::string_view text) const {
    std::optional<uint32_t> value;

    switch (shape) {
    case flag:
        if (text == "on")
            value = 1;
        else if (text == "off")
            value = 0;
        break;
    case number:
        value = decimal(text);
        break;
    case milliseconds:
        value = duration(text);
        break;
    case octets:
        value = decimal(text);
        if (value == 0U)
            return SettingValue(*value);
        break;
    case limit:
        value = duration(text);
        if (value == 0U)
            return SettingValue(*value);
        break;
    case rtr:
        value = parse_rtr(text);
        break;
    case choice:
        if (const auto it = std::ranges::find(words, text); it != words.end())
            value = static_cast<uint32_t>(it - words.begin());
        break;
    case name:
        if (text == no_name)
            return SettingValue(std::string());
        if (text.size() < least || text.size() > most || !std::ranges::all_of(text, in_name))
            return std::nullopt;
        return SettingValue(std::string(text));
    }
    if (!value || *value < least || *value > most)
        return std::nullopt;
    return SettingValue(uint64_t{*value});
}

std::string Setting::word(const SettingValue &given) const {
    if (const auto *text = std::get_if<std::string>(&given))
        return text->empty() ? std::string(no_name) : *text;
    const uint64_t value = std::get<uint64_t>(given);
    switch (shape) {
    case flag:
        return value == 0 ? "off" : value == 1 ? "on" : unknown_word(value);
    case rtr:
        return rtr_word(value);
    case choice:
        return value < words.size() ? std::string(words[value]) : unknown_word(value);
    case milliseconds:
    case limit:
        return fmt::format("{}ms", value);
    case number:
    case octets:
    case name:
        break;
    }
    return std::to_string(value);
}

std::vector<std::string> Setting::choices() const {
    std::vector<std::string> list;

    // A longer list of numbers helps nobody.
    constexpr uint64_t longest = 16;

    if (shape == flag || shape == rtr || shape == choice ||
        (shape == number && most - least < longest))
        for (uint64_t value = least; value <= most; value++)
            list.push_back(word(value));
    if (shape == name)
        list.emplace_back(no_name);
    return list;
}

std::string Setting::values() const {
    switch (shape) {
    case milliseconds:
        return fmt::format("a time of {} to {}ms", least, most);
    case octets:
        return fmt::format("0 or {} to {} octets", least, most);
    case limit:
        return fmt::format("0 or a time of {} to {}ms", least, most);
    case rtr:
        return fmt::format("some of {}, joined by +", word(uint64_t{most}));
    case name:
        return fmt::format("{} or a name of {} to {} letters, digits, '.', '_' and '-'", no_name,
                           least, most);
    case choice:
        return fmt::format("{}", fmt::join(words, ", "));
    case flag:
    case number:
        break;
    }
    return fmt::format("{} {} {}", word(uint64_t{least}), most - least > 1 ? "to" : "or",
                       word(uint64_t{most}));
}

std::span<const Setting> settings() {
    return table;
}

const Setting *find_setting(uint64_t attribute) {
    const auto *it = std::ranges::find(table, attribute, &Setting::attribute);
    return it == table.end() ? nullptr : it;
}

} // namespace xiw
