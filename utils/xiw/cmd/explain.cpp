// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/explain.hpp"
#include "cmd/session.hpp"
#include "render/render.hpp"

#include <fmt/format.h>

namespace xiw::cmd {

// Needs no kernel: it explains codes that the caller has.
void explain(Environment &env, const Options &options) {
    Report report;
    auto &list = report.explanations.emplace();

    if (options.codes.empty())
        list = explain_all();
    for (const std::string &code : options.codes) {
        auto found = xiw::explain(code);
        if (found.empty())
            throw Error(Exit::usage, fmt::format("\"{}\" is not a code that xiw supports", code),
                        "a Terminate code is written 0/2/0x07, an errno ECONNREFUSED or 111, "
                        "a completion status REM_ACCESS_ERR");
        list.insert(list.end(), found.begin(), found.end());
    }
    print_report(env, options, report, render::explanations);
}

std::string explain_words() {
    std::string words;
    for (const Explanation &e : explain_all())
        words += (words.empty() ? "" : " ") + e.subject;
    return words;
}

} // namespace xiw::cmd
