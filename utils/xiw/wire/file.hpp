// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_FILE_HPP
#define XIW_WIRE_FILE_HPP

#include "wire/wire.hpp"

#include <memory>
#include <string>

struct pcap;

namespace xiw::wire {

// A capture file, pcap or pcapng, from a path or from standard input ("-").
class CaptureFile {
  public:
    // Throws Error if the file cannot be opened, is not a capture, or has an unknown link layer.
    explicit CaptureFile(const std::string &path);

    struct Packet {
        uint64_t time;   // nanoseconds since 1970
        Span octets;     // valid until the next call
        uint32_t length; // octets before truncation
    };
    // Get the next packet. The result is empty at the end of the file. Throws Error if the file
    // ends within a packet or is invalid.
    std::optional<Packet> next();

    int link() const { return link_; }

  private:
    struct Close {
        void operator()(pcap *p) const;
    };

    std::string name_;
    std::unique_ptr<pcap, Close> pcap_;
    int link_ = 0;
};

} // namespace xiw::wire

#endif
