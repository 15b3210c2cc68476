// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Error injection: list, arm and disarm injections.
#include "cmd/config.hpp"
#include "cmd/session.hpp"
#include "model/injections.hpp"
#include "render/render.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::cmd {

namespace {

std::string kind_names() {
    std::string list;
    for (const InjectionKind &kind : injection_kinds())
        list += fmt::format("{}{}", list.empty() ? "" : ", ", kind.name);
    return list;
}

// Format the table of kinds for the help.
std::string kinds_help() {
    std::string text = "KIND, its occasions, and the effect of the error:\n";
    for (const InjectionKind &kind : injection_kinds())
        text += fmt::format("  {:14} {}: {}\n", kind.name, kind.passes, kind.help);
    text += "KEY, meaning and default:\n";
    for (const Setting &argument : injection_arguments()) {
        text += fmt::format("  {:14} {}", argument.key, argument.help);
        std::string of;
        for (const InjectionKind &kind : injection_kinds())
            if (kind.needs == argument.attribute || kind.takes == argument.attribute)
                of += fmt::format("{}{}", of.empty() ? "; of " : " and ", kind.name);
        text += of + "\n";
    }
    return text;
}

const InjectionKind &kind_of(const std::string &name) {
    const InjectionKind *kind = find_injection_kind(name);
    if (kind == nullptr)
        throw Error(Exit::usage, fmt::format("no injection \"{}\"", name),
                    "valid: " + kind_names());
    return *kind;
}

Changes arguments_of(const InjectionKind &kind, const std::vector<std::string> &texts) {
    Changes list;
    for (const std::string &text : texts) {
        add_change(list, text, {injection_arguments(), "argument", "xiw inject set --help"});
        if (!fits(kind, *list.back().setting))
            throw Error(Exit::usage,
                        fmt::format("{} has no argument {}", kind.name, list.back().setting->key));
    }
    const auto given = [&list](uint16_t attribute) {
        return std::ranges::any_of(
            list, [attribute](const Change &one) { return one.setting->attribute == attribute; });
    };
    if (kind.needs != 0 && !given(kind.needs)) {
        const Setting &argument = *find_injection_argument(uint64_t{kind.needs});
        throw Error(Exit::usage,
                    fmt::format("{} needs {}=, {}", kind.name, argument.key, argument.values()));
    }
    return list;
}

// Throw an error that names the refused argument, if the kernel reports which argument that is.
void refused_argument(const nl::Refused &error, const nl::Request &request) {
    if (const auto &ack = error.ack(); ack.offset)
        if (const auto attribute = request.attribute_at(*ack.offset))
            if (const Setting *argument = find_injection_argument(uint64_t{*attribute}))
                throw Error(error.exit(), fmt::format("{}: {}", argument->key, error.what()));
}

struct ClearInjection {
    std::string device;
    std::optional<uint32_t> qpn;
};

struct SetInjection : ClearInjection {
    std::string kind;
    std::vector<std::string> assignments;
};

void add_set(Syntax &syntax, SetInjection &options) {
    CLI::App &app = syntax.app;
    syntax.device(options.device, "device that injects the error")->required();
    syntax.complete(app.add_option("KIND", options.kind, "kind of the injection")->required(),
                    [](const Environment &, std::string_view) {
                        Words words;
                        for (const InjectionKind &kind : injection_kinds())
                            words.push_back({std::string(kind.name),
                                             fmt::format("{}: {}", kind.passes, kind.help)});
                        return words;
                    });
    complete_changes(
        syntax,
        app.add_option("ARGUMENT", options.assignments, "at which occasions, how often, how")
            ->type_name("KEY=VALUE"),
        injection_arguments());
    app.add_option("-q,--qp", options.qpn, "only for this QP, not for all QPs together");
    app.footer(kinds_help());
}

void add_clear(Syntax &syntax, ClearInjection &options) {
    syntax.device(options.device, "device whose injections to disarm")->required();
    syntax.app.add_option("-q,--qp", options.qpn, "only injections armed for this QP");
}

void show_injections(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().injections();
    session.print(render::injections);
}

// Check all values before the request is sent, so that a typing error arms nothing.
void set(Environment &env, const Format &format, const SetInjection &options) {
    const InjectionKind &kind = kind_of(options.kind);
    const Changes arguments = arguments_of(kind, options.assignments);
    Session session(env, format, options.device);
    session.client().change(
        XIW_CMD_INJECT_SET,
        [&](nl::Request &request) {
            request.number(XIW_A_INJECT_DEV_INDEX, static_cast<uint32_t>(session.device().index));
            request.number(XIW_A_INJECT_KIND, kind.id);
            if (options.qpn)
                request.number(XIW_A_INJECT_QPN, *options.qpn);
            for (const Change &argument : arguments)
                request.number(argument.setting->attribute,
                               static_cast<uint32_t>(std::get<uint64_t>(argument.value)));
        },
        refused_argument);
}

void clear(Environment &env, const Format &format, const ClearInjection &options) {
    Session session(env, format, options.device);
    session.client().change(
        XIW_CMD_INJECT_CLEAR,
        [&](nl::Request &request) {
            request.number(XIW_A_INJECT_DEV_INDEX, static_cast<uint32_t>(session.device().index));
            if (options.qpn)
                request.number(XIW_A_INJECT_QPN, *options.qpn);
        },
        refused_argument);
}

// Without a subcommand, `inject` has no options, and lists the injections of all devices.
void add_nothing(Syntax &, Selection &) {}

constexpr Command commands_of_inject[] = {
    {"show", "list injections and the number of injected errors (the default)",
     with_options<Selection, add_device, show_injections>},
    {"set", "arm an injection: inject set xiw0 drop at=5",
     with_options<SetInjection, add_set, set>},
    {"clear", "disarm injections", with_options<ClearInjection, add_clear, clear>},
};

} // namespace

constinit const Command inject_command = {
    "inject", "error injection, if the module was built with it",
    with_options<Selection, add_nothing, show_injections>, commands_of_inject};

} // namespace xiw::cmd
