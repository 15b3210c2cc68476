// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "console/terminal.hpp"

#include "error.hpp"
#include "render/table.hpp"
#include "util.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fmt/format.h>

namespace xiw::console {

namespace {

// Sequences that select the alternate screen without cursor and wrapping, and that restore the
// normal screen.
constexpr std::string_view take_screen = "\033[?1049h\033[?25l\033[?7l";
constexpr std::string_view give_screen = "\033[0m\033[?7h\033[?25h\033[?1049l";

constexpr auto end_signals = std::to_array({SIGINT, SIGTERM, SIGHUP, SIGQUIT});
constexpr auto other_signals = std::to_array({SIGTSTP, SIGCONT, SIGWINCH});

[[noreturn]] void fail(const char *what) {
    throw Error(Exit::failed, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

// Returns true if the process ignores the signal, as under nohup. Such a signal must have no
// effect.
bool ignored(int signal) {
    struct sigaction now{};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

} // namespace

bool Terminal::live() const {
    const char *term = std::getenv("TERM");
    return isatty(in_) != 0 && isatty(out_) != 0 && term != nullptr && *term != '\0' &&
           std::string_view(term) != "dumb";
}

void Terminal::take() {
    termios raw = before_;
    // Read keys as they are typed, without echo. Control-C and Control-Z still send signals.
    raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO));
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(in_, TCSANOW, &raw) < 0)
        fail("cannot set the terminal");
    if (!write_all(out_, take_screen))
        fail("cannot write to the terminal");
}

// Ignore failures, because the callers cannot handle them: they close the terminal or stop the
// process.
void Terminal::give_back() {
    write_all(out_, give_screen);
    tcsetattr(in_, TCSANOW, &before_);
}

void Terminal::open() {
    if (signals_ >= 0)
        return;
    if (tcgetattr(in_, &before_) < 0)
        fail("cannot read the state of the terminal");
    sigemptyset(&taken_);
    for (const int signal : end_signals)
        if (!ignored(signal))
            sigaddset(&taken_, signal);
    for (const int signal : other_signals)
        if (!ignored(signal))
            sigaddset(&taken_, signal);
    signals_ = signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0)
        fail("cannot handle signals");
    sigprocmask(SIG_BLOCK, &taken_, &mask_);
    try {
        take();
    } catch (...) {
        close();
        throw;
    }
}

void Terminal::close() {
    if (signals_ < 0)
        return;
    give_back();
    ::close(signals_);
    signals_ = -1;
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
    // Raise the signal after the terminal is restored, because the signal ends the process.
    if (ended_ != 0)
        raise(std::exchange(ended_, 0));
}

Size Terminal::size() const {
    winsize now{};
    Size size;
    // A serial line reports no size.
    if (ioctl(out_, TIOCGWINSZ, &now) == 0 && now.ws_row != 0 && now.ws_col != 0)
        size = {now.ws_row, now.ws_col};
    return size;
}

// Erase each line before it is written. After it is written, the cursor may be in the last column,
// and an erase would remove that column.
void Terminal::draw(const std::vector<std::string> &lines) {
    const Size room = size();
    std::string text;
    for (unsigned row = 0; row < room.rows; row++) {
        text += fmt::format("\033[{};1H\033[2K", row + 1);
        if (row < lines.size())
            text += render::clip(lines[row], room.columns);
    }
    if (!write_all(out_, text))
        fail("cannot write to the terminal");
}

void Terminal::suspend() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    give_back();
    raise(SIGTSTP);
    // When the signal is unblocked, the process stops. It continues here after SIGCONT.
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    take();
}

Event Terminal::signalled() {
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info)))
        return {};
    const auto signal = static_cast<int>(info.ssi_signo);
    if (std::ranges::find(end_signals, signal) != end_signals.end()) {
        ended_ = signal;
        return {Event::Kind::end};
    }
    if (signal == SIGTSTP)
        suspend();
    else if (signal == SIGCONT)
        take(); // the shell may have used the terminal in the meantime
    return {Event::Kind::resize};
}

// Returns false at the end of the input.
bool Terminal::read_keys() {
    std::array<char, 64> buffer{};
    const ssize_t got = read(in_, buffer.data(), buffer.size());
    if (got > 0)
        typed_.append(buffer.data(), static_cast<size_t>(got));
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

// Skip the sequences of arrow and function keys.
bool Terminal::next_key(char &key) {
    while (!typed_.empty()) {
        if (typed_[0] != '\033') {
            key = typed_[0];
            typed_.erase(0, 1);
            return true;
        }
        size_t end = std::min<size_t>(2, typed_.size());
        if (typed_.size() > 1 && (typed_[1] == '[' || typed_[1] == 'O')) {
            while (end < typed_.size() && (typed_[end] < '@' || typed_[end] > '~'))
                end++;
            end = std::min(end + 1, typed_.size());
        }
        typed_.erase(0, end);
    }
    return false;
}

Event Terminal::wait(Time most) {
    const Time end = now() + std::max(most, Time::zero());
    for (;;) {
        Event event{Event::Kind::key};
        if (next_key(event.key))
            return event;
        const Time left = std::max(end - now(), Time::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
        std::array<pollfd, 2> fds{{{signals_, POLLIN, 0}, {in_, POLLIN, 0}}};
        const bool is_open = signals_ >= 0;
        const int ready = ppoll(fds.data(), is_open ? fds.size() : 0, &timeout, nullptr);
        if (ready < 0 && errno != EINTR)
            fail("cannot wait for the terminal");
        if (ready == 0)
            return {Event::Kind::time};
        if (ready < 0)
            continue;
        if (fds[0].revents != 0)
            if (const Event what = signalled(); what.kind != Event::Kind::time)
                return what;
        if (fds[1].revents != 0 && !read_keys())
            return {Event::Kind::end};
    }
}

Time Terminal::now() const {
    return std::chrono::steady_clock::now().time_since_epoch();
}

} // namespace xiw::console
