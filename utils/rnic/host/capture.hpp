// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Writes traffic to a pcap file. The file contains the octets of TCP connections, in the order in
// which the RNIC passes them to TCP and gets them from TCP. The segments in the file are
// artificial. There are no retransmissions.
#ifndef XIW_RNIC_HOST_CAPTURE_HPP
#define XIW_RNIC_HOST_CAPTURE_HPP

#include "host/address.hpp"

#include <fstream>
#include <span>
#include <string>

namespace xiw::rnic::host {

class Socket;

class Capture {
  public:
    // Position in the octets of a connection.
    struct Flow {
        bool begun = false;
        xiw_addr local{}, remote{};
        u32 sent = 0, received = 0; // octets
    };

    // Throws if the file cannot be written.
    explicit Capture(const std::string &path);

    void octets(Flow &flow, const Socket &socket, bool out, std::span<const u8> octets);

  private:
    void segment(const Flow &flow, bool out, u8 flags, std::span<const u8> octets);

    template <typename T>
    void write(const T *from, size_t count) {
        file_.write(reinterpret_cast<const char *>(from),
                    static_cast<std::streamsize>(count * sizeof(T)));
    }

    std::ofstream file_;
};

} // namespace xiw::rnic::host

#endif
