// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/channel.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

namespace xiw::rnic::bus {

namespace {

void take_descriptors(Message &message, msghdr &from) {
    for (cmsghdr *c = CMSG_FIRSTHDR(&from); c != nullptr; c = CMSG_NXTHDR(&from, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            message.descriptors.emplace_back(fd);
        }
    }
    // The kernel has closed the descriptors for which there was no room.
    if ((from.msg_flags & MSG_CTRUNC) != 0 || message.descriptors.size() > descriptors_max)
        message.truncated = true;
}

} // namespace

Channel::~Channel() {
    std::array<uint8_t, 4096> unread{};

    shutdown(socket_.get(), SHUT_RDWR); // no more octets can arrive
    while (recv(socket_.get(), unread.data(), unread.size(), MSG_DONTWAIT) > 0)
        ;
}

bool Channel::receive_header(Message &message) {
    auto *at = reinterpret_cast<uint8_t *>(&message.header);
    size_t left = sizeof(message.header);

    while (left > 0) {
        alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptors_max * sizeof(int))> control{};
        iovec piece{.iov_base = at, .iov_len = left};
        msghdr from{};
        from.msg_iov = &piece;
        from.msg_iovlen = 1;
        from.msg_control = control.data();
        from.msg_controllen = control.size();
        const ssize_t n = recvmsg(socket_.get(), &from, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        take_descriptors(message, from);
        at += n;
        left -= static_cast<size_t>(n);
    }
    return true;
}

bool Channel::receive(Message &message) {
    message.descriptors.clear();
    message.truncated = false;
    if (!receive_header(message))
        return false;
    const uint32_t size = message.header.size;
    if (size < sizeof(Header) || size - sizeof(Header) > payload_max)
        return false;
    message.payload.resize(size - sizeof(Header));
    for (size_t have = 0; have < message.payload.size();) {
        const ssize_t n =
            recv(socket_.get(), message.payload.data() + have, message.payload.size() - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        have += static_cast<size_t>(n);
    }
    return true;
}

bool Channel::send(const Header &header, Octets payload) const {
    const auto *head = reinterpret_cast<const uint8_t *>(&header);
    const size_t total = sizeof(header) + payload.size();

    for (size_t done = 0; done < total;) {
        std::array<iovec, 2> pieces{};
        size_t count = 0;
        if (done < sizeof(header))
            pieces[count++] = {const_cast<uint8_t *>(head) + done, sizeof(header) - done};
        const size_t skip = done < sizeof(header) ? 0 : done - sizeof(header);
        pieces[count++] = {const_cast<uint8_t *>(payload.data()) + skip, payload.size() - skip};
        msghdr to{};
        to.msg_iov = pieces.data();
        to.msg_iovlen = count;
        const ssize_t n = sendmsg(socket_.get(), &to, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

bool Channel::reply(const Header &request, Octets payload) const {
    if ((request.flags & flag_no_reply) != 0)
        return true;
    Header header = request;
    header.size = static_cast<uint32_t>(sizeof(header) + payload.size());
    header.flags = flag_reply;
    header.error = 0;
    return send(header, payload);
}

bool Channel::fail(const Header &request, int error) const {
    if ((request.flags & flag_no_reply) != 0)
        return true;
    Header header = request;
    header.size = sizeof(header);
    header.flags = flag_reply | flag_error;
    header.error = static_cast<uint32_t>(error);
    return send(header, {});
}

} // namespace xiw::rnic::bus
