// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_TRANSPORT_HPP
#define XIW_NL_TRANSPORT_HPP

#include "nl/attributes.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <linux/netlink.h>

struct mnl_socket;

namespace xiw::nl {

// The destination of requests: the kernel, or a substitute in tests.
class Transport {
  public:
    Transport() = default;
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    Transport(Transport &&) = delete;
    Transport &operator=(Transport &&) = delete;
    virtual ~Transport() = default;

    virtual void send(Bytes request) = 0;
    // Receive one datagram; the view is valid until the next call.
    virtual Bytes receive() = 0;
    virtual uint32_t port() const = 0;

    // Also receive messages of the multicast group `group` from now on.
    virtual void join(uint32_t group) = 0;
    // Wait for the next datagram, without a time limit. The result is empty if datagrams were lost
    // because the buffer was full.
    virtual std::optional<Bytes> wait() = 0;
};

// A netlink socket in the caller's network namespace, by default for generic netlink. Throws Error.
class Socket final : public Transport {
  public:
    explicit Socket(int protocol = NETLINK_GENERIC);

    void send(Bytes request) override;
    Bytes receive() override;
    uint32_t port() const override;
    void join(uint32_t group) override;
    std::optional<Bytes> wait() override;

  private:
    struct Close {
        void operator()(mnl_socket *socket) const;
    };
    std::unique_ptr<mnl_socket, Close> socket_;
    std::unique_ptr<std::byte[]> buffer_;
};

// Get the name of an interface in the caller's network namespace; empty if there is none.
std::string interface_name(uint64_t ifindex);
// Get the index of an interface in the caller's network namespace, by its name or by an alternative
// name. Returns 0 if there is none. Throws Error.
uint64_t interface_index(const std::string &name);

} // namespace xiw::nl

#endif
