// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Save all settings, including those that have defaults: a default may change with the version
// of the module, a saved setting does not.
#include "cmd/config.hpp"
#include "cmd/lines.hpp"
#include "cmd/session.hpp"
#include "util.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace xiw::cmd {

namespace {

[[noreturn]] void cannot_write(const std::string &file) {
    throw Error(Exit::failed,
                fmt::format("cannot write {}: {}", file, std::generic_category().message(errno)));
}

// Replace a file only when the new one is complete: readers never see half of it, and the old
// contents remain if this fails.
void replace(const std::string &name, std::string_view text) {
    struct stat was{};
    const bool there = stat(name.c_str(), &was) == 0;
    if (there && !S_ISREG(was.st_mode)) {
        const Descriptor fd(open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (fd.get() < 0 || !write_all(fd.get(), text))
            cannot_write(name);
        return;
    }
    // Follow a symbolic link, which remains.
    std::error_code ignored;
    const std::filesystem::path real =
        there ? std::filesystem::canonical(name, ignored) : std::filesystem::path(name);
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

// "crc=on", each with the given text before and after it.
std::string assignments(const ConfigSet &set, std::string_view before, std::string_view behind) {
    std::string list;
    for (const Numbered &value : set.settings) {
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
    return fmt::format("# Written by xiw config save, version {}: "
                       "/etc/xiw/links.d/{}.conf\nnetdev={}\n{}",
                       version, device.ref.name, device.ifname, assignments(set, "", "\n"));
}

} // namespace

void config_save_options(CLI::App &app, Options &options) {
    app.add_option("FILE", options.file, "file to write; standard output if missing or -");
    app.add_option("-l,--link", options.device, "save this device as a file for /etc/xiw/links.d")
        ->type_name("DEVICE");
}

void config_save(Environment &env, const Options &options) {
    if (options.json || options.tsv)
        throw Error(Exit::usage, "config save does not support --json and --tsv",
                    "xiw config show prints JSON and TSV");
    Session session(env, options);
    const std::vector<ConfigSet> &config = session.collect().config();
    std::vector<Device> linked;
    if (!options.device.empty())
        linked = session.collect().devices();
    // Do not replace saved settings by an empty file.
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

} // namespace xiw::cmd
