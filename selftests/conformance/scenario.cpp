// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "scenario.hpp"

#include "verb.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

class Parser {
  public:
    explicit Parser(Script &script) : script_(script) {}

    void read(const std::string &file, unsigned depth) {
        std::ifstream in(file);

        if (!in)
            throw Malformed({file, 0}, "cannot be read");
        parse(in, file, depth);
    }

    void parse(std::istream &in, const std::string &file, unsigned depth) {
        Place outer = std::exchange(place_, {file, 0});

        for (std::string text; std::getline(in, text);) {
            place_.line++;
            auto words = words_of(text);
            if (!words.empty())
                line(words, text, depth);
        }
        if (open_)
            throw Malformed(opened_, fmt::format("no end of this {}", *open_));
        place_ = outer;
    }

    // Throws if a step uses a definition that does not exist. A definition may follow its use, so
    // call this after all files are parsed.
    void check_calls() const {
        for (const auto &item : script_.items) {
            if (const auto *scenario = std::get_if<Scenario>(&item))
                calls(scenario->steps);
            else
                calls({std::get<Step>(item)});
        }
        for (const auto &[name, block] : script_.definitions)
            calls(block);
        calls(script_.cleanup);
    }

  private:
    void line(const std::vector<std::string> &words, const std::string &text, unsigned depth) {
        const std::string &first = words[0];

        if (first == "|")
            row(words);
        else if (first == "end")
            end(words);
        else if (first == "scenario" || first == "define" || first == "cleanup")
            begin(words);
        else if (first == "include" && !open_)
            include(words, depth);
        else if (open_)
            block_.push_back(step(words, text));
        else
            script_.items.emplace_back(step(words, text));
    }

    void include(const std::vector<std::string> &words, unsigned depth) {
        constexpr unsigned DEEPEST = 8;

        if (words.size() != 2 || depth == DEEPEST)
            throw Malformed(place_, "include FILE, beside this one and not by itself");
        read(beside(words[1]), depth + 1);
    }

    void begin(const std::vector<std::string> &words) {
        if (open_)
            throw Malformed(place_, fmt::format("{} inside of a {}", words[0], *open_));
        open_ = words[0];
        opened_ = place_;
        block_.clear();
        scenario_ = {.place = place_, .name = {}, .cases = {}, .steps = {}};
        table_.clear();
        if (*open_ == "cleanup" ? words.size() != 1 : words.size() < 2)
            throw Malformed(place_, fmt::format("{} has a name, and cleanup has none", words[0]));
        if (words.size() > 1)
            scenario_.name = words[1];
        if (*open_ == "scenario" && words.size() > 2)
            loop(words);
        else if (words.size() > 2)
            throw Malformed(place_, fmt::format("what is '{}'?", words[2]));
    }

    // Parses "for VARIABLE in VALUE FIRST..LAST ...".
    void loop(const std::vector<std::string> &words) {
        if (words.size() < 6 || words[2] != "for" || words[4] != "in")
            throw Malformed(place_, "scenario NAME for VARIABLE in VALUE...");
        for (auto word = words.begin() + 5; word != words.end(); ++word) {
            size_t dots = word->find("..");

            if (dots == std::string::npos) {
                scenario_.cases.push_back({{words[3], *word}});
                continue;
            }
            uint64_t last = range_end(word->substr(dots + 2));
            for (uint64_t i = range_end(word->substr(0, dots)); i <= last; i++)
                scenario_.cases.push_back({{words[3], std::to_string(i)}});
        }
    }

    uint64_t range_end(const std::string &text) const {
        try {
            return number(text);
        } catch (const std::invalid_argument &error) {
            throw Malformed(place_, error.what());
        }
    }

    void row(const std::vector<std::string> &words) {
        if (!open_ || *open_ != "scenario" || !block_.empty())
            throw Malformed(place_, "a table stands at the beginning of a scenario");
        if (table_.empty() && words.size() == 3 && words[1] == "from") {
            rows_from(words[2]);
            return;
        }
        if (table_.empty()) {
            table_.assign(words.begin() + 1, words.end());
            if (table_.empty() || !scenario_.cases.empty())
                throw Malformed(place_, "a table has a line of names, and no 'for' beside it");
            return;
        }
        add_case({words.begin() + 1, words.end()});
    }

    void add_case(const std::vector<std::string> &words) {
        Keys values;

        if (words.size() != table_.size())
            throw Malformed(place_,
                            fmt::format("{} values for {} names", words.size(), table_.size()));
        for (size_t i = 0; i < table_.size(); i++)
            values[table_[i]] = words[i];
        scenario_.cases.push_back(values);
    }

    // Reads a table from a file. Tabs separate the columns, and the first row contains their names.
    void rows_from(const std::string &name) {
        std::ifstream in(beside(name));

        if (!in)
            throw Malformed(place_, fmt::format("{} cannot be read", beside(name)));
        for (std::string text; std::getline(in, text);) {
            std::istringstream columns(text);
            std::vector<std::string> words;

            if (text.empty() || text.starts_with('#'))
                continue;
            for (std::string word; std::getline(columns, word, '\t');)
                words.push_back(word);
            if (table_.empty())
                table_ = words;
            else
                add_case(words);
        }
    }

    std::string beside(const std::string &name) const {
        return place_.file.substr(0, place_.file.rfind('/') + 1) + name;
    }

    void end(const std::vector<std::string> &words) {
        if (!open_ || words.size() != 1)
            throw Malformed(place_, "nothing ends here");
        if (*open_ == "scenario") {
            if (scenario_.cases.empty())
                scenario_.cases.emplace_back();
            scenario_.steps = block_;
            script_.items.emplace_back(scenario_);
        } else if (*open_ == "define") {
            if (!script_.definitions.emplace(scenario_.name, block_).second)
                throw Malformed(opened_, fmt::format("{} is defined twice", scenario_.name));
        } else {
            script_.cleanup = block_;
        }
        open_.reset();
    }

    Step step(const std::vector<std::string> &words, const std::string &text) const {
        Step made{.place = place_, .text = text, .verb = verb_named(words[0]), .words = {}};

        made.text.erase(0, made.text.find_first_not_of(" \t"));
        if (made.verb == nullptr)
            throw Malformed(place_, fmt::format("no step is called {}", words[0]));
        made.words.assign(words.begin() + 1, words.end());
        std::string wrong = verb_check(*made.verb, made.words);
        if (!wrong.empty())
            throw Malformed(place_, fmt::format("{}; usage: {}", wrong, made.verb->usage));
        return made;
    }

    void calls(const Block &block) const {
        for (const Step &step : block) {
            if (step.verb->name != "do" || step.words[0].find('$') != std::string::npos)
                continue;
            if (script_.definitions.find(step.words[0]) == script_.definitions.end())
                throw Malformed(step.place, fmt::format("{} is not defined", step.words[0]));
        }
    }

    Script &script_;
    Place place_, opened_;
    std::optional<std::string> open_; // keyword of the block that has not ended yet
    Scenario scenario_;
    std::vector<std::string> table_;
    Block block_;
};

} // namespace

std::string Place::text() const {
    return fmt::format("{}:{}", file, line);
}

Malformed::Malformed(const Place &place, const std::string &what)
    : std::runtime_error(fmt::format("{}: {}", place.text(), what)) {}

Script Script::read(const std::string &file) {
    Script made;

    Parser parser(made);
    parser.read(file, 0);
    parser.check_calls();
    return made;
}

Script Script::parse(const std::string &text, const std::string &file) {
    std::istringstream in(text);
    Script made;

    Parser parser(made);
    parser.parse(in, file, 0);
    parser.check_calls();
    return made;
}

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false, begun = false;

    for (char c : line) {
        if (c == '"') {
            quoted = !quoted;
            begun = true;
        } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
            if (begun)
                words.push_back(std::exchange(word, {}));
            begun = false;
        } else if (!quoted && c == '#' && !begun) {
            break;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun)
        words.push_back(word);
    return words;
}

bool is_assignment(std::string_view word, std::string &key, std::string &value) {
    size_t at = word.find('=');

    if (at == 0 || at == std::string_view::npos ||
        !std::ranges::all_of(word.substr(0, at), is_name))
        return false;
    key = word.substr(0, at);
    value = word.substr(at + 1);
    return true;
}

std::string substitute(std::string_view text, const Keys &variables) {
    std::string made;

    for (size_t at = 0; at < text.size();) {
        if (text[at] != '$') {
            made += text[at++];
            continue;
        }
        bool braces = at + 1 < text.size() && text[at + 1] == '{';
        size_t begin = at + (braces ? 2 : 1), end = begin;
        while (end < text.size() && is_name(text[end]))
            end++;
        // Without braces, a dot at the end is not part of the name.
        while (!braces && end > begin && text[end - 1] == '.')
            end--;
        std::string name(text.substr(begin, end - begin));
        if (braces && (end == text.size() || text[end] != '}'))
            throw std::invalid_argument(fmt::format("no }} behind ${{{}", name));
        end += braces ? 1 : 0;
        auto found = variables.find(name);
        if (found == variables.end())
            throw std::invalid_argument(fmt::format("${} is not set", name));
        made += found->second;
        at = end;
    }
    return made;
}

} // namespace xiw::peer
