// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_COLLECT_HPP
#define XIW_MODEL_COLLECT_HPP

#include "model/model.hpp"

#include <functional>

namespace xiw::nl {
class Client;
}

namespace xiw {

// Reads objects from the driver into a report, for all devices or for one device. If objects change
// during a dump, the dump is repeated a few times. If the last dump is also inconsistent, the
// report is marked as inconsistent.
class Collector {
  public:
    using NameOf = std::function<std::string(uint64_t ifindex)>;

    Collector(nl::Client &client, NameOf ifname);

    // Restrict all later reads to the device `name`. Throws Error if it does not exist.
    DeviceRef only(const std::string &name);

    // Read the devices. Returns the list in the report.
    const std::vector<Device> &devices();
    // Read the capabilities of devices, and optionally of their QPs.
    void capabilities(bool with_qps);
    // Read the connections, at most `attempts` times.
    const std::vector<Connection> &connections(int attempts = dump_attempts);
    void counters();
    const std::vector<ConfigSet> &config();
    void notices();
    void latency();
    void rings();
    void injections();

    Report &report() { return report_; }

  private:
    // Limit the attempts to get a consistent dump, because a busy server opens and closes
    // connections all the time.
    static constexpr int dump_attempts = 5;

    template <typename Item, typename Decode>
    std::vector<Item> read(uint8_t command, uint16_t device_attribute, Decode decode,
                           int attempts = dump_attempts);
    std::vector<Device> read_devices();

    nl::Client &client_;
    NameOf ifname_;
    std::optional<uint32_t> only_;
    Report report_;
};

} // namespace xiw

#endif
