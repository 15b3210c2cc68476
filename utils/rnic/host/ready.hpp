// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RNIC_HOST_READY_HPP
#define XIW_RNIC_HOST_READY_HPP

namespace xiw::rnic::host {

// Notify the service manager that QEMU can connect (sd_notify(3)). Do nothing if no service manager
// has started the process.
void report_ready();

} // namespace xiw::rnic::host

#endif
