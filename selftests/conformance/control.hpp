// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The control of the tested endpoint. It is a file that accepts a line with a command, and returns
// a line with words KEY=VALUE. If the command succeeds, one of the words is status=ok. The
// exerciser's /dev/xiw_test is such a file.
// A pseudo-terminal works, too.
#pragma once

#include "message.hpp"
#include "tcp.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace xiw::peer {

struct Answer {
    std::string line;
    Keys words;

    static Answer parse(std::string line);
    bool ok() const;
};

class Control {
  public:
    explicit Control(const std::string &path);

    // Runs one command, and returns its answer.
    Answer ask(const std::string &command);

  private:
    std::string path_;
    Descriptor fd_;
    std::mutex lock_;
};

// Repeats a command in a separate thread until the command fails or stop() is called.
class Loop {
  public:
    Loop(Control &control, std::string command);
    // Not copyable, because the thread has a pointer to the object.
    Loop(Loop &&) = delete;
    Loop(const Loop &) = delete;
    Loop &operator=(Loop &&) = delete;
    Loop &operator=(const Loop &) = delete;
    ~Loop() = default;

    uint64_t rounds() const;
    // Waits until a round that began after this call has ended. Throws if any round has failed.
    void full_round(Deadline deadline);
    // Stops the thread. Throws if any round has failed.
    void stop();

  private:
    void run(const std::stop_token &stop);
    void judge() const;

    Control &control_;
    std::string command_, failure_;
    uint64_t rounds_ = 0;
    mutable std::mutex lock_;
    std::condition_variable changed_;
    std::jthread thread_;
};

} // namespace xiw::peer
