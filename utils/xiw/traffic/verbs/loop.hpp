// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Two connected ends on one device, for the self-test.
#ifndef XIW_TRAFFIC_VERBS_LOOP_HPP
#define XIW_TRAFFIC_VERBS_LOOP_HPP

#include "traffic/verbs/cm.hpp"
#include "traffic/verbs/end.hpp"

#include <functional>
#include <stdexcept>
#include <vector>

namespace xiw::traffic {

// Failure of a test case.
class Failed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The device on which the self-test runs.
struct Place {
    std::string device;
    Endpoint address; // address of the device
    bool is_direct = false;
    bool is_iwarp = false;
    uint32_t flags = 0; // flags of the greeting
    Duration timeout{};
    std::function<std::vector<Notice>()> notices;
    const Interrupts *interrupts = nullptr;
};
// Find the device with the name `device`. Without a name, find the first xiw device or, if there is
// none, the first device. Throws Error.
Place find_place(const std::string &device, const Interrupts &interrupts);

// Memory of each end: outgoing and incoming data, surrounded by octets that must not change.
constexpr size_t longest = size_t{256} * 1024;
constexpr size_t margin = 8192;
constexpr size_t area = longest + 2 * margin;
constexpr size_t out_at = margin;
constexpr size_t in_at = area + margin;

class Loop {
  public:
    explicit Loop(const Place &place);
    ~Loop();
    Loop(const Loop &) = delete;
    Loop(Loop &&) = delete;
    Loop &operator=(const Loop &) = delete;
    Loop &operator=(Loop &&) = delete;

    End &a() { return *a_; }
    End &b() { return *b_; }
    // Get the next completion of an endpoint. Throws Failed at the time limit.
    Completion completion(End &end);
    // Like completion(), but also throws Failed if the completion reports an error.
    Completion good(End &end);
    // Wait until both ends have been notified of the end of the connection.
    void ends();

  private:
    void connect();

    const Place &place_;
    Cm cm_a_, cm_b_;
    Id listener_, id_a_, id_b_;
    std::unique_ptr<End> a_, b_;
};

// A test case. run() returns a description of the test, and throws Failed if the test fails.
struct LoopCase {
    const char *name;
    uint32_t needs; // features that the device must have, as flags of the greeting
    bool direct;    // only on xiw devices
    std::function<std::string(const Place &)> run;
};
std::vector<LoopCase> data_cases();
std::vector<LoopCase> atomic_cases();
std::vector<LoopCase> refusal_cases();

} // namespace xiw::traffic

#endif
