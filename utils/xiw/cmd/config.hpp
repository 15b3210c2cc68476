// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_CONFIG_HPP
#define XIW_CMD_CONFIG_HPP

#include "cmd/command.hpp"
#include "model/settings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xiw::cmd {

struct Change {
    const Setting *setting;
    SettingValue value;
};
using Changes = std::vector<Change>;

// The valid keys of assignments, and words for error messages.
struct Keys {
    std::span<const Setting> table;
    const char *noun;
    const char *help;
};

// Add "KEY=VALUE" to the changes. Throws Error if it is invalid or repeats a setting.
void add_change(Changes &changes, const std::string &text, const Keys &keys);
void add_change(Changes &changes, const std::string &text); // the keys are those of settings()

// Complete the value of an option as KEY=VALUE, with the keys and values of the table.
void complete_changes(Syntax &syntax, const CLI::Option *option, std::span<const Setting> table);

} // namespace xiw::cmd

#endif
