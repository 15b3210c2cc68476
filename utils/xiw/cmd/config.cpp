// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/config.hpp"
#include "cmd/session.hpp"
#include "render/render.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::cmd {

namespace {

std::string names(const Keys &keys) {
    std::string list;
    for (const Setting &setting : keys.table)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", setting.key);
    return list;
}

Change parse_assignment(const std::string &text, const Keys &keys) {
    const size_t equal = text.find('=');
    if (equal == std::string::npos)
        throw Error(Exit::usage, fmt::format("\"{}\" does not have the form KEY=VALUE", text),
                    fmt::format("see {}", keys.help));

    const std::string key = text.substr(0, equal);
    const auto setting = std::ranges::find(keys.table, key, &Setting::key);
    if (setting == keys.table.end())
        throw Error(Exit::usage, fmt::format("no {} \"{}\"", keys.noun, key),
                    fmt::format("valid: {}", names(keys)));

    const std::string value = text.substr(equal + 1);
    const auto number = setting->parse(value);
    if (!number)
        throw Error(Exit::usage,
                    fmt::format("{} must be {}, not \"{}\"", key, setting->values(), value));
    return {&*setting, *number};
}

void put(nl::Request &request, const Change &change) {
    switch (change.setting->shape) {
    case Setting::Shape::milliseconds:
    case Setting::Shape::octets:
    case Setting::Shape::limit:
        request.number(change.setting->attribute, change.value);
        break;
    case Setting::Shape::flag:
    case Setting::Shape::number:
    case Setting::Shape::rtr:
        request.number(change.setting->attribute, static_cast<uint8_t>(change.value));
        break;
    }
}

// Name the setting that the kernel refuses, if the kernel reports it.
void refused(const nl::Refused &error, const nl::Request &request) {
    const auto &ack = error.ack();
    if (ack.offset)
        if (const auto attribute = request.attribute_at(*ack.offset))
            if (const Setting *setting = find_setting(uint64_t{*attribute}))
                throw Error(error.exit(), fmt::format("{}: {}", setting->key, error.what()),
                            ack.most ? fmt::format("it must be {}", setting->values()) : "");
}

} // namespace

void config_show(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().config();
    session.print(render::config);
}

void add_change(Changes &changes, const std::string &text, const Keys &keys) {
    const Change change = parse_assignment(text, keys);
    if (std::ranges::find(changes, change.setting, &Change::setting) != changes.end())
        throw Error(Exit::usage, fmt::format("{} is given twice", change.setting->key));
    changes.push_back(change);
}

void add_change(Changes &changes, const std::string &text) {
    add_change(changes, text, {settings(), "setting", "xiw config set --help"});
}

void change_config(nl::Client &client, const DeviceRef &device, const Changes &changes) {
    client.change(
        XIW_CMD_CONFIG_SET,
        [&](nl::Request &request) {
            request.number(XIW_A_CONFIG_DEV_INDEX, static_cast<uint32_t>(device.index));
            for (const Change &change : changes)
                put(request, change);
        },
        refused);
}

// Check everything before sending the request: a typing error changes nothing.
void config_set(Environment &env, const Options &options) {
    Changes changes;
    for (const std::string &text : options.assignments)
        add_change(changes, text);
    Session session(env, options);
    change_config(session.client(), session.device(), changes);
}

} // namespace xiw::cmd
