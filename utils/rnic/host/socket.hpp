// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A non-blocking TCP socket of the host. Errors are negative errnos.
#ifndef XIW_RNIC_HOST_SOCKET_HPP
#define XIW_RNIC_HOST_SOCKET_HPP

#include "host/address.hpp"
#include "host/poller.hpp"

#include <span>

namespace xiw::rnic::host {

class Socket {
  public:
    Socket() = default;
    explicit Socket(Descriptor fd) : fd_(std::move(fd)) {}
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;
    Socket(Socket &&other) noexcept;
    Socket &operator=(Socket &&other) noexcept;
    ~Socket() { close(false); }

    explicit operator bool() const { return static_cast<bool>(fd_); }

    int open(u8 family);
    int bind(const xiw_addr &local) const;
    int connect(const xiw_addr &remote) const; // -EINPROGRESS: the watcher is called later
    int listen(u32 backlog) const;
    int accept(Socket &out) const;
    u32 queued() const; // number of connections that accept() can return

    int watch(Poller &poller, Watcher &watcher);

    int set_type_of_service(u8 tos) const;
    // Set the time limit for a peer that does not answer; 0 means TCP's default (RFC 5482, RFC 9293
    // §3.8.4).
    void set_peer_time(u32 milliseconds) const;
    // Limit the segment size to a multiple of four, so that FPDUs can fill segments. The length of
    // an FPDU is a multiple of four.
    void set_segments(u32 mtu, u8 family) const;

    // Receive or send without waiting. Return: number of octets; 0 from receive() at the peer's
    // FIN; -EAGAIN if the caller must wait.
    int receive(std::span<u8> to) const;
    int send(std::span<const u8> from, bool more) const;
    bool has_octets() const;
    // Receive and drop data. Return: as receive().
    int discard() const;

    enum class State { connecting, established, closing, closed };
    State state() const;
    // Get the error that ended the TCP connection; -ECONNRESET if the socket has no error.
    int error() const;
    // Check for an error of the socket, and clear it. Returns false if there is no error: TCP has
    // not ended, or both ends have closed TCP.
    bool broken() const;
    u32 segment_size() const;
    bool outstanding() const; // some octets are not acknowledged
    // Get the time in milliseconds since the connection was established. The socket was returned by
    // accept(), and has sent no data yet.
    u32 age() const;
    void addresses(xiw_addr &local, xiw_addr &remote) const;

    void finish() const; // FIN
    void close(bool reset);

  private:
    int option(int level, int name, int value) const;

    Descriptor fd_;
    Poller *poller_ = nullptr;
    uint64_t watched_ = 0;
};

enum xiw_status status_of(int error);

} // namespace xiw::rnic::host

#endif
