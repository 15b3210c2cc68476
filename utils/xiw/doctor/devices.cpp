// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Get the devices from the driver. If network namespaces share RDMA devices, sysfs lists the
// devices of all namespaces, but the driver reports only those of this namespace.
#include "doctor/doctor.hpp"
#include "doctor/driver.hpp"

#include <linux/xiw.h>

namespace xiw::doctor {

std::optional<std::vector<RdmaDevice>> reported_devices() {
    return ask([](Collector &collector) {
        std::optional<std::vector<RdmaDevice>> list(std::in_place);
        for (const Device &device : collector.devices())
            list->push_back({.name = device.ref.name,
                             .netdev = device.ifname,
                             .failed = device.state == XIW_NL_DEVICE_STATE_FAILED});
        return list;
    });
}

} // namespace xiw::doctor
