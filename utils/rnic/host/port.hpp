// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The RNIC's port: an interface in the network namespace of this process. Without an interface, the
// namespace itself is the port.
#ifndef XIW_RNIC_HOST_PORT_HPP
#define XIW_RNIC_HOST_PORT_HPP

#include "bus/descriptor.hpp"
#include "host/address.hpp"

#include <atomic>
#include <map>
#include <string>

struct ifreq;

namespace xiw::rnic::host {

class Port {
  public:
    // An empty name means no interface. Throws if the interface does not exist. Removes the
    // addresses that a killed process has added to the interface.
    explicit Port(std::string interface);

    // Any thread may call the functions mac() to hold_mtu().
    u64 mac() const { return mac_; }
    u32 mtu() const { return mtu_; }
    bool up() const { return up_; }
    // Device misbehaviour: hold the link down, or set another MTU. MTU 0 means the MTU of the
    // interface.
    void hold_down(bool on) { held_down_ = on; }
    void hold_mtu(u32 mtu) { held_mtu_ = mtu; }

    // Only the engine thread calls the functions below.
    // Query the interface. Return: true if the link, MAC or MTU has changed.
    bool refresh();
    // Add or remove an address. Return: 0 or a negative errno.
    int add(const xiw_adm_addr &address);
    int remove(const xiw_adm_addr &address);
    void remove_all() noexcept;
    // Set the scope of an address: the RNIC's interface for a link-local address, otherwise 0.
    void scope(xiw_addr &address) const;
    bool has(const Address &address) const { return addresses_.contains(address); }
    const std::map<Address, u8> &addresses() const { return addresses_; } // values: prefix lengths

  private:
    // Query the interface. Returns false if it no longer exists.
    bool ask(unsigned long what, ifreq &request) const;
    bool carrier() const;
    void remove_leftovers() const;
    int change(u16 type, const Address &address, u8 prefix) const;

    std::string interface_;
    unsigned int index_ = 0;
    // These descriptors are opened once, because connections may use all other descriptors of the
    // process.
    Descriptor control_; // for ioctls
    Descriptor route_;   // rtnetlink
    std::atomic<u64> mac_;
    std::atomic<u32> mtu_;
    std::atomic<bool> up_ = true;
    std::atomic<bool> held_down_ = false;
    std::atomic<u32> held_mtu_ = 0;
    std::map<Address, u8> addresses_;
};

} // namespace xiw::rnic::host

#endif
