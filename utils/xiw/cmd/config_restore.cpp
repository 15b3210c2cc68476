// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The whole file is checked before the first change. Each device changes as a whole or not at all.
#include "cmd/config.hpp"
#include "cmd/lines.hpp"
#include "cmd/session.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace xiw::cmd {

namespace {

struct Wanted {
    std::string device;
    std::string place; // position of the line that named it first
    Changes changes;
};

struct Saved {
    std::vector<Wanted> devices;
    std::string netdev; // from a file of links.d
};

Wanted &of(std::vector<Wanted> &list, const std::string &device, const std::string &place) {
    const auto it = std::ranges::find(list, device, &Wanted::device);
    if (it != list.end())
        return *it;
    return list.emplace_back(Wanted{device, place, {}});
}

void take_command(Saved &saved, const Line &line) {
    const auto &words = line.words;
    if (words.size() < 4 || words[0] != "config" || words[1] != "set")
        throw Error(Exit::usage, "expected: config set DEVICE KEY=VALUE...",
                    "use xiw batch for other commands, and --link for a file of /etc/xiw/links.d");
    Wanted &wanted = of(saved.devices, words[2], line.place);
    for (size_t i = 3; i < words.size(); i++)
        add_change(wanted.changes, words[i]);
}

// Parse like xiw-link, which ignores blanks within a line.
void take_assignment(Saved &saved, const Line &line, const std::string &device) {
    std::string text;
    for (const std::string &word : line.words)
        text += word;
    if (!text.starts_with("netdev=")) {
        add_change(of(saved.devices, device, line.place).changes, text);
        return;
    }
    if (!saved.netdev.empty())
        throw Error(Exit::usage, "netdev is given twice");
    saved.netdev = text.substr(text.find('=') + 1);
}

Saved parse(Environment &env, const Options &options) {
    Lines lines(env, options.file);
    Saved saved;
    while (const auto line = lines.next()) {
        try {
            if (options.device.empty())
                take_command(saved, *line);
            else
                take_assignment(saved, *line, options.device);
        } catch (const Error &error) {
            throw Error(error.exit(), line->place + error.what(), error.hint());
        }
    }
    if (saved.devices.empty())
        throw Error(Exit::usage, fmt::format("{} has no settings", lines.name()));
    return saved;
}

// One device and its changes.
struct Step {
    DeviceRef device;
    Changes changes;
};

Step plan(const Wanted &wanted, const std::vector<ConfigSet> &now) {
    const auto set = std::ranges::find_if(
        now, [&wanted](const ConfigSet &one) { return one.device.name == wanted.device; });
    if (set == now.end())
        throw Error(Exit::failed, fmt::format("{}no xiw device \"{}\" in this network namespace",
                                              wanted.place, wanted.device));
    Step step{.device = set->device, .changes = {}};
    for (const Change &change : wanted.changes) {
        const auto value =
            std::ranges::find(set->settings, uint64_t{change.setting->attribute}, &Numbered::id);
        if (value == set->settings.end())
            throw Error(Exit::failed,
                        fmt::format("the loaded module has no setting {}", change.setting->key),
                        "load the module with the version of this tool: xiw --version");
        if (value->value != change.value)
            step.changes.push_back(change);
    }
    return step;
}

// The kernel applies the settings of one device as a whole or not at all.
void carry_out(nl::Client &client, const Step &step) {
    if (step.changes.empty())
        return;
    try {
        change_config(client, step.device, step.changes);
    } catch (const Error &error) {
        throw Error(
            error.exit(),
            fmt::format("{}: {}; its settings are unchanged", step.device.name, error.what()),
            error.hint());
    }
}

} // namespace

void config_restore_options(CLI::App &app, Options &options) {
    app.add_option("FILE", options.file, "output of config save; - for standard input")->required();
    app.add_option("-l,--link", options.device, "FILE is from /etc/xiw/links.d, for this device")
        ->type_name("DEVICE");
}

void config_restore(Environment &env, const Options &options) {
    const Saved saved = parse(env, options);
    Session session(env, options);
    const std::vector<ConfigSet> &now = session.collect().config();
    if (!saved.netdev.empty())
        for (const Device &device : session.collect().devices())
            if (device.ifname != saved.netdev)
                throw Error(Exit::failed,
                            fmt::format("{} is on {}, not on {}", device.ref.name,
                                        device.ifname.empty() ? "no interface" : device.ifname,
                                        saved.netdev));
    std::vector<Step> steps;
    steps.reserve(saved.devices.size());
    for (const Wanted &wanted : saved.devices)
        steps.push_back(plan(wanted, now));
    for (const Step &step : steps)
        carry_out(session.client(), step);
}

} // namespace xiw::cmd
