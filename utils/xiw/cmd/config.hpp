// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_CONFIG_HPP
#define XIW_CMD_CONFIG_HPP

#include "model/model.hpp"
#include "model/settings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace xiw::nl {
class Client;
}

namespace xiw::cmd {

struct Change {
    const Setting *setting;
    uint32_t value;
};
using Changes = std::vector<Change>;

// What keys there are, what they are called, and where it is written.
struct Keys {
    std::span<const Setting> table;
    const char *noun;
    const char *help;
};

// Adds what "KEY=VALUE" says to those that are there. Throws Error if it says nothing, or
// something of a setting that they have already.
void add_change(Changes &changes, const std::string &text, const Keys &keys);
void add_change(Changes &changes, const std::string &text); // of a configuration

// All of it or, on an error, nothing. Throws Error.
void change_config(nl::Client &client, const DeviceRef &device, const Changes &changes);

} // namespace xiw::cmd

#endif
