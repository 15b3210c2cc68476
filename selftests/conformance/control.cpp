// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "control.hpp"

#include <cerrno>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace xiw::peer {

Answer Answer::parse(std::string line) {
    Answer made{.line = std::move(line), .words = {}};
    std::istringstream in(made.line);

    for (std::string word; in >> word;)
        if (size_t at = word.find('='); at != std::string::npos)
            made.words[word.substr(0, at)] = word.substr(at + 1);
    return made;
}

bool Answer::ok() const {
    auto found = words.find("status");

    return found != words.end() && found->second == "ok";
}

Control::Control(const std::string &path)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (!fd_)
        throw std::system_error(errno, std::generic_category(), path);
}

Answer Control::ask(const std::string &command) {
    std::scoped_lock guard(lock_);
    std::string line = command + '\n', answer;

    // The exerciser requires that one write() contains the whole command.
    if (::write(fd_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::system_error(errno, std::generic_category(), path_);
    while (!answer.ends_with('\n')) {
        char buffer[4096];
        ssize_t n = ::read(fd_.get(), buffer, sizeof(buffer));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            throw std::runtime_error(fmt::format("{} does not answer '{}'", path_, command));
        answer.append(buffer, static_cast<size_t>(n));
    }
    answer.pop_back();
    return Answer::parse(std::move(answer));
}

Loop::Loop(Control &control, std::string command)
    : control_(control), command_(std::move(command)),
      thread_([this](const std::stop_token &stop) { run(stop); }) {}

void Loop::run(const std::stop_token &stop) {
    std::string failure;

    while (!stop.stop_requested() && failure.empty()) {
        try {
            Answer answer = control_.ask(command_);
            if (!answer.ok())
                failure = fmt::format("'{}' answered: {}", command_, answer.line);
        } catch (const std::exception &error) {
            failure = error.what();
        }
        std::scoped_lock guard(lock_);
        rounds_ += failure.empty() ? 1 : 0;
        failure_ = failure;
        changed_.notify_all();
    }
}

uint64_t Loop::rounds() const {
    std::scoped_lock guard(lock_);

    return rounds_;
}

void Loop::judge() const {
    if (!failure_.empty())
        throw std::runtime_error("in the background " + failure_);
}

void Loop::full_round(Deadline deadline) {
    std::unique_lock guard(lock_);
    // The round that is running now began before this call, so wait for the round after it.
    uint64_t wanted = rounds_ + 2;

    bool there = changed_.wait_until(guard, deadline,
                                     [&] { return rounds_ >= wanted || !failure_.empty(); });
    judge();
    if (!there)
        throw std::runtime_error(fmt::format("in the background '{}' makes no progress", command_));
}

void Loop::stop() {
    thread_.request_stop();
    if (thread_.joinable())
        thread_.join();
    judge();
}

} // namespace xiw::peer
