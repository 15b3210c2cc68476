// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_TRANSPORT_HPP
#define XIW_NL_TRANSPORT_HPP

#include "nl/attributes.hpp"

#include <memory>
#include <optional>

struct mnl_socket;

namespace xiw::nl {

// Where requests go: the kernel, or its stand-in in the tests.
class Transport {
  public:
    Transport() = default;
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    Transport(Transport &&) = delete;
    Transport &operator=(Transport &&) = delete;
    virtual ~Transport() = default;

    virtual void send(Bytes request) = 0;
    // One datagram; the view holds until the next call.
    virtual Bytes receive() = 0;
    virtual uint32_t port() const = 0;

    // From here on messages of the multicast group come as well.
    virtual void join(uint32_t group) = 0;
    // The next datagram, however long it takes. Nothing if some were lost because
    // they were not taken in time.
    virtual std::optional<Bytes> wait() = 0;
};

// A generic netlink socket in the caller's network namespace. Throws Error.
class Socket final : public Transport {
  public:
    Socket();

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

} // namespace xiw::nl

#endif
