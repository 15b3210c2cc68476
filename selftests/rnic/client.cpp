// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "client.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

#include <sys/socket.h>
#include <sys/uio.h>

namespace xiw::test {

namespace {

std::array<int, 2> pair() {
    std::array<int, 2> fds{};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
        throw std::runtime_error("socketpair");
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return fds;
}

} // namespace

Client::Client(bus::Device &device) {
    const auto fds = pair();

    socket_ = Descriptor(fds[0]);
    thread_ = std::thread([&device, fd = fds[1]] { bus::Server(Descriptor(fd), device).serve(); });
}

Client::~Client() {
    hang_up();
}

void Client::hang_up() {
    if (socket_)
        shutdown(socket_.get(), SHUT_RDWR);
    if (thread_.joinable())
        thread_.join();
    socket_.reset();
}

bool Client::raw(std::span<const uint8_t> data, std::span<const int> fds) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> control{};
    iovec piece{const_cast<uint8_t *>(data.data()), data.size()};
    msghdr message{};

    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(head), fds.data(), fds.size_bytes());
    }
    return sendmsg(socket_.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(data.size());
}

std::optional<Reply> Client::receive() {
    Reply reply;

    if (recv(socket_.get(), &reply.header, sizeof(reply.header), MSG_WAITALL) !=
        static_cast<ssize_t>(sizeof(reply.header)))
        return std::nullopt;
    reply.payload.resize(reply.header.size - sizeof(reply.header));
    if (!reply.payload.empty() && recv(socket_.get(), reply.payload.data(), reply.payload.size(),
                                       MSG_WAITALL) != static_cast<ssize_t>(reply.payload.size()))
        return std::nullopt;
    return reply;
}

bool Client::ended() const {
    uint8_t octet = 0;

    return recv(socket_.get(), &octet, 1, MSG_WAITALL) == 0;
}

Reply Client::call(bus::Command command, const std::vector<uint8_t> &payload,
                   std::span<const int> fds) {
    bus::Header header{};

    header.id = ++next_;
    header.command = static_cast<uint16_t>(command);
    header.size = static_cast<uint32_t>(sizeof(header) + payload.size());
    std::vector<uint8_t> message = octets(header);
    message.insert(message.end(), payload.begin(), payload.end());
    raw(message, fds);
    auto reply = receive();
    if (!reply || reply->header.id != header.id)
        throw std::runtime_error("no answer of the server");
    return *reply;
}

void Client::post(bus::Command command, const std::vector<uint8_t> &payload) {
    bus::Header header{};

    header.command = static_cast<uint16_t>(command);
    header.size = static_cast<uint32_t>(sizeof(header) + payload.size());
    header.flags = bus::flag_no_reply;
    std::vector<uint8_t> message = octets(header);
    message.insert(message.end(), payload.begin(), payload.end());
    raw(message);
}

Reply Client::greet() {
    return call(bus::Command::version, octets(uint16_t{0}, uint16_t{0}, uint8_t{0}));
}

} // namespace xiw::test
