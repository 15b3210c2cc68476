// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Completion for shells: the scripts in utils/completion call "xiw __complete WORD...". The
// candidates come from the options that each command has added.
#include "cmd/command.hpp"
#include "cmd/session.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

extern const char *const xiw_completion_bash;
extern const char *const xiw_completion_zsh;

namespace xiw::cmd {

namespace {

// Get the names of the devices. If the driver does not answer, return no names, and print no
// message.
Words devices(const Environment &env, std::string_view) {
    Words list;
    try {
        const auto transport = env.connect();
        nl::Client client(*transport);
        Collector collector(client, env.ifname);
        for (const Device &device : collector.devices())
            list.push_back({device.ref.name, device.ifname});
    } catch (const std::exception &) {
        list.clear();
    }
    return list;
}

void add_names(Words &list, const CLI::App &app) {
    for (const CLI::Option *option : app.get_options()) {
        for (const std::string &name : option->get_snames())
            list.push_back({"-" + name, option->get_description()});
        for (const std::string &name : option->get_lnames())
            list.push_back({"--" + name, option->get_description()});
    }
}

const CLI::App *find_command(const CLI::App &app, std::string_view name) {
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
        if (sub->get_name() == name)
            return sub;
    return nullptr;
}

// Find the option `name` of a command. If the command has no such option, search its parent
// commands, up to the tool.
const CLI::Option *find_option(const CLI::App *app, const std::string &name) {
    const CLI::Option *option = nullptr;
    for (; app != nullptr && option == nullptr; app = app->get_parent())
        option = app->get_option_no_throw(name);
    return option;
}

bool takes_value(const CLI::Option *option) {
    return option != nullptr && option->get_items_expected_max() > 0;
}

// Get the positional argument that takes the positional word with the index `number`. The first
// positional word has the index 0.
const CLI::Option *argument(const CLI::App &app, size_t number) {
    for (const CLI::Option *option : app.get_options()) {
        if (!option->get_positional())
            continue;
        if (number == 0 || option->get_items_expected_max() > 1)
            return option;
        number--;
    }
    return nullptr;
}

// The place of the word to complete: the command to which the word belongs, and the option that
// takes the word as its value.
struct Place {
    const CLI::App *app;
    const CLI::Option *option = nullptr; // null: the word is not the value of an option
    size_t arguments = 0;
};

Place place_of(const CLI::App &app, std::span<const char *const> words) {
    Place place{&app};
    for (const std::string word : words) {
        if (place.option != nullptr) {
            place.option = nullptr;
        } else if (word.size() > 1 && word.starts_with('-')) {
            const CLI::Option *option = find_option(place.app, word);
            place.option = takes_value(option) ? option : nullptr;
        } else if (const CLI::App *sub = find_command(*place.app, word);
                   sub != nullptr && place.arguments == 0) {
            place.app = sub;
        } else {
            place.arguments++;
        }
    }
    return place;
}

Words offers(const Environment &env, const Parser &parser, const Place &place,
             const std::string &typed) {
    Words list;
    const CLI::Option *option = place.option;
    if (option == nullptr && typed.starts_with('-')) {
        for (const CLI::App *app = place.app; app != nullptr; app = app->get_parent())
            add_names(list, *app);
        return list;
    }
    if (option == nullptr) {
        if (place.arguments == 0)
            for (const CLI::App *sub :
                 place.app->get_subcommands([](const CLI::App *) { return true; }))
                list.push_back({sub->get_name(), sub->get_description()});
        option = argument(*place.app, place.arguments);
    }
    if (const auto it = parser.completers().find(option); it != parser.completers().end())
        for (Word &word : it->second(env, typed))
            list.push_back(std::move(word));
    return list;
}

struct Shell {
    const char *name;
    const char *const *script;
};
constexpr Shell shells[] = {{"bash", &xiw_completion_bash}, {"zsh", &xiw_completion_zsh}};

struct CompletionOptions {
    std::string shell = "bash";
};

void add(Syntax &syntax, CompletionOptions &options) {
    std::vector<std::string> names;
    for (const Shell &shell : shells)
        names.emplace_back(shell.name);
    syntax.complete_words(
        syntax.app.add_option("SHELL", options.shell, "bash or zsh")->capture_default_str(), names);
}

void execute(Environment &env, const Format &, const CompletionOptions &options) {
    const auto *shell = std::ranges::find_if(
        shells, [&options](const Shell &row) { return options.shell == row.name; });
    if (shell == std::end(shells))
        throw Error(Exit::usage, fmt::format("no completion for \"{}\"", options.shell),
                    "valid: bash zsh");
    env.out << *shell->script;
}

} // namespace

void Syntax::complete_files(const CLI::Option *option) {
    complete(option, [](const Environment &, std::string_view) { return Words{{file_names}}; });
}

void Syntax::complete_words(const CLI::Option *option, const std::vector<std::string> &words) {
    complete(option, [words](const Environment &, std::string_view) {
        Words list;
        for (const std::string &word : words)
            list.push_back({word});
        return list;
    });
}

CLI::Option *Syntax::device(std::string &name, const char *help, const char *option) {
    CLI::Option *added = app.add_option(option, name, help);
    complete(added, devices);
    return added;
}

void complete(Environment &env, std::span<const char *const> words) {
    Parser parser;
    const std::string typed = words.empty() ? "" : words.back();
    const Place place =
        place_of(parser.app(), words.empty() ? words : words.first(words.size() - 1));
    std::set<std::string> seen;
    for (const Word &word : offers(env, parser, place, typed))
        if ((word.text == file_names || word.text.starts_with(typed)) &&
            seen.insert(word.text).second)
            fmt::print(env.out, "{}\t{}\n", word.text, word.help.substr(0, word.help.find('\n')));
}

constinit const Command completion_command = {"completion",
                                              "print the completion script for bash or zsh",
                                              with_options<CompletionOptions, add, execute>};

} // namespace xiw::cmd
