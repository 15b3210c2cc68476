// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/file.hpp"

#include "error.hpp"
#include "wire/exported.hpp"
#include "wire/packet.hpp"

#include <string_view>

#include <fmt/format.h>
#include <pcap/pcap.h>

namespace xiw::wire {

namespace {

[[noreturn]] void fail(const std::string &name, const std::string &why, const char *hint = "") {
    throw Error(Exit::failed, fmt::format("{}: {}", name, why), hint);
}

} // namespace

void CaptureFile::Close::operator()(pcap *p) const {
    pcap_close(p);
}

CaptureFile::CaptureFile(const std::string &path) : name_(path == "-" ? "standard input" : path) {
    char why[PCAP_ERRBUF_SIZE] = "";

    // libpcap also accepts "-" for standard input. Some errors of libpcap begin with the file name.
    // Remove the name from these errors, because fail() adds it to all errors.
    pcap_.reset(
        pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why));
    if (!pcap_) {
        std::string_view text = why;
        if (const std::string name = path + ": "; text.starts_with(name))
            text.remove_prefix(name.size());
        fail(name_, std::string(text),
             "expected a capture of tcpdump or Wireshark, pcap or pcapng");
    }
    link_ = pcap_datalink(pcap_.get());
    if (!link_known(link_) && link_ != exported_link)
        fail(name_, fmt::format("link layer {} is not supported", link_),
             "supported: captures of Ethernet, raw IP, tcpdump -i any, and xiw");
}

std::optional<CaptureFile::Packet> CaptureFile::next() {
    pcap_pkthdr *header = nullptr;
    const unsigned char *octets = nullptr;

    switch (pcap_next_ex(pcap_.get(), &header, &octets)) {
    case 1:
        break;
    case PCAP_ERROR_BREAK:
        return std::nullopt;
    default:
        fail(name_, pcap_geterr(pcap_.get()), "everything before it was read");
    }
    const auto seconds = static_cast<uint64_t>(header->ts.tv_sec);
    return Packet{seconds * 1'000'000'000 + static_cast<uint64_t>(header->ts.tv_usec),
                  {octets, header->caplen},
                  header->len};
}

} // namespace xiw::wire
