// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/capture.hpp"

#include "host/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <vector>

namespace xiw::rnic::host {

namespace {

enum : u32 { magic_nanoseconds = 0xa1b23c4d, link_raw_ip = 101, segment_max = 32768 };
enum : u8 { tcp_syn = 0x02, tcp_ack = 0x10, tcp_push = 0x08, protocol_tcp = 6 };

class Octets {
  public:
    void be16(u16 value) { add(htobe16(value)); }
    void be32(u32 value) { add(htobe32(value)); }
    void octet(u8 value) { out_.push_back(value); }
    void append(const void *from, size_t size) {
        const auto *at = static_cast<const u8 *>(from);
        out_.insert(out_.end(), at, at + size);
    }
    const std::vector<u8> &all() const { return out_; }

  private:
    template <typename T>
    void add(T value) {
        append(&value, sizeof(value));
    }

    std::vector<u8> out_;
};

void ip_header(Octets &out, const xiw_addr &from, const xiw_addr &to, size_t length) {
    if (from.family == 6) {
        out.be32(0x60000000);
        out.be16(static_cast<u16>(length));
        out.octet(protocol_tcp);
        out.octet(64);
        out.append(from.addr, 16);
        out.append(to.addr, 16);
        return;
    }
    out.be16(0x4500);
    out.be16(static_cast<u16>(length + 20));
    out.be32(0x00004000);
    out.octet(64);
    out.octet(protocol_tcp);
    out.be16(0);
    out.append(from.addr, 4);
    out.append(to.addr, 4);
}

} // namespace

Capture::Capture(const std::string &path) : file_(path, std::ios::binary) {
    const std::array<u32, 6> head = {magic_nanoseconds, 2 | 4 << 16, 0, 0, 0x40000, link_raw_ip};

    if (!file_)
        throw std::system_error(errno, std::generic_category(), path);
    write(head.data(), head.size());
    file_.flush();
}

void Capture::segment(const Flow &flow, bool out, u8 flags, std::span<const u8> octets) {
    const xiw_addr &from = out ? flow.local : flow.remote;
    const xiw_addr &to = out ? flow.remote : flow.local;
    const u32 start = (flags & tcp_syn) != 0 ? 0 : 1;
    Octets packet;

    ip_header(packet, from, to, 20 + octets.size());
    packet.append(&from.port, 2);
    packet.append(&to.port, 2);
    packet.be32(start + (out ? flow.sent : flow.received));
    packet.be32((flags & tcp_ack) != 0 ? 1 + (out ? flow.received : flow.sent) : 0);
    packet.octet(0x50);
    packet.octet(flags);
    packet.be16(0xffff);
    packet.be32(0);
    packet.append(octets.data(), octets.size());

    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now);
    const auto length = static_cast<u32>(packet.all().size());
    const std::array<u32, 4> head = {
        static_cast<u32>(seconds.count()),
        static_cast<u32>(std::chrono::nanoseconds(now - seconds).count()), length, length};
    write(head.data(), head.size());
    write(packet.all().data(), length);
}

// Begin with a handshake, so that programs that read the file detect the start of the connection.
void Capture::octets(Flow &flow, const Socket &socket, bool out, std::span<const u8> octets) {
    if (!flow.begun) {
        flow.begun = true;
        socket.addresses(flow.local, flow.remote);
        segment(flow, out, tcp_syn, {});
        segment(flow, !out, tcp_syn | tcp_ack, {});
        segment(flow, out, tcp_ack, {});
    }
    while (!octets.empty()) {
        const auto part = octets.first(std::min<size_t>(octets.size(), segment_max));
        segment(flow, out, tcp_ack | tcp_push, part);
        (out ? flow.sent : flow.received) += static_cast<u32>(part.size());
        octets = octets.subspan(part.size());
    }
    file_.flush();
}

} // namespace xiw::rnic::host
