// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_CAPTURE_HPP
#define TEST_CAPTURE_HPP

#include "wire/decoder.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using Bytes = std::vector<uint8_t>;

// Get a line of selftests/vectors/wire.tsv. Throws if the name does not exist.
Bytes golden(std::string_view id);
// Build an FPDU around a ULPDU, with markers if the direction has them. Advances pos.
Bytes fpdu(const Bytes &ulpdu, bool good_crc = true);
Bytes marked_fpdu(const Bytes &ulpdu, unsigned &pos);
// Build an untagged ULPDU.
Bytes untagged(uint8_t opcode, uint32_t queue, uint32_t msn, const Bytes &payload);
// Build the ULPDU of a Send with Immediate.
Bytes send_immediate(bool solicited, uint32_t value, const Bytes &payload, uint32_t msn = 1);

// A TCP connection in a capture: raw IP packets, which a test may change in any way.
class Recording {
  public:
    explicit Recording(bool v6 = false) : v6_(v6) {}

    struct Packet {
        uint64_t time;
        Bytes octets;
        uint32_t length; // as sent
    };

    void handshake();
    // Sends the octets in segments of `piece` octets; by default in one segment.
    void send(bool from_initiator, const Bytes &octets, size_t piece = SIZE_MAX);
    void fin(bool from_initiator);
    void rst(bool from_initiator);
    // Advances the sequence numbers without a segment in the capture.
    void lose(bool from_initiator, size_t octets) { next_[from_initiator] += octets; }

    // Send the MPA Request and Reply of the vectors: enhanced, with CRC, without markers.
    void startup();

    std::vector<Packet> packets;
    uint32_t next_[2] = {0xfffffff0, 1000}; // next sequence numbers of responder and initiator
    uint16_t port = 40000;

  private:
    void segment(bool from_initiator, uint32_t seq, uint8_t flags, const Bytes &octets);

    bool v6_;
    uint64_t now_ = 1'700'000'000'000'000'000;
};

enum class Format { pcap, pcapng };
Bytes file_of(const std::vector<Recording::Packet> &packets, Format format = Format::pcap);

// A file that is deleted with the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(const Bytes &content);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile(TemporaryFile &&) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    TemporaryFile &operator=(TemporaryFile &&) = delete;
    const char *path() const { return path_.c_str(); }

  private:
    std::string path_;
};

} // namespace test

#endif
