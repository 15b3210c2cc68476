// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The configuration of devices: show, change, save and restore.
#include "cmd/config.hpp"
#include "cmd/lines.hpp"
#include "cmd/session.hpp"
#include "render/render.hpp"
#include "util.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
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
    auto parsed = setting->parse(value);
    if (!parsed)
        throw Error(Exit::usage,
                    fmt::format("{} must be {}, not \"{}\"", key, setting->values(), value));
    return {&*setting, std::move(*parsed)};
}

void put(nl::Request &request, const Change &change) {
    const uint16_t attribute = change.setting->attribute;
    switch (change.setting->shape) {
    case Setting::Shape::milliseconds:
    case Setting::Shape::octets:
    case Setting::Shape::limit:
        request.number(attribute, static_cast<uint32_t>(std::get<uint64_t>(change.value)));
        break;
    case Setting::Shape::flag:
    case Setting::Shape::number:
    case Setting::Shape::rtr:
    case Setting::Shape::choice:
        request.number(attribute, static_cast<uint8_t>(std::get<uint64_t>(change.value)));
        break;
    case Setting::Shape::name:
        request.text(attribute, std::get<std::string>(change.value));
        break;
    }
}

// Throw an error that names the refused setting, if the kernel reports which setting that is.
void refused_setting(const nl::Refused &error, const nl::Request &request) {
    const auto &ack = error.ack();
    if (ack.offset)
        if (const auto attribute = request.attribute_at(*ack.offset))
            if (const Setting *setting = find_setting(uint64_t{*attribute}))
                throw Error(error.exit(), fmt::format("{}: {}", setting->key, error.what()),
                            ack.most ? fmt::format("it must be {}", setting->values()) : "");
}

} // namespace

void add_change(Changes &changes, const std::string &text, const Keys &keys) {
    const Change change = parse_assignment(text, keys);
    if (std::ranges::find(changes, change.setting, &Change::setting) != changes.end())
        throw Error(Exit::usage, fmt::format("{} is given twice", change.setting->key));
    changes.push_back(change);
}

void add_change(Changes &changes, const std::string &text) {
    add_change(changes, text, {settings(), "setting", "xiw config set --help"});
}

void complete_changes(Syntax &syntax, const CLI::Option *option, std::span<const Setting> table) {
    syntax.complete(option, [table](const Environment &, std::string_view typed) {
        const size_t equal = typed.find('=');
        Words words;
        for (const Setting &setting : table) {
            const std::string key = std::string(setting.key) + "=";
            if (equal == std::string_view::npos)
                words.push_back({key, std::string(setting.help)});
            else if (typed.starts_with(key))
                for (const std::string &value : setting.choices())
                    words.push_back({key + value});
        }
        return words;
    });
}

namespace {

void show_config(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().config();
    session.print(render::config);
}

struct SetConfig {
    std::string device;
    std::vector<std::string> assignments;
};

void add_set(Syntax &syntax, SetConfig &options) {
    syntax.device(options.device, "the device to change")->required();
    complete_changes(syntax,
                     syntax.app
                         .add_option("CHANGE", options.assignments,
                                     "settings to change; all or none are applied")
                         ->required()
                         ->type_name("KEY=VALUE"),
                     settings());
}

// Apply all changes or, on an error, none.
void change_config(nl::Client &client, const DeviceRef &device, const Changes &changes) {
    client.change(
        XIW_CMD_CONFIG_SET,
        [&](nl::Request &request) {
            request.number(XIW_A_CONFIG_DEV_INDEX, static_cast<uint32_t>(device.index));
            for (const Change &change : changes)
                put(request, change);
        },
        refused_setting);
}

// Check all values before the request is sent, so that a typing error changes nothing.
void set(Environment &env, const Format &format, const SetConfig &options) {
    Changes changes;
    for (const std::string &text : options.assignments)
        add_change(changes, text);
    Session session(env, format, options.device);
    change_config(session.client(), session.device(), changes);
}

[[noreturn]] void cannot_write(const std::string &file) {
    throw Error(Exit::failed,
                fmt::format("cannot write {}: {}", file, std::generic_category().message(errno)));
}

// Follow symbolic links to a file that does not exist. stat() has failed with ENOENT before, so the
// kernel permits the user to follow these links. Follow at most as many links as the kernel does.
std::filesystem::path missing_target(const std::string &name) {
    constexpr int most = 40;
    std::filesystem::path file = name;
    for (int links = 0; links <= most; links++) {
        std::error_code no_link;
        const std::filesystem::path next = std::filesystem::read_symlink(file, no_link);
        if (no_link)
            return file;
        file = file.parent_path() / next;
    }
    errno = ELOOP;
    cannot_write(name);
}

// Replace a regular file only when the new file is complete. So readers never see a part of a file,
// and the old contents remain if the new file cannot be written. Write directly to anything else,
// such as a pipe.
void replace(const std::string &name, std::string_view text) {
    struct stat was{};
    const bool there = ::stat(name.c_str(), &was) == 0;
    if (!there && errno != ENOENT)
        cannot_write(name);
    if (there && !S_ISREG(was.st_mode)) {
        const Descriptor fd(open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (fd.get() < 0 || !write_all(fd.get(), text))
            cannot_write(name);
        return;
    }
    // Replace the target of a symbolic link, not the link.
    std::error_code ignored;
    const std::filesystem::path real =
        there ? std::filesystem::canonical(name, ignored) : missing_target(name);
    const std::string fresh = fmt::format("{}.{}.new", real.string(), getpid());
    const Descriptor fd(
        open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (fd.get() < 0)
        cannot_write(name);
    if ((there && fchmod(fd.get(), was.st_mode & 07777) < 0) || !write_all(fd.get(), text) ||
        fsync(fd.get()) < 0 || rename(fresh.c_str(), real.c_str()) < 0) {
        const int why = errno;
        unlink(fresh.c_str());
        errno = why;
        cannot_write(name);
    }
}

// Format settings as "crc=on", each with the given text before and after it.
std::string assignments(const ConfigSet &set, std::string_view before, std::string_view behind) {
    std::string list;
    for (const Configured &value : set.settings) {
        const Setting *setting = find_setting(value.id);
        if (setting == nullptr)
            continue;
        const std::string word = setting->word(value.value);
        if (setting->parse(word) != value.value)
            throw Error(Exit::failed,
                        fmt::format("{} of {} is {}, which this version of xiw cannot restore",
                                    setting->key, set.device.name, word));
        list += fmt::format("{}{}={}{}", before, setting->key, word, behind);
    }
    return list;
}

std::string as_commands(const std::vector<ConfigSet> &config) {
    std::string text = fmt::format("# Written by xiw config save, version {}. For xiw config "
                                   "restore; xiw batch takes it too.\n",
                                   version);
    for (const ConfigSet &set : config)
        text +=
            fmt::format("config set {}{}\n", quoted(set.device.name), assignments(set, " ", ""));
    return text;
}

std::string as_link(const Device &device, const ConfigSet &set) {
    if (device.ifname.empty())
        throw Error(Exit::failed, fmt::format("{} has no network interface", device.ref.name));
    // Linux accepts "#" in the name of an interface. In the file, "#" begins a comment.
    const std::string netdev = "netdev=" + device.ifname;
    if (!is_assignment(netdev))
        throw Error(Exit::failed,
                    fmt::format("a file of links.d does not support the interface name \"{}\"",
                                device.ifname),
                    "rename the interface: ip link set OLD name NEW");
    return fmt::format("# Written by xiw config save, version {}: "
                       "/etc/xiw/links.d/{}.conf\n{}\n{}",
                       version, device.ref.name, netdev, assignments(set, "", "\n"));
}

// The options of save and restore.
struct Stored {
    std::string file;
    std::string device; // the device, if the file is one of links.d; otherwise empty
};

void add_save(Syntax &syntax, Stored &options) {
    syntax.complete_files(syntax.app.add_option("FILE", options.file,
                                                "file to write; standard output if missing or -"));
    syntax.device(options.device, "save this device as a file for /etc/xiw/links.d", "-l,--link")
        ->type_name("DEVICE");
}

// Save all settings, including those with default values, because a default may change with the
// version of the module.
void save(Environment &env, const Format &format, const Stored &options) {
    if (!format.text())
        throw Error(Exit::usage, "config save does not support --json and --tsv",
                    "xiw config show prints JSON and TSV");
    Session session(env, format, options.device);
    const std::vector<ConfigSet> &config = session.collect().config();
    std::vector<Device> linked;
    if (!options.device.empty())
        linked = session.collect().devices();
    // Do not replace saved settings with an empty file.
    if (config.empty() || (!options.device.empty() && linked.empty()))
        throw Error(Exit::failed, "no xiw device in this network namespace");
    if (!session.collect().report().consistent)
        throw Error(Exit::failed, "devices were added or removed while they were read");

    const std::string text =
        linked.empty() ? as_commands(config) : as_link(linked.front(), config.front());
    if (options.file.empty() || options.file == "-")
        env.out << text;
    else
        replace(options.file, text);
}

struct Wanted {
    std::string device;
    std::string place; // position of the first line that names the device
    Changes changes;
};

struct Saved {
    std::vector<Wanted> devices;
    std::string netdev; // interface from a file of links.d
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

void take_assignment(Saved &saved, const Line &line, const std::string &device) {
    const std::string &text = line.words.front();
    if (!text.starts_with("netdev=")) {
        add_change(of(saved.devices, device, line.place).changes, text);
        return;
    }
    if (!saved.netdev.empty())
        throw Error(Exit::usage, "netdev is given twice");
    saved.netdev = text.substr(text.find('=') + 1);
}

Saved parse(const Environment &env, const Stored &options) {
    Lines lines(env, options.file, options.device.empty() ? words_of : assignment_of);
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
            std::ranges::find(set->settings, uint64_t{change.setting->attribute}, &Configured::id);
        if (value == set->settings.end())
            throw Error(Exit::failed,
                        fmt::format("{} has no setting {}", step.device.name, change.setting->key),
                        "its RNIC does not support it, or the module is older than this tool: xiw "
                        "--version");
        if (value->value != change.value)
            step.changes.push_back(change);
    }
    return step;
}

// Sends the changes of one device. The kernel applies either all of them or none.
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

void add_restore(Syntax &syntax, Stored &options) {
    syntax.complete_files(
        syntax.app.add_option("FILE", options.file, "output of config save; - for standard input")
            ->required());
    syntax.device(options.device, "FILE is from /etc/xiw/links.d, for this device", "-l,--link")
        ->type_name("DEVICE");
}

// Check all values before the first change.
void restore(Environment &env, const Format &format, const Stored &options) {
    const Saved saved = parse(env, options);
    Session session(env, format, options.device);
    const std::vector<ConfigSet> &now = session.collect().config();
    if (!saved.netdev.empty())
        for (const Device &device : session.collect().devices())
            if (device.ifname != saved.netdev && device.ifindex != env.ifindex(saved.netdev))
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

constexpr Command commands_of_config[] = {
    {"show", "show the configuration", with_options<Selection, add_device, show_config>},
    {"set", "change settings: config set xiw0 crc=off park-time=2s",
     with_options<SetConfig, add_set, set>},
    {"save", "save the configuration for restore", with_options<Stored, add_save, save>},
    {"restore", "restore a saved configuration", with_options<Stored, add_restore, restore>},
};

} // namespace

constinit const Command config_command = {"config", "configuration of devices", nullptr,
                                          commands_of_config};

} // namespace xiw::cmd
