// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// xiw top on a real terminal, as the job of a shell. xiw top restores the terminal, whatever ends
// or stops xiw top.
#include "console/terminal.hpp"
#include "cmd/command.hpp"
#include "error.hpp"
#include "kernel.hpp"
#include "render/table.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using namespace std::chrono_literals;

namespace {

constexpr const char *take_screen = "\033[?1049h\033[?25l\033[?7l";
constexpr const char *give_screen = "\033[0m\033[?7h\033[?25h\033[?1049l";

// Run xiw top, and end the process. After `looks` readings, the next reading fails.
[[noreturn]] void job(int looks) {
    // Remove the signal handlers of the test framework. A real xiw process starts without them.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP})
        std::signal(signal, SIG_DFL);
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &no_core);
    test::Kernel kernel = test::busy_kernel();
    // Do not use std::cout and std::cerr, because they contain pending output of the test
    // framework.
    std::ostringstream out;
    std::ostringstream err;
    xiw::cmd::Environment env{
        .out = out,
        .err = err,
        .colour = false,
        .connect = [&kernel] { return kernel.connect(); },
        // The tool calls this function once for each reading.
        .ifname = [&looks](uint64_t) -> std::string {
            if (looks-- == 0)
                throw xiw::Error(xiw::Exit::failed, "planted");
            return "eth0";
        },
        .console =
            [] { return std::make_unique<xiw::console::Terminal>(STDIN_FILENO, STDOUT_FILENO); },
    };
    const char *arguments[] = {"xiw", "top", "--interval", looks < 5 ? "0.1" : "3600"};
    const xiw::Exit exit = xiw::cmd::run(env, 4, arguments);
    const std::string said = err.str();
    [[maybe_unused]] const ssize_t done = write(STDERR_FILENO, said.data(), said.size());
    _exit(static_cast<int>(exit));
}

// A terminal with a shell that has one job. The shell reports each wait status of the job through a
// pipe, and continues a stopped job on request.
class Session {
  public:
    explicit Session(int looks = 1000) {
        winsize size{.ws_row = 10, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
        if (openpty(&master_, &slave_, nullptr, nullptr, &size) < 0 || pipe(status_) < 0 ||
            pipe(orders_) < 0)
            throw std::runtime_error("openpty");
        tcgetattr(slave_, &before_);
        shell_ = fork();
        if (shell_ == 0)
            shell(looks);
        close(status_[1]);
        close(orders_[0]);
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    Session(Session &&) = delete;
    Session &operator=(Session &&) = delete;
    ~Session() {
        if (job_ > 0 && !over_)
            kill(job_, SIGKILL);
        close(orders_[1]); // the shell reads the end of file, and ends
        close(master_);
        close(slave_);
        close(status_[0]);
        waitpid(shell_, nullptr, 0);
    }

    void type(const char *keys) const {
        REQUIRE(write(master_, keys, strlen(keys)) == static_cast<ssize_t>(strlen(keys)));
    }
    void send(int signal) const { kill(job_, signal); }
    void resize(unsigned short rows, unsigned short columns) const {
        const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ioctl(master_, TIOCSWINSZ, &size);
    }
    void resume() const { REQUIRE(write(orders_[1], "c", 1) == 1); }

    // Wait until new output contains `text`, and return the new output.
    std::string shown(const std::string &text) {
        const size_t from = output_.size();
        while (output_.find(text, from) == std::string::npos)
            REQUIRE(take());
        return output_.substr(from);
    }
    // Return the next wait status of the job. After status(), output() contains all text that the
    // job has written.
    int status() {
        int status = 0;
        for (;;) {
            pollfd fds[] = {{status_[0], POLLIN, 0}, {master_, POLLIN, 0}};
            REQUIRE(poll(fds, 2, 30000) > 0);
            if ((fds[1].revents & POLLIN) != 0)
                take();
            else if (fds[0].revents != 0)
                break;
        }
        REQUIRE(read(status_[0], &status, sizeof(status)) == static_cast<ssize_t>(sizeof(status)));
        over_ = !WIFSTOPPED(status);
        return status;
    }
    const std::string &output() const { return output_; }

    bool restored() const {
        termios now{};
        tcgetattr(slave_, &now);
        return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
               now.c_oflag == before_.c_oflag && now.c_cflag == before_.c_cflag &&
               std::memcmp(now.c_cc, before_.c_cc, sizeof(now.c_cc)) == 0;
    }

    // Wait until the job has drawn its screen.
    void begin() {
        REQUIRE(read(status_[0], &job_, sizeof(job_)) == static_cast<ssize_t>(sizeof(job_)));
        shown("q quit");
        CHECK_THAT(output_, ContainsSubstring(take_screen));
        CHECK_FALSE(restored());
    }

  private:
    [[noreturn]] void shell(int looks) {
        close(master_);
        close(orders_[1]);
        setsid();
        ioctl(slave_, TIOCSCTTY, 0);
        signal(SIGTTOU, SIG_IGN);
        const pid_t job = fork();
        if (job == 0) {
            setpgid(0, 0);
            tcsetpgrp(slave_, getpid());
            signal(SIGTTOU, SIG_DFL);
            for (int fd = 0; fd < 3; fd++)
                dup2(slave_, fd);
            setenv("TERM", "xterm", 1);
            ::job(looks);
        }
        setpgid(job, job);
        [[maybe_unused]] ssize_t done = write(status_[1], &job, sizeof(job));
        int status = 0;
        while (waitpid(job, &status, WUNTRACED) == job) {
            char order = 0;
            tcsetpgrp(slave_, getpid());
            done = write(status_[1], &status, sizeof(status));
            // The terminal hangs up if the shell ends, so the shell must not end before the test.
            if (read(orders_[0], &order, 1) != 1 || !WIFSTOPPED(status))
                break;
            tcsetpgrp(slave_, job);
            kill(-job, SIGCONT);
        }
        _exit(0);
    }

    bool take() {
        std::array<char, 4096> buffer{};
        pollfd fd{master_, POLLIN, 0};
        if (poll(&fd, 1, 30000) <= 0)
            return false;
        const ssize_t got = read(master_, buffer.data(), buffer.size());
        if (got > 0)
            output_.append(buffer.data(), static_cast<size_t>(got));
        return got > 0;
    }

    int master_ = -1;
    int slave_ = -1;
    int status_[2]{};
    int orders_[2]{};
    pid_t shell_ = -1;
    pid_t job_ = -1;
    bool over_ = false;
    termios before_{};
    std::string output_;
};

} // namespace

TEST_CASE("q ends top and restores the terminal") {
    Session session;
    session.begin();
    session.type("q");
    const int status = session.status();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(session.restored());
    CHECK_THAT(session.output(), EndsWith(give_screen));
}

TEST_CASE("a signal ends top after it restored the terminal", "[host]") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGQUIT);
    Session session;
    session.begin();
    if (signal == SIGINT)
        session.type("\003");
    else
        session.send(signal);
    const int status = session.status();
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(session.restored());
    CHECK_THAT(session.output(), EndsWith(give_screen));
}

TEST_CASE("an error ends top after it restored the terminal") {
    Session session(2);
    session.begin();
    const int status = session.status();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(session.restored());
    // The tool prints the message after it has restored the screen.
    CHECK_THAT(session.output(), EndsWith(std::string(give_screen) + "xiw: planted\r\n"));
}

TEST_CASE("top is redrawn when the size of the terminal changes") {
    Session session;
    session.begin();
    session.resize(5, 20);
    const std::string small = session.shown("\033[5;1H\033[2Kq quit  s sort  spac");
    session.resize(12, 60);
    session.shown("\033[12;1H\033[2Kq quit  s sort  space pause");
    CHECK_THAT(small, !ContainsSubstring("\033[6;1H"));
    session.type("q");
    CHECK(WIFEXITED(session.status()));
    CHECK(session.restored());
}

TEST_CASE("a stopped top leaves the terminal to the shell") {
    Session session;
    session.begin();
    session.type("\032");
    int status = session.status();
    REQUIRE(WIFSTOPPED(status));
    CHECK(session.restored());
    CHECK_THAT(session.output(), EndsWith(give_screen));

    session.resume();
    const std::string again = session.shown("q quit");
    CHECK_THAT(again, ContainsSubstring(take_screen));
    CHECK_FALSE(session.restored());
    session.type("q");
    status = session.status();
    CHECK(WIFEXITED(status));
    CHECK(session.restored());
}

TEST_CASE("arrow and function keys do nothing in top") {
    Session session;
    session.begin();
    session.type("\033[A\033OP\033[15~s");
    CHECK_THAT(session.shown("by sent"), !ContainsSubstring(give_screen));
    session.type("\033[1;5qq");
    CHECK(WIFEXITED(session.status()));
}

TEST_CASE("a pipe is not a terminal") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    xiw::console::Terminal terminal(ends[0], ends[1]);
    CHECK_FALSE(terminal.live());
    CHECK_THROWS_AS(terminal.open(), xiw::Error);
    CHECK(terminal.size().columns == 80);
    const auto start = terminal.now();
    CHECK(terminal.wait(1ms).kind == xiw::console::Event::Kind::time);
    CHECK(terminal.now() - start >= 1ms);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("a line is clipped by its visible width") {
    using xiw::render::clip;
    CHECK(clip("abc", 3) == "abc");
    CHECK(clip("abcd", 3) == "abc");
    CHECK(clip("abc", 0).empty());
    CHECK(clip("\303\244bc", 2) == "\303\244b");
    CHECK(clip("\033[31mabc\033[0m", 2) == "\033[31mab\033[0m");
    CHECK(clip("\033[31", 2) == "\033[31\033[0m");
    CHECK(xiw::render::columns("\033[31m\303\244b\033[0m") == 2);
}
