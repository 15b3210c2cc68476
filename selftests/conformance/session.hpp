// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// State that the steps of a scenario use.
#pragma once

#include "connection.hpp"
#include "control.hpp"
#include "scenario.hpp"
#include "vectors.hpp"
#include "wire.hpp"

#include <iosfwd>
#include <memory>
#include <set>

namespace xiw::peer {

struct Options {
    std::string connect, listen; // ADDR:PORT
    std::string from;            // local address of 'connect'; empty: chosen by the route
    Keys controls;               // name -> path
    Keys variables;
    std::string vectors;           // file
    std::vector<std::string> wire; // interfaces on which 'hold' works
    bool bursts = false;           // hold data, and release it in one burst at each wait
    unsigned patience = 1;
    bool times = false;              // print the duration of each scenario
    std::chrono::seconds at_most{0}; // max time from first to last start of a scenario; 0: no limit
    std::ostream *trace = nullptr;
};

class Session {
  public:
    Session(Options options, const Script &script);

    Wire wire;
    Connection connection;
    Keys variables;
    Translation translation;
    Answer answer;
    std::optional<Frame> sent; // the last sent FPDU

    const Options &options() const { return options_; }
    const Vector &vector(const std::string &id);
    Control &control(const std::string &name);

    void run(const Step &step);
    void run(const Block &block);
    void run_definition(const std::string &name, const Keys &keys);

    void listen(const Address &at, const Tcp::Options &options);
    void accept();

    void loop(const std::string &name, std::string command);
    void loop_stop(const std::string &name);
    Loop &loop(const std::string &name);

    // Gets the time at which a wait that begins now must end.
    Deadline deadline() const { return after(limit_); }
    Deadline after(std::chrono::milliseconds idle) const;
    void limit(std::chrono::milliseconds limit) { limit_ = limit; }

    // Traces a sent or received frame, and sets variables from its fields.
    void saw(std::string_view prefix, const Frame &frame);

    // Resets the session between scenarios. Keeps controls and loops, and sets the variables to
    // `keep`.
    void forget(const Keys &keep);

  private:
    Options options_;
    const Script &script_;
    std::optional<Vectors> vectors_;
    std::map<std::string, std::unique_ptr<Control>, std::less<>> controls_;
    // The loops use the controls. The loops are declared later, so C++ destroys them first.
    std::map<std::string, std::unique_ptr<Loop>, std::less<>> loops_;
    Listener listener_;
    std::chrono::milliseconds limit_;
    unsigned depth_ = 0;
};

// Parses a time: "5s", "200ms". Throws std::invalid_argument.
std::chrono::milliseconds duration(std::string_view text);

// Fails the scenario because of a received frame. The error contains `what` and the frame.
[[noreturn]] void wrong(const Frame &frame, std::string_view what);

} // namespace xiw::peer
