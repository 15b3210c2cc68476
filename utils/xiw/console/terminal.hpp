// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CONSOLE_TERMINAL_HPP
#define XIW_CONSOLE_TERMINAL_HPP

#include "console/console.hpp"

#include <csignal>

#include <termios.h>

namespace xiw::console {

// A terminal that supports ECMA-48 sequences. One descriptor is its input, another its output.
// While the terminal is open, signals that would end or stop the process are read from a third
// descriptor, so that the terminal is restored before the signals take effect.
class Terminal final : public Console {
  public:
    Terminal(int in, int out) : in_(in), out_(out) {}
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;
    Terminal(Terminal &&) = delete;
    Terminal &operator=(Terminal &&) = delete;
    ~Terminal() override { close(); }

    bool live() const override;
    void open() override;
    void close() override;
    Size size() const override;
    void draw(const std::vector<std::string> &lines) override;
    Event wait(Time most) override;
    Time now() const override;

  private:
    void take();
    void give_back();
    Event signalled();
    void suspend();
    bool read_keys();
    bool next_key(char &key);

    int in_;
    int out_;
    int signals_ = -1; // negative while the terminal is not open
    int ended_ = 0;    // signal that close() raises; 0: none
    sigset_t mask_{};  // the previous mask
    sigset_t taken_{};
    termios before_{};
    std::string typed_; // input that has not been handled
};

} // namespace xiw::console

#endif
