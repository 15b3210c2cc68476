// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "session.hpp"

#include "verb.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::peer {

namespace {

constexpr std::chrono::seconds LIMIT{10};
constexpr unsigned DEEPEST = 16;

} // namespace

std::chrono::milliseconds duration(std::string_view text) {
    if (text.ends_with("ms"))
        return std::chrono::milliseconds(number(text.substr(0, text.size() - 2)));
    if (text.ends_with("s"))
        return std::chrono::seconds(number(text.substr(0, text.size() - 1)));
    throw std::invalid_argument(fmt::format("'{}' is no time: 5s, 200ms", text));
}

Session::Session(Options options, const Script &script)
    : wire(options.wire, options.bursts), connection(&wire), variables(options.variables),
      options_(std::move(options)), script_(script), limit_(LIMIT) {}

const Vector &Session::vector(const std::string &id) {
    if (!vectors_) {
        if (options_.vectors.empty())
            throw std::invalid_argument("vectors need --vectors FILE");
        vectors_ = Vectors::read(options_.vectors);
    }
    return vectors_->at(id);
}

Control &Session::control(const std::string &name) {
    std::unique_ptr<Control> &found = controls_[name];

    if (!found) {
        auto path = options_.controls.find(name);

        if (path == options_.controls.end())
            throw std::invalid_argument(fmt::format("needs --control {}=PATH", name));
        found = std::make_unique<Control>(path->second);
    }
    return *found;
}

void Session::run(const Step &step) {
    try {
        Call call = verb_call(*step.verb, step.words, variables);

        if (options_.trace != nullptr)
            fmt::print(*options_.trace, "{}: {}\n", step.place.text(), step.text);
        if (step.verb->waits)
            wire.before_wait();
        step.verb->run(*this, call);
    } catch (const Mismatch &error) {
        // Add this step to the error message. Either this step has failed, or it uses a definition
        // in which a step has failed.
        throw Mismatch(fmt::format("{}: {}\n  {}", step.place.text(), step.text, error.what()));
    } catch (const std::exception &error) {
        throw Mismatch(fmt::format("{}: {}\n  {}", step.place.text(), step.text, error.what()));
    }
}

void Session::run(const Block &block) {
    for (const Step &step : block)
        run(step);
}

void Session::run_definition(const std::string &name, const Keys &keys) {
    auto found = script_.definitions.find(name);

    if (found == script_.definitions.end())
        throw std::invalid_argument(fmt::format("{} is not defined", name));
    if (depth_ == DEEPEST)
        throw std::invalid_argument(fmt::format("{} calls itself", name));
    for (const auto &[key, value] : keys)
        variables[key] = value;
    depth_++;
    try {
        run(found->second);
    } catch (...) {
        depth_--;
        throw;
    }
    depth_--;
}

void Session::listen(const Address &at, const Tcp::Options &options) {
    listener_ = Listener(at, options);
    variables["port"] = std::to_string(listener_.port());
}

void Session::accept() {
    if (!listener_.is_open())
        throw std::runtime_error("accept: there is no listener; use listen first");
    connection.open(listener_.accept(deadline()));
}

void Session::loop(const std::string &name, std::string command) {
    loops_[name] = std::make_unique<Loop>(control(name), std::move(command));
}

Loop &Session::loop(const std::string &name) {
    auto found = loops_.find(name);

    if (found == loops_.end())
        throw std::invalid_argument(fmt::format("no loop of {} runs", name));
    return *found->second;
}

void Session::loop_stop(const std::string &name) {
    loop(name).stop();
    loops_.erase(name);
}

Deadline Session::after(std::chrono::milliseconds idle) const {
    return Clock::now() + idle * options_.patience;
}

void Session::saw(std::string_view prefix, const Frame &frame) {
    std::string start = std::string(prefix) + '.';

    std::erase_if(variables, [&](const auto &v) { return v.first.starts_with(start); });
    variables[start + "kind"] = frame.kind;
    variables[start + "octets"] = hex(frame.octets);
    for (const Field &f : frame.fields)
        variables[start + std::string(f.name)] = frame.text(f.name).value_or("");
    for (const Part &p : frame.parts)
        variables[start + std::string(p.name)] = frame.text(p.name).value_or("");
    if (options_.trace != nullptr)
        fmt::print(*options_.trace, "  {}: {}\n", prefix, frame.summary());
}

void Session::forget(const Keys &keep) {
    wire.release();
    connection = Connection(&wire);
    listener_ = Listener();
    translation = Translation();
    answer = Answer();
    sent.reset();
    variables = keep;
    limit_ = LIMIT;
}

void wrong(const Frame &frame, std::string_view what) {
    throw Mismatch(fmt::format("{}\n{}", what, frame.describe()));
}

} // namespace xiw::peer
