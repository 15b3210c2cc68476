// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_SESSION_HPP
#define XIW_CMD_SESSION_HPP

#include "cmd/command.hpp"
#include "model/collect.hpp"
#include "nl/client.hpp"

#include <optional>
#include <vector>

namespace xiw::cmd {

// Print a report as JSON or TSV if the options say so; else call the renderer for people.
using Text = std::function<void(std::ostream &out, const Report &report, bool colour)>;
void print_report(Environment &env, const Options &options, const Report &report, const Text &text);
// Print text for people, folded to the width of the terminal.
void print_folded(Environment &env, const std::function<void(std::ostream &out)> &text);

// Setup and output that all commands share that use the kernel.
class Session {
  public:
    // Finds the family, and the device if the options name one. Throws Error.
    Session(Environment &env, const Options &options);

    Collector &collect() { return collector_; }
    nl::Client &client() { return client_; }
    const DeviceRef &device() const { return device_; }

    void print(const Text &text) { print_report(env_, options_, collector_.report(), text); }

  private:
    Environment &env_;
    const Options &options_;
    std::unique_ptr<nl::Transport> transport_;
    nl::Client client_;
    Collector collector_;
    DeviceRef device_;
};

// Throw the error for a QP that is not in the kernel's reply.
[[noreturn]] void no_qp(uint32_t qpn);

// Keep only the items of the QP in the options, if there is one.
template <typename Item>
void only_qp(std::optional<std::vector<Item>> &list, const Options &options) {
    if (!options.qpn || !list)
        return;
    std::erase_if(*list, [&options](const Item &item) { return item.qpn != *options.qpn; });
    if (list->empty())
        no_qp(*options.qpn);
}

} // namespace xiw::cmd

#endif
