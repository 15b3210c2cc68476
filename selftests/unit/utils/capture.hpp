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

// Return the octets of vector `id` of selftests/vectors/wire.tsv. Throw if there is no such vector.
Bytes golden(std::string_view id);
// Build the FPDU of a ULPDU. marked_fpdu() inserts markers: `pos` is the position of the FPDU in
// the stream of octets, and marked_fpdu() advances `pos`.
Bytes fpdu(const Bytes &ulpdu, bool good_crc = true);
Bytes marked_fpdu(const Bytes &ulpdu, unsigned &pos);
// Build an untagged ULPDU.
Bytes untagged(uint8_t opcode, uint32_t queue, uint32_t msn, const Bytes &payload);
// Build the ULPDU of a Send with Immediate.
Bytes send_immediate(bool solicited, uint32_t value, const Bytes &payload, uint32_t msn = 1);

// The raw IP packets of a TCP connection, as a capture contains them. A test may change the
// packets.
class Recording {
  public:
    explicit Recording(bool v6 = false) : v6_(v6) {}

    struct Packet {
        uint64_t time;
        Bytes octets;
        uint32_t length; // length of the packet before the capture truncated it
    };

    void handshake();
    // Send the octets in segments of `piece` octets. By default, send one segment.
    void send(bool from_initiator, const Bytes &octets, size_t piece = SIZE_MAX);
    void fin(bool from_initiator);
    void rst(bool from_initiator);
    // Advance the sequence number as if a segment of `octets` octets were missing in the capture.
    void lose(bool from_initiator, size_t octets) { next_[from_initiator] += octets; }

    // Do the TCP handshake, and send an MPA Request and Reply of the golden vectors: revision 2,
    // with CRC, without markers.
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

// A file that the destructor deletes.
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
