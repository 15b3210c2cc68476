// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "runner.hpp"

#include "verb.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::peer {

namespace {

class Runner {
  public:
    Runner(const Script &script, const Options &options, std::ostream &out)
        : script_(script), session_(options, script), out_(out) {}

    bool step(const Step &step) {
        try {
            session_.run(step);
            return true;
        } catch (const std::exception &error) {
            report("steps between scenarios", error.what());
            return false;
        }
    }

    void scenario(const Scenario &scenario, std::string_view only) {
        for (const Keys &values : scenario.cases) {
            if (time_is_over())
                return;
            Keys outside = session_.variables;
            Deadline begun = Clock::now();
            std::string name = scenario.name, why;

            for (const auto &[key, value] : values)
                session_.variables[key] = value;
            try {
                name = substitute(name, session_.variables);
                if (name.find(only) == std::string::npos) {
                    name.clear();
                } else {
                    if (!first_)
                        first_ = begun;
                    session_.run(scenario.steps);
                }
            } catch (const std::exception &error) {
                why = error.what();
            }
            if (!name.empty())
                finish(name, why, begun);
            session_.forget(outside);
        }
    }

    Outcome outcome() const { return outcome_; }

  private:
    // Runs the cleanup and prints the result of a scenario. If the cleanup fails, the scenario
    // fails.
    void finish(const std::string &name, std::string why, Deadline begun) {
        session_.connection.close();
        try {
            session_.run(script_.cleanup);
        } catch (const std::exception &error) {
            if (why.empty())
                why = error.what();
        }
        if (why.empty()) {
            outcome_.passed++;
            fmt::print(out_, "pass {}{}\n", name, time_since(begun));
        } else {
            report(name, why);
        }
        out_.flush();
    }

    bool time_is_over() const {
        std::chrono::seconds most = session_.options().at_most;

        return most.count() != 0 && first_ && Clock::now() > *first_ + most;
    }

    std::string time_since(Deadline begun) const {
        using std::chrono::duration_cast, std::chrono::milliseconds;

        if (!session_.options().times)
            return {};
        return fmt::format(" ({} ms)", duration_cast<milliseconds>(Clock::now() - begun).count());
    }

    void report(std::string_view name, std::string_view why) {
        outcome_.failed++;
        fmt::print(out_, "fail {}: {}\n", name, why);
    }

    const Script &script_;
    Session session_;
    std::ostream &out_;
    Outcome outcome_;
    std::optional<Deadline> first_; // start of the first scenario that was run
};

// Finds the vectors that steps use, without running the steps. Values that only a run determines
// are unknown.
class Walk {
  public:
    explicit Walk(const Script &script) : script_(script) {}

    void block(const Block &block, Keys &variables) {
        for (const Step &step : block) {
            try {
                one(step, variables);
            } catch (const std::invalid_argument &) {
                // the step uses a value that is known only in a run
            }
        }
    }

    std::multiset<std::string> found;

  private:
    void one(const Step &step, Keys &variables) {
        std::string_view verb = step.verb->name;

        if (verb == "do" || verb == "set") {
            std::string key, value;

            for (const std::string &word : step.words)
                if (is_assignment(word, key, value))
                    assign(variables, key, value);
            if (verb == "do")
                definition(substitute(step.words[0], variables), variables);
        } else if ((verb == "send" || verb == "expect") && step.words.size() > 1 &&
                   (step.words[0] == "vector" || step.words[0] == "verdict")) {
            found.insert(substitute(step.words[1], variables));
        }
    }

    static void assign(Keys &variables, const std::string &key, const std::string &value) {
        std::string text;

        try {
            text = substitute(value, variables);
        } catch (const std::invalid_argument &) {
            variables.erase(key);
            return;
        }
        variables[key] = text;
    }

    void definition(const std::string &name, Keys &variables) {
        auto called = script_.definitions.find(name);

        if (called == script_.definitions.end())
            throw std::runtime_error(fmt::format("{} is not defined", name));
        block(called->second, variables);
    }

    const Script &script_;
};

} // namespace

Outcome run(const Script &script, const Options &options, std::string_view only,
            std::ostream &out) {
    Runner runner(script, options, out);

    for (const auto &item : script.items) {
        if (const auto *scenario = std::get_if<Scenario>(&item))
            runner.scenario(*scenario, only);
        else if (!runner.step(std::get<Step>(item)))
            break;
    }
    return runner.outcome();
}

std::multiset<std::string> vectors_named(const Script &script) {
    Walk walk(script);

    for (const auto &item : script.items)
        if (const auto *scenario = std::get_if<Scenario>(&item))
            for (Keys values : scenario->cases)
                walk.block(scenario->steps, values);
    return walk.found;
}

} // namespace xiw::peer
