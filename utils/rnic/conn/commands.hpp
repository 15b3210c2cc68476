// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// All connections and listeners, and their commands.
#ifndef XIW_RNIC_CONN_COMMANDS_HPP
#define XIW_RNIC_CONN_COMMANDS_HPP

#include "conn/connection.hpp"
#include "conn/listener.hpp"

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

namespace xiw::rnic {

class Connections {
  public:
    using Answer = std::function<void(u8)>;

    explicit Connections(Rnic &rnic) : rnic_(rnic) {}
    Connections(const Connections &) = delete;
    Connections &operator=(const Connections &) = delete;
    Connections(Connections &&) = delete;
    Connections &operator=(Connections &&) = delete;
    ~Connections();

    // Execute one of the commands XIW_ADM_LISTEN to XIW_ADM_CONN_FREE. Calls answer() with the
    // status before any event reports the outcome.
    void execute(const xiw_admin_cmd &command, const Answer &answer);

    // Schedule a run of the connection. If connection.over() is true after the run, the connection
    // is freed.
    void kick(Connection &connection);
    void slot_free(u32 slot) { slots_.erase(slot); }
    // Add a connection to the list of connections that have no slot and still close TCP. If the
    // list has more than max_closing connections, reset the oldest.
    void join_closing(Connection &connection);
    void leave_closing(Connection &connection);
    // Run all scheduled connections. Returns false if there were none.
    bool run();

    void address_added(const host::Address &address);
    void address_removed(const host::Address &address);

  private:
    // Execute a command that creates a listener or a connection. If the status is not XIW_OK,
    // nothing was created.
    u8 make(const xiw_admin_cmd &command, Connection **made);
    u8 listen(const xiw_admin_cmd &command);
    u8 unlisten(u32 index);
    u8 post(const xiw_admin_cmd &command, Connection **made);
    u8 connect(const xiw_admin_cmd &command, Connection **made);
    u8 of_slot(const xiw_admin_cmd &command);
    Connection &create(u32 slot, u64 buffer, Connection::State state);
    Connection *in_slot(u32 slot) const;
    Listener *listener(u32 index) const;

    Rnic &rnic_;
    std::unordered_map<u32, std::unique_ptr<Listener>> listeners_;
    std::unordered_map<u32, Connection *> slots_;
    std::list<std::unique_ptr<Connection>> all_;
    Link::List scheduled_;
    Link::List closing_; // the oldest first
    bool ending_ = false;
};

} // namespace xiw::rnic

#endif
