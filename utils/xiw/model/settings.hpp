// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SETTINGS_HPP
#define XIW_MODEL_SETTINGS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xiw {

// One thing that can be configured on a device.
struct Setting {
    enum class Shape { flag, number, rtr, milliseconds, octets, limit };

    uint16_t attribute;
    std::string_view key;
    Shape shape;
    uint32_t least; // octets and limits, which are times, may be 0 as well
    uint32_t most;
    std::string_view help;

    // As a number for the kernel; nothing if the text is no value of this
    // setting. Milliseconds may carry the unit ms or s.
    std::optional<uint32_t> parse(std::string_view text) const;
    std::string word(uint64_t value) const;
    // The values that parse() takes, in words for messages, and as a list
    // where they are few.
    std::string values() const;
    std::vector<std::string> choices() const;
};

std::span<const Setting> settings();
const Setting *find_setting(std::string_view key);
const Setting *find_setting(uint64_t attribute);

} // namespace xiw

#endif
