// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A peer that is an ordinary TCP socket.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connections.hpp"
#include "wire.hpp"

namespace uverbs {

namespace {

Bytes read_of(const Session::Region &region, uint32_t size) {
    Bytes header;

    number(header, uint32_t{7}); // sink STag, of any value: the peer reads no response
    number(header, uint64_t{0});
    number(header, size);
    number(header, region.rkey);
    number(header, region.address);
    return header;
}

bool waits(int socket, int ms) {
    pollfd wait = {socket, POLLIN, 0};

    return poll(&wait, 1, ms) == 1;
}

} // namespace

void stall(const sockaddr_in &at, Session &session, Random &random, Tally &tally) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int little = 2048;
    Bytes frames, reply(mpa_frame);
    uint32_t msn = 1, reads = 1;

    if (socket < 0)
        return;
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    const bool met = !connect(socket, reinterpret_cast<const sockaddr *>(&at), sizeof at) &&
                     !random.once_in(10) && // some peers send nothing at all
                     write(socket, mpa_request().data(), mpa_frame) == mpa_frame &&
                     waits(socket, 300) && read(socket, reply.data(), reply.size()) == mpa_frame &&
                     !(reply[16] & 0x20);
    tally.count("peer met", met);
    if (met) {
        for (auto n = random.below(6); n > 0; n--) {
            if (random.once_in(3))
                untagged(frames, 3, 0, msn++, Bytes(random.below(64)));
            else
                untagged(frames, 1, 1, reads++,
                         read_of(session.region(random),
                                 static_cast<uint32_t>(random.once_in(3) ? 0 : 60'000)));
        }
        if (random.once_in(3))
            frames.insert(frames.end(), {0x40, 0, 0x41}); // the beginning of an FPDU
        if (write(socket, frames.data(), frames.size()) > 0)
            tally.count("peer stalled", true);
        usleep(static_cast<useconds_t>(random.below(random.once_in(3) ? 200'000 : 2'000)));
    }
    if (random.once_in(2)) {
        const linger reset{1, 0};
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    close(socket);
}

} // namespace uverbs
