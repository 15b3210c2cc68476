// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CONSOLE_CONSOLE_HPP
#define XIW_CONSOLE_CONSOLE_HPP

#include <chrono>
#include <string>
#include <vector>

// Where a live screen is shown, and the time that it shows: a terminal, or its stand-in
// in the tests.

namespace xiw::console {

using Time = std::chrono::nanoseconds;

struct Size {
    unsigned rows = 24;
    unsigned columns = 80;
};

struct Event {
    enum class Kind {
        time, // what was waited for
        key,
        resize, // everything is to be drawn again
        end,    // a signal, or nobody types any more
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

    // Can it show a live screen?
    virtual bool live() const = 0;

    // Takes the screen and the keys; gives them back as they were. Not open, only wait()
    // and now() have a meaning, and wait() knows nothing but time.
    virtual void open() = 0;
    virtual void close() = 0;

    virtual Size size() const = 0;
    // These lines and nothing else; what does not fit is cut off.
    virtual void draw(const std::vector<std::string> &lines) = 0;
    virtual Event wait(Time most) = 0;
    // Since whenever.
    virtual Time now() const = 0;
};

// Has the screen for as long as it lives.
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
