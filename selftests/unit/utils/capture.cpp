// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "capture.hpp"
#include "tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace test {

namespace {

enum : uint8_t { tcp_fin = 1, tcp_syn = 2, tcp_rst = 4, tcp_ack = 16 };

void be16(Bytes &out, uint32_t value) {
    out.push_back(static_cast<uint8_t>(value >> 8));
    out.push_back(static_cast<uint8_t>(value));
}

void be32(Bytes &out, uint32_t value) {
    be16(out, value >> 16);
    be16(out, value & 0xffff);
}

void le32(Bytes &out, uint32_t value) {
    for (int i = 0; i < 4; i++)
        out.push_back(static_cast<uint8_t>(value >> 8 * i));
}

void append(Bytes &out, const Bytes &more) {
    out.insert(out.end(), more.begin(), more.end());
}

// Compute the CRC bit by bit, independently of the core's CRC32C.
uint32_t crc32c(const Bytes &octets) {
    uint32_t crc = ~0U;
    for (const uint8_t octet : octets) {
        crc ^= octet;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
    }
    return ~crc;
}

std::map<std::string, Bytes, std::less<>> read_golden() {
    std::map<std::string, Bytes, std::less<>> all;
    std::ifstream file(test::in_tree("/selftests/vectors/wire.tsv"));
    for (std::string line; std::getline(file, line);) {
        std::istringstream columns(line);
        std::string id, hex;
        if (line.starts_with('#') || !std::getline(columns, id, '\t') ||
            !std::getline(columns, hex, '\t') || id == "id")
            continue;
        Bytes octets;
        for (size_t i = 0; i + 1 < hex.size(); i += 2)
            octets.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
        all[id] = octets;
    }
    return all;
}

} // namespace

Bytes golden(std::string_view id) {
    static const auto all = read_golden();
    const auto it = all.find(id);
    if (it == all.end())
        throw std::runtime_error("no vector " + std::string(id));
    return it->second;
}

Bytes fpdu(const Bytes &ulpdu, bool good_crc) {
    Bytes out;
    be16(out, static_cast<uint32_t>(ulpdu.size()));
    append(out, ulpdu);
    while (out.size() % 4 != 0)
        out.push_back(0);
    le32(out, crc32c(out) ^ (good_crc ? 0 : 1));
    return out;
}

Bytes marked_fpdu(const Bytes &ulpdu, unsigned &pos) {
    Bytes plain = fpdu(ulpdu);
    plain.resize(plain.size() - 4);
    Bytes out;
    unsigned lead = 0;
    const auto marker = [&] {
        if ((pos + out.size()) % 512 != 0)
            return;
        if (out.empty())
            lead = 4;
        be32(out, out.empty() ? 0 : static_cast<uint32_t>(out.size() - lead));
    };
    for (const uint8_t octet : plain) {
        marker();
        out.push_back(octet);
    }
    marker();
    le32(out, crc32c(out));
    pos = static_cast<unsigned>(pos + out.size()) % 512;
    return out;
}

Bytes untagged(uint8_t opcode, uint32_t queue, uint32_t msn, const Bytes &payload) {
    Bytes out = {0x41, static_cast<uint8_t>(0x40 | opcode), 0, 0, 0, 0};
    be32(out, queue);
    be32(out, msn);
    be32(out, 0);
    append(out, payload);
    return out;
}

Bytes send_immediate(bool solicited, uint32_t value, const Bytes &payload, uint32_t msn) {
    Bytes out = untagged(15, 0, msn, payload), field;
    be32(field, value);
    std::copy(field.begin(), field.end(), out.begin() + 2);
    if (solicited)
        out[1] |= 0x10;
    return out;
}

void Recording::handshake() {
    segment(true, next_[1]++, tcp_syn, {});
    segment(false, next_[0]++, tcp_syn | tcp_ack, {});
    segment(true, next_[1], tcp_ack, {});
}

void Recording::send(bool from_initiator, const Bytes &octets, size_t piece) {
    for (size_t at = 0; at < octets.size(); at += std::min(piece, octets.size() - at)) {
        const size_t end = at + std::min(piece, octets.size() - at);
        const Bytes part(octets.begin() + static_cast<ptrdiff_t>(at),
                         octets.begin() + static_cast<ptrdiff_t>(end));
        segment(from_initiator, next_[from_initiator], tcp_ack, part);
        next_[from_initiator] += static_cast<uint32_t>(part.size());
    }
}

void Recording::fin(bool from_initiator) {
    segment(from_initiator, next_[from_initiator]++, tcp_fin | tcp_ack, {});
}

void Recording::rst(bool from_initiator) {
    segment(from_initiator, next_[from_initiator], tcp_rst, {});
}

void Recording::startup() {
    handshake();
    send(true, golden("MPA-REQ2-01"));
    send(false, golden("MPA-REP2-01"));
}

void Recording::segment(bool from_initiator, uint32_t seq, uint8_t flags, const Bytes &octets) {
    Bytes ip;
    const auto addresses = [&](size_t size) {
        for (const bool initiator : {from_initiator, !from_initiator}) {
            ip.push_back(v6_ ? 0xfd : 10);
            ip.resize(ip.size() + size - 2);
            ip.push_back(initiator ? 1 : 2);
        }
    };
    const auto length = static_cast<uint32_t>(20 + octets.size());
    if (v6_) {
        be32(ip, 0x60000000);
        be16(ip, length);
        ip.push_back(6);
        ip.push_back(64);
        addresses(16);
    } else {
        be16(ip, 0x4500);
        be16(ip, length + 20);
        be32(ip, 0x4000);
        ip.push_back(64);
        ip.push_back(6);
        be16(ip, 0);
        addresses(4);
    }
    be16(ip, from_initiator ? port : 4420);
    be16(ip, from_initiator ? 4420 : port);
    be32(ip, seq);
    be32(ip, (flags & tcp_ack) != 0 ? next_[!from_initiator] : 0);
    ip.push_back(0x50);
    ip.push_back(flags);
    be16(ip, 0xffff);
    be32(ip, 0);
    append(ip, octets);
    packets.push_back({now_, ip, static_cast<uint32_t>(ip.size())});
    now_ += 1'000'000;
}

Bytes file_of(const std::vector<Recording::Packet> &packets, Format format) {
    Bytes out;
    if (format == Format::pcap) {
        for (const uint32_t word : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 0x40000U, 101U})
            le32(out, word);
        for (const auto &packet : packets) {
            le32(out, static_cast<uint32_t>(packet.time / 1'000'000'000));
            le32(out, static_cast<uint32_t>(packet.time % 1'000'000'000));
            le32(out, static_cast<uint32_t>(packet.octets.size()));
            le32(out, packet.length);
            append(out, packet.octets);
        }
        return out;
    }
    // Write a section header, an interface description (raw IP), and enhanced packets with times in
    // microseconds.
    for (const uint32_t word :
         {0x0a0d0d0aU, 28U, 0x1a2b3c4dU, 1U, ~0U, ~0U, 28U, 1U, 20U, 101U, 0x40000U, 20U})
        le32(out, word);
    for (const auto &packet : packets) {
        const auto padded = static_cast<uint32_t>((packet.octets.size() + 3) / 4 * 4);
        const uint64_t microseconds = packet.time / 1000;
        le32(out, 6);
        le32(out, 32 + padded);
        le32(out, 0);
        le32(out, static_cast<uint32_t>(microseconds >> 32));
        le32(out, static_cast<uint32_t>(microseconds));
        le32(out, static_cast<uint32_t>(packet.octets.size()));
        le32(out, packet.length);
        append(out, packet.octets);
        out.resize(out.size() + padded - packet.octets.size());
        le32(out, 32 + padded);
    }
    return out;
}

TemporaryFile::TemporaryFile(const Bytes &content) {
    char name[] = "/tmp/xiw-test.XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0)
        throw std::runtime_error("mkstemp");
    path_ = name;
    const ssize_t written = write(fd, content.data(), content.size());
    close(fd);
    if (written != static_cast<ssize_t>(content.size()))
        throw std::runtime_error("write");
}

TemporaryFile::~TemporaryFile() {
    unlink(path_.c_str());
}

} // namespace test
