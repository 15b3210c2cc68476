// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The steps of connection setup by rdma_cm. Each wait has a time limit.
#ifndef XIW_TRAFFIC_VERBS_CM_HPP
#define XIW_TRAFFIC_VERBS_CM_HPP

#include "traffic/verbs/handles.hpp"
#include "traffic/verbs/wait.hpp"

#include <span>
#include <string>
#include <vector>

#include <netinet/in.h>

namespace xiw::traffic {

struct Event {
    rdma_cm_event_type type = RDMA_CM_EVENT_TIMEWAIT_EXIT;
    int status = 0;
    rdma_cm_id *id = nullptr;
    std::vector<uint8_t> data; // private data
};

struct Endpoint {
    sockaddr_storage storage{};
    sockaddr *address() { return reinterpret_cast<sockaddr *>(&storage); }
    const sockaddr *address() const { return reinterpret_cast<const sockaddr *>(&storage); }
    uint16_t port() const;
    void set_port(uint16_t port);
};
std::string host_word(const sockaddr *address); // "192.0.2.1"

// Resolve the name or the address of a host. If `host` is empty, get the wildcard address of each
// family. Throws Error.
std::vector<Endpoint> resolve(const std::string &host, uint16_t port);

// An event channel of rdma_cm. The constructor throws Error if the program cannot use rdma_ucm.
class Cm {
  public:
    explicit Cm(const Interrupts &interrupts);

    int fd() const { return channel_->fd; }
    Id id();
    // Wait for the next event. The result is empty at the time limit.
    std::optional<Event> event(const Deadline &deadline);
    // Wait for an event of `type`. Error messages name `host`.
    Event expect(rdma_cm_event_type type, const Deadline &deadline, const std::string &host);

    // Create a listener. Throws Error.
    Id listen(const Endpoint &at);
    // Resolve the address, which selects the device, and the route. `from` may be null.
    Id route(const Endpoint *from, const Endpoint &to, Duration timeout, const std::string &host);
    // Request the connection; ESTABLISHED, REJECTED or another event follows.
    static void connect(rdma_cm_id *id, std::span<const uint8_t> data);
    static void accept(rdma_cm_id *id, std::span<const uint8_t> data);

  private:
    const Interrupts &interrupts_;
    Channel channel_;
};

} // namespace xiw::traffic

#endif
