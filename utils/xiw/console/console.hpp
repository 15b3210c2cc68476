// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CONSOLE_CONSOLE_HPP
#define XIW_CONSOLE_CONSOLE_HPP

#include <chrono>
#include <string>
#include <vector>

// A live screen and its clock. The screen is a terminal, or a substitute in tests.

namespace xiw::console {

using Time = std::chrono::nanoseconds;

struct Size {
    unsigned rows = 24;
    unsigned columns = 80;
};

struct Event {
    enum class Kind {
        time, // the time limit has passed
        key,
        resize, // redraw the whole screen
        end,    // a signal, or the end of the input
    };
    Kind kind = Kind::time;
    char key = 0;
};

class Console {
  public:
    Console() = default;
    Console(const Console &) = delete;
    Console &operator=(const Console &) = delete;
    Console(Console &&) = delete;
    Console &operator=(Console &&) = delete;
    virtual ~Console() = default;

    // Returns true if the console can show a live screen.
    virtual bool live() const = 0;

    // Take over the screen and the keyboard; close() restores them. While the console is closed,
    // only live(), now() and wait() work, and wait() only waits for the time limit.
    virtual void open() = 0;
    virtual void close() = 0;

    virtual Size size() const = 0;
    // Replace the contents of the screen by `lines`; lines that are too long are cut off.
    virtual void draw(const std::vector<std::string> &lines) = 0;
    virtual Event wait(Time most) = 0;
    // Get the time since an arbitrary start.
    virtual Time now() const = 0;
};

// Takes over the screen of a console while an object of this class exists.
class Screen {
  public:
    explicit Screen(Console &console) : console_(console) { console_.open(); }
    Screen(const Screen &) = delete;
    Screen &operator=(const Screen &) = delete;
    Screen(Screen &&) = delete;
    Screen &operator=(Screen &&) = delete;
    ~Screen() { console_.close(); }

  private:
    Console &console_;
};

} // namespace xiw::console

#endif
