// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A listener: a socket for each of its addresses, and the slots that are posted to it. The
// unspecified address means all addresses of the RNIC, including addresses that are added later.
#ifndef XIW_RNIC_CONN_LISTENER_HPP
#define XIW_RNIC_CONN_LISTENER_HPP

#include "host/socket.hpp"
#include "host/timers.hpp"

#include <list>
#include <map>
#include <memory>

namespace xiw::rnic {

class Connection;
class Rnic;

class Listener {
  public:
    Listener(Rnic &rnic, u32 index, const xiw_conn_buf &wanted, u32 backlog);

    // Begin to listen. Write the port in use to local. Return: 0 or a negative errno.
    int open(xiw_addr &local);
    u32 index() const { return index_; }
    const xiw_conn_params &params() const { return params_; }

    void post(Connection &connection);
    void forget(Connection &connection);
    // Accept TCP connections and assign them to posted slots.
    void accept();
    // Drop all slots that have no Request.
    void drop_all();

    // Called when the RNIC has a new address, or has lost one.
    void address_added(const host::Address &address);
    void address_removed(const host::Address &address);

  private:
    class Door final : public host::Watcher {
      public:
        explicit Door(Listener &listener) : listener_(listener) {}
        void ready() override { listener_.accept(); }
        host::Socket socket;

      private:
        Listener &listener_;
    };

    int open_door(const host::Address &address);
    bool means(const host::Address &address) const;
    std::list<Connection *>::iterator posted();
    void oust_silent();

    Rnic &rnic_;
    u32 index_;
    u32 backlog_;
    xiw_addr local_;
    xiw_conn_params params_;
    std::map<host::Address, std::unique_ptr<Door>> doors_;
    host::Address served_;          // address of the last accept
    std::list<Connection *> slots_; // slots with a TCP connection are in the order of the accepts
    // Calls accept() again after a lack of memory or descriptors, or to oust silent peers.
    host::Timers::Timer retry_;
};

} // namespace xiw::rnic

#endif
