// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_SESSION_HPP
#define XIW_CMD_SESSION_HPP

#include "cmd/command.hpp"
#include "model/collect.hpp"
#include "nl/client.hpp"

#include <optional>
#include <vector>

namespace xiw::cmd {

// Print a report as JSON or TSV if one of these formats is selected. Otherwise call `text`, which
// prints the report for people.
using Text = std::function<void(std::ostream &out, const Report &report, bool colour)>;
void print_report(Environment &env, const Format &format, const Report &report, const Text &text);
// Print text for people, folded to the width of the terminal.
void print_folded(Environment &env, const std::function<void(std::ostream &out)> &text);

// The device and the QP to which many commands can be limited.
struct Selection {
    std::string device; // empty: all devices
    std::optional<uint32_t> qpn;
};
void add_device(Syntax &syntax, Selection &selection);
void add_device_and_qp(Syntax &syntax, Selection &selection);

// Setup and output for all commands that use the kernel.
class Session {
  public:
    // Finds the netlink family and, unless `device` is empty, the device. Throws Error.
    Session(Environment &env, const Format &format, const std::string &device = {});

    Collector &collect() { return collector_; }
    nl::Client &client() { return client_; }
    const DeviceRef &device() const { return device_; }

    void print(const Text &text) { print_report(env_, format_, collector_.report(), text); }

  private:
    Environment &env_;
    const Format format_;
    std::unique_ptr<nl::Transport> transport_;
    nl::Client client_;
    Collector collector_;
    DeviceRef device_;
};

// Throw the error for a QP that is not in the kernel's reply.
[[noreturn]] void no_qp(uint32_t qpn);

// Keep only the items of the selected QP, if there is one.
template <typename Item>
void only_qp(std::optional<std::vector<Item>> &list, const Selection &selection) {
    if (!selection.qpn || !list)
        return;
    std::erase_if(*list, [&selection](const Item &item) { return item.qpn != *selection.qpn; });
    if (list->empty())
        no_qp(*selection.qpn);
}

} // namespace xiw::cmd

#endif
