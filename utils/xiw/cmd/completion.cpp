// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The files in utils/completion are this output; a test compares them. The contents come from
// the tables of commands, settings and faults.
#include "cmd/command.hpp"
#include "model/faults.hpp"
#include "model/settings.hpp"

#include <algorithm>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::cmd {

namespace {

// A possible next word, and its description.
struct Word {
    std::string text;
    std::string help;
};
using Words = std::vector<Word>;

// What may follow a command. Only one of words, files and devices is used.
struct Follow {
    std::string path; // "config set"
    Words words;      // list of next words
    bool repeated = false;
    bool files = false;
    bool devices = false;
    Words options;
};

Words names(std::span<const Command> rows) {
    Words list;
    for (const Command &row : rows)
        list.push_back({row.name, row.help});
    return list;
}

void add_options(Words &list, const CLI::App &app) {
    for (const CLI::Option *option : app.get_options()) {
        for (const std::string &name : option->get_snames())
            list.push_back({"-" + name, option->get_description()});
        for (const std::string &name : option->get_lnames())
            list.push_back({"--" + name, option->get_description()});
    }
}

Words split(const std::string &text) {
    Words list;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        list.push_back({text.substr(at, end - at), ""});
        at = end + 1;
    }
    return list;
}

// Collect the commands with their options, depth first.
void follow(std::vector<Follow> &list, std::span<const Command> rows, const std::string &before) {
    for (const Command &row : rows) {
        CLI::App app;
        Options unused;
        Follow entry;

        entry.path = before + row.name;
        app.set_help_flag();
        if (row.options != nullptr)
            row.options(app, unused);
        add_options(entry.options, app);
        entry.files = row.files;
        if (!row.sub.empty()) {
            entry.words = names(row.sub);
        } else if (row.words != nullptr) {
            entry.words = split(row.words());
            entry.repeated = true;
        } else {
            entry.devices = row.options != nullptr && !row.files;
        }
        list.push_back(entry);
        follow(list, row.sub, entry.path + " ");
    }
}

std::vector<Follow> all() {
    std::vector<Follow> list;
    follow(list, commands(), "");
    return list;
}

Words tool_options() {
    return {{"-j", "print JSON"},
            {"--json", "print JSON"},
            {"--tsv", "print TSV"},
            {"-h", "print help"},
            {"--help", "print help"},
            {"-V", "print the version"},
            {"--version", "print the version"}};
}

Words keys(std::span<const Setting> table) {
    Words list;
    for (const Setting &setting : table)
        list.push_back({std::string(setting.key) + "=", std::string(setting.help)});
    return list;
}

Words fault_names() {
    Words list;
    for (const FaultKind &kind : fault_kinds())
        list.push_back({std::string(kind.name), fmt::format("{}: {}", kind.passes, kind.help)});
    return list;
}

std::string joined(const Words &words) {
    std::string list;
    for (const Word &word : words)
        list += (list.empty() ? "" : " ") + word.text;
    return list;
}

void bash(std::ostream &out) {
    out << "# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n"
           "# bash completion for xiw(8), printed by: xiw completion bash\n"
           "\n"
           "_xiw()\n"
           "{\n"
           "\tlocal cur=${COMP_WORDS[COMP_CWORD]} word words='' options='' devices='' key='' path\n"
           "\tlocal -a path_words=()\n"
           "\n"
           "\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "\t\t[[ $word == -* ]] || path_words+=(\"$word\")\n"
           "\tdone\n"
           "\tpath=\"${path_words[*]}\"\n"
           "\tfor word in /sys/class/infiniband/xiw*; do\n"
           "\t\t[[ -e $word ]] && devices+=\" ${word##*/}\"\n"
           "\tdone\n"
           "\n"
           "\tcase $path in\n";
    for (const Follow &row : all())
        if (!row.options.empty())
            fmt::print(out, "\t'{0}' | '{0} '*)\n\t\toptions='{1}' ;;\n", row.path,
                       joined(row.options));
    out << "\tesac\n"
           "\tcase $path in\n";
    fmt::print(out, "\t'')\n\t\twords='{}' ;;\n", joined(names(commands())));
    for (const Follow &row : all()) {
        if (row.files)
            fmt::print(out, "\t'{}')\n\t\tcompopt -o default ;;\n", row.path);
        else if (row.devices)
            fmt::print(out, "\t'{}')\n\t\twords=$devices ;;\n", row.path);
        else if (row.repeated)
            fmt::print(out, "\t'{0}' | '{0} '*)\n\t\twords='{1}' ;;\n", row.path,
                       joined(row.words));
        else if (!row.words.empty())
            fmt::print(out, "\t'{}')\n\t\twords='{}' ;;\n", row.path, joined(row.words));
    }
    fmt::print(out,
               "\t'config set '*)\n\t\twords='{}'\n\t\tcompopt -o nospace ;;\n"
               "\t'fault set '*' '*)\n\t\twords='{}'\n\t\tcompopt -o nospace ;;\n"
               "\t'fault set '*)\n\t\twords='{}' ;;\n"
               "\tesac\n"
               "\tif [[ $cur == -* ]]; then\n"
               "\t\twords=\"$options {}\"\n"
               "\tfi\n",
               joined(keys(settings())), joined(keys(fault_arguments())), joined(fault_names()),
               joined(tool_options()));
    out << "\n"
           "\t# The shell takes KEY=VALUE apart at the equal sign.\n"
           "\tif [[ $cur == = ]]; then\n"
           "\t\tkey=${COMP_WORDS[COMP_CWORD-1]} cur=''\n"
           "\telif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
           "\t\tkey=${COMP_WORDS[COMP_CWORD-2]}\n"
           "\tfi\n"
           "\tif [[ $key ]]; then\n"
           "\t\twords=''\n"
           "\tfi\n"
           "\tcase $key in\n";
    for (const Setting &setting : settings())
        if (const auto choices = setting.choices(); !choices.empty())
            fmt::print(out, "\t{})\n\t\twords='{}' ;;\n", setting.key, fmt::join(choices, " "));
    out << "\tesac\n"
           "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
           "}\n"
           "complete -F _xiw xiw\n";
}

// Format for _describe: 'word:description', with colons and quotes of the text escaped.
std::string described(const Words &words) {
    std::string list;
    for (const Word &word : words) {
        std::string entry;
        for (const char c : word.text)
            entry += c == ':' ? "\\:" : std::string(1, c);
        if (!word.help.empty())
            entry += ":" + word.help.substr(0, word.help.find('\n'));
        std::string quoted;
        for (const char c : entry)
            quoted += c == '\'' ? "'\\''" : std::string(1, c);
        list += fmt::format("{}'{}'", list.empty() ? "" : " ", quoted);
    }
    return list;
}

void zsh(std::ostream &out) {
    out << "#compdef xiw\n"
           "# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n"
           "# zsh completion for xiw(8), printed by: xiw completion zsh\n"
           "\n"
           "_xiw()\n"
           "{\n"
           "\tlocal word key seen_path\n"
           "\tlocal -a seen devices next options keys values\n"
           "\n"
           "\tfor word in ${words[2,CURRENT-1]}; do\n"
           "\t\t[[ $word == -* ]] || seen+=($word)\n"
           "\tdone\n"
           "\tseen_path=\"${seen[*]}\"\n"
           "\tdevices=(/sys/class/infiniband/xiw*(N:t))\n"
           "\n"
           "\tcase $seen_path in\n";
    for (const Follow &row : all())
        if (!row.options.empty())
            fmt::print(out, "\t('{0}'|'{0} '*)\n\t\toptions=({1}) ;;\n", row.path,
                       described(row.options));
    fmt::print(out,
               "\tesac\n"
               "\toptions+=({})\n"
               "\tif [[ $PREFIX == -* ]]; then\n"
               "\t\t_describe -o option options\n"
               "\t\treturn\n"
               "\tfi\n"
               "\n"
               "\tcase $seen_path in\n"
               "\t('')\n\t\tnext=({}) ;;\n",
               described(tool_options()), described(names(commands())));
    for (const Follow &row : all()) {
        if (row.files)
            fmt::print(out, "\t('{}')\n\t\t_files\n\t\treturn ;;\n", row.path);
        else if (row.devices)
            fmt::print(out, "\t('{}')\n\t\tnext=($devices) ;;\n", row.path);
        else if (row.repeated)
            fmt::print(out, "\t('{0}'|'{0} '*)\n\t\tnext=({1}) ;;\n", row.path,
                       described(row.words));
        else if (!row.words.empty())
            fmt::print(out, "\t('{}')\n\t\tnext=({}) ;;\n", row.path, described(row.words));
    }
    fmt::print(out,
               "\t('config set '*)\n"
               "\t\tkeys=({})\n"
               "\t\tif [[ $PREFIX != *=* ]]; then\n"
               "\t\t\t_describe -t settings setting keys -S ''\n"
               "\t\t\treturn\n"
               "\t\tfi\n"
               "\t\tkey=${{PREFIX%%=*}}\n"
               "\t\tcompset -P '*='\n"
               "\t\tcase $key in\n",
               described(keys(settings())));
    for (const Setting &setting : settings())
        if (const auto choices = setting.choices(); !choices.empty())
            fmt::print(out, "\t\t({})\n\t\t\tvalues=({}) ;;\n", setting.key,
                       fmt::join(choices, " "));
    fmt::print(out,
               "\t\tesac\n"
               "\t\t_describe -t values value values\n"
               "\t\treturn ;;\n"
               "\t('fault set '*' '*)\n"
               "\t\tkeys=({})\n"
               "\t\t[[ $PREFIX == *=* ]] || _describe -t settings argument keys -S ''\n"
               "\t\treturn ;;\n"
               "\t('fault set '*)\n\t\tnext=({}) ;;\n",
               described(keys(fault_arguments())), described(fault_names()));
    out << "\tesac\n"
           "\t_describe -t words word next\n"
           "}\n"
           "\n"
           "_xiw \"$@\"\n";
}

struct Shell {
    const char *name;
    void (*print)(std::ostream &out);
};
constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}};

} // namespace

void completion_options(CLI::App &app, Options &options) {
    app.add_option("SHELL", options.shell, "bash or zsh")->capture_default_str();
}

std::string completion_words() {
    std::string list;
    for (const Shell &shell : shells)
        list += fmt::format("{}{}", list.empty() ? "" : " ", shell.name);
    return list;
}

void completion(Environment &env, const Options &options) {
    const auto *shell = std::ranges::find_if(
        shells, [&options](const Shell &row) { return options.shell == row.name; });
    if (shell == std::end(shells))
        throw Error(Exit::usage, fmt::format("no completion for \"{}\"", options.shell),
                    "valid: " + completion_words());
    shell->print(env.out);
}

} // namespace xiw::cmd
