// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SETTINGS_HPP
#define XIW_MODEL_SETTINGS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace xiw {

// The value of a setting: a name if the shape is `name`, otherwise a number.
using SettingValue = std::variant<uint64_t, std::string>;

// A setting of a device.
struct Setting {
    enum class Shape { flag, number, rtr, milliseconds, octets, limit, name, choice };

    uint16_t attribute;
    std::string_view key;
    Shape shape;
    uint32_t least; // least number, or least length of a name; some settings also allow 0
    uint32_t most;
    std::string_view help;
    std::span<const std::string_view> words = {}; // the values, if the shape is `choice`

    // Parse a value for the kernel; empty if it is invalid. A time may have the unit ms or s.
    std::optional<SettingValue> parse(std::string_view text) const;
    std::string word(const SettingValue &value) const;
    // values() describes the valid values, for messages. choices() lists values for completion; the
    // list is empty for times and octets.
    std::string values() const;
    std::vector<std::string> choices() const;
};

std::span<const Setting> settings();
const Setting *find_setting(uint64_t attribute);

} // namespace xiw

#endif
