// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "model/settings.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::cmd {

namespace {

std::string names(std::span<const Command> rows) {
    std::string list;
    for (const Command &row : rows)
        list += fmt::format("{}{}", list.empty() ? "" : " ", row.name);
    return list;
}

std::string keys() {
    std::string list;
    for (const Setting &setting : settings())
        list += fmt::format("{}{}=", list.empty() ? "" : " ", setting.key);
    return list;
}

} // namespace

// utils/completion/xiw.bash is this output; a test compares the two.
void completion(Environment &env, const Options &) {
    std::ostream &out = env.out;

    out << "# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n"
           "# bash completion for xiw(8), printed by: xiw completion\n"
           "\n"
           "_xiw()\n"
           "{\n"
           "\tlocal cur=${COMP_WORDS[COMP_CWORD]} word words='' devices='' key='' path\n"
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
    fmt::print(out, "\t'')\n\t\twords='{} --json --tsv --help --version' ;;\n", names(commands()));
    for (const Command &row : commands()) {
        if (!row.sub.empty())
            fmt::print(out, "\t{})\n\t\twords='{}' ;;\n", row.name, names(row.sub));
        else if (row.words != nullptr)
            fmt::print(out, "\t{} | {}\\ *)\n\t\twords='{}' ;;\n", row.name, row.name, row.words());
        else if (row.files)
            fmt::print(out, "\t{})\n\t\tcompopt -o default ;;\n", row.name);
        else if (row.options != nullptr)
            fmt::print(out, "\t{})\n\t\twords=$devices ;;\n", row.name);
    }
    out << "\t'config show' | 'config set')\n\t\twords=$devices ;;\n"
           "\t'config set '*)\n"
           "\t\twords='"
        << keys()
        << "'\n"
           "\t\tcompopt -o nospace ;;\n"
           "\tesac\n"
           "\n"
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

} // namespace xiw::cmd
