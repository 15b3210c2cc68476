// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The membership of a connection in a list. Joining and leaving a list allocate no memory.
#ifndef XIW_RNIC_CONN_LINK_HPP
#define XIW_RNIC_CONN_LINK_HPP

#include <list>

namespace xiw::rnic {

class Connection;

class Link {
  public:
    using List = std::list<Connection *>;

    explicit Link(Connection &owner) : own_{&owner}, place_(own_.begin()) {}
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;
    Link(Link &&) = delete;
    Link &operator=(Link &&) = delete;
    ~Link() = default;

    bool joined() const { return own_.empty(); }
    // Append the connection to a list. joined() must be false.
    void join(List &list) { list.splice(list.end(), own_); }
    // Remove the connection from the list that it joined.
    void leave(List &list) { own_.splice(own_.begin(), list, place_); }

  private:
    List own_; // contains the list node while joined() is false
    List::iterator place_;
};

} // namespace xiw::rnic

#endif
