// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A request is answered once. The peer is an ordinary TCP socket that asks for the peer-to-peer
// start (RFC 6581) and never sends its first FPDU: a server that sends no FPDU either keeps the
// connection where iw_cm takes answers for as long as it can.
#include "pair.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace user {
namespace {

class Peer {
  public:
    explicit Peer(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in to = {};
        to.sin_family = AF_INET;
        to.sin_port = port;
        inet_pton(AF_INET, addresses.b.c_str(), &to.sin_addr);
        check(socket_ >= 0 && !::connect(socket_, reinterpret_cast<sockaddr *>(&to), sizeof to),
              "connect");
        // CRC and enhanced; revision 2; IRD 1 with peer-to-peer, ORD 1 with an RTR by Read
        constexpr std::string_view request("MPA ID Req Frame\x50\x02\x00\x04\x80\x01\x40\x01", 24);
        check(write(socket_, request.data(), request.size()) == 24, "write");
    }
    ~Peer() { close(); }
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;
    void close() {
        if (socket_ >= 0)
            ::close(socket_);
        socket_ = -1;
    }

  private:
    int socket_;
};

// A server that has accepted, and what it asks for then.
void answers(void (*then)(rdma_cm_id *id, rdma_conn_param *param)) {
    const Channel channel(rdma_create_event_channel());
    check(channel != nullptr, "rdma_create_event_channel");
    const Id listener = listen(channel.get());
    for (int round = 0; round < 20; round++) {
        Peer peer(rdma_get_src_port(listener.get()));
        rdma_cm_id *request = nullptr;
        expect(channel.get(), RDMA_CM_EVENT_CONNECT_REQUEST, &request);
        const Id id(request);
        End end;
        end.create(request, {});
        rdma_conn_param param = {};
        param.responder_resources = param.initiator_depth = 1;
        rdma(rdma_accept(request, &param), "rdma_accept");
        then(request, &param);
        expect(channel.get(), RDMA_CM_EVENT_ESTABLISHED);
        peer.close();
        expect(channel.get(), RDMA_CM_EVENT_DISCONNECTED);
        rdma_destroy_qp(request);
    }
}

void accept_twice() {
    answers([](rdma_cm_id *id, rdma_conn_param *param) {
        check(rdma_accept(id, param) && errno == EINVAL, "a second accept");
    });
}

void accept_and_reject() {
    answers([](rdma_cm_id *id, rdma_conn_param *) {
        check(rdma_reject(id, nullptr, 0) && errno == EINVAL, "a reject after an accept");
    });
}

} // namespace

std::vector<Case> answer_cases() {
    return {{"accept-twice", accept_twice}, {"accept-and-reject", accept_and_reject}};
}

} // namespace user
