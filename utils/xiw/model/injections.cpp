// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/injections.hpp"

#include "model/names.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <linux/xiw.h>

namespace xiw {

namespace {

using enum Setting::Shape;

constexpr InjectionKind kind(uint8_t id, std::string_view passes, std::string_view help,
                             uint16_t needs = 0, uint16_t takes = 0) {
    return {id, names::inject[id], passes, help, needs, takes};
}

constexpr auto kinds = std::to_array<InjectionKind>({
    kind(XIW_NL_INJECT_DROP, "FPDU sent", "it is omitted"),
    kind(XIW_NL_INJECT_DUPLICATE, "FPDU sent", "its octets are sent twice"),
    kind(XIW_NL_INJECT_CRC, "FPDU sent that has a CRC", "a bit of the CRC is flipped"),
    kind(XIW_NL_INJECT_RESET, "FPDU sent", "TCP is reset before it, or within it", 0,
         XIW_A_INJECT_OCTETS),
    kind(XIW_NL_INJECT_DELAY, "response sent", "it and all later responses are delayed",
         XIW_A_INJECT_TIME),
    kind(XIW_NL_INJECT_STALL, "message sent", "it and all later messages are delayed",
         XIW_A_INJECT_TIME),
    kind(XIW_NL_INJECT_REFUSE_ATOMIC, "Atomic Request received",
         "refused by a Terminate, as without atomics"),
});
static_assert(kinds.size() == XIW_NL_INJECT_MAX + 1);

constexpr uint32_t most = std::numeric_limits<uint32_t>::max();

constexpr auto arguments = std::to_array<Setting>({
    {XIW_A_INJECT_AT, "at", number, 1, most, "number of the first occasion with an error: 1"},
    {XIW_A_INJECT_EVERY, "every", number, 1, most, "occasions from one error to the next: 1"},
    {XIW_A_INJECT_COUNT, "count", number, 0, most, "maximum number of errors, 0 for no limit: 1"},
    {XIW_A_INJECT_TIME, "time", milliseconds, 1, XIW_NL_TIME_MAX, "time of the delay"},
    {XIW_A_INJECT_OCTETS, "octets", number, 0, most, "octets to send before the reset: 0"},
});

} // namespace

std::span<const InjectionKind> injection_kinds() {
    return kinds;
}

const InjectionKind *find_injection_kind(std::string_view name) {
    const auto *it = std::ranges::find(kinds, name, &InjectionKind::name);
    return it == kinds.end() ? nullptr : it;
}

std::span<const Setting> injection_arguments() {
    return arguments;
}

const Setting *find_injection_argument(uint64_t attribute) {
    const auto *it = std::ranges::find(arguments, attribute, &Setting::attribute);
    return it == arguments.end() ? nullptr : it;
}

bool fits(const InjectionKind &kind, const Setting &argument) {
    const bool special = std::ranges::any_of(kinds, [&argument](const InjectionKind &one) {
        return one.needs == argument.attribute || one.takes == argument.attribute;
    });
    return !special || kind.needs == argument.attribute || kind.takes == argument.attribute;
}

} // namespace xiw
