// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A program may answer a connect request only once, and must not answer its own connect. The peer
// is an ordinary TCP socket. As a client, the peer requests peer-to-peer setup (RFC 6581) and never
// sends its first FPDU. The tested program sends no FPDU either, so the connection stays in the
// state in which iw_cm accepts answers. As a server, the peer sends nothing until the test calls
// reply().
#include "pair.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

namespace user {
namespace {

class Socket {
  public:
    explicit Socket(int file) : file_(file) { check(file >= 0, "socket"); }
    ~Socket() { close(); }
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;
    int file() const { return file_; }
    void close() {
        if (file_ >= 0)
            ::close(file_);
        file_ = -1;
    }

  private:
    int file_;
};

class Peer {
  public:
    explicit Peer(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in to = {};
        to.sin_family = AF_INET;
        to.sin_port = port;
        inet_pton(AF_INET, addresses.b.c_str(), &to.sin_addr);
        check(!::connect(socket_.file(), reinterpret_cast<sockaddr *>(&to), sizeof to), "connect");
        // The Request has the flags C and S, revision 2, IRD 1 with flag A (peer-to-peer), and ORD
        // 1 with flag D (the RTR is a Read).
        constexpr std::string_view request("MPA ID Req Frame\x50\x02\x00\x04\x80\x01\x40\x01", 24);
        check(write(socket_.file(), request.data(), request.size()) == 24, "write");
    }
    void close() { socket_.close(); }

  private:
    Socket socket_;
};

// A server that sends nothing until reply() is called.
class Silent {
  public:
    Silent() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const timeval limit = {10 * patience(), 0}; // accepted sockets inherit SO_RCVTIMEO
        socklen_t length = sizeof at_;
        at_.sin_family = AF_INET;
        inet_pton(AF_INET, addresses.b.c_str(), &at_.sin_addr);
        check(!bind(socket_.file(), at(), length) && !::listen(socket_.file(), 1) &&
                  !getsockname(socket_.file(), at(), &length) &&
                  !setsockopt(socket_.file(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit),
              "listen");
    }
    sockaddr *at() { return reinterpret_cast<sockaddr *>(&at_); }
    // Resets all connections that wait for a Reply.
    void close() { socket_.close(); }
    // Accepts a connection, reads the MPA Request, sends an MPA Reply, and stays connected.
    void reply() {
        client_.emplace(accept4(socket_.file(), nullptr, nullptr, SOCK_CLOEXEC));
        std::array<char, 24> request{};
        check(recv(client_->file(), request.data(), request.size(), MSG_WAITALL) == 24, "recv");
        constexpr std::string_view reply("MPA ID Rep Frame\x50\x02\x00\x04\x80\x01\x40\x01", 24);
        check(write(client_->file(), reply.data(), reply.size()) == 24, "write");
    }

  private:
    Socket socket_;
    std::optional<Socket> client_;
    sockaddr_in at_{};
};

// Connects to a silent server. Removes the QP from the id. Otherwise rdma_disconnect() would modify
// the QP to SQD, and fail because the QP is not connected.
struct Connecting {
    Connecting() : channel(rdma_create_event_channel()) {
        check(channel != nullptr, "rdma_create_event_channel");
        sockaddr_in from = {};
        from.sin_family = AF_INET;
        inet_pton(AF_INET, addresses.a.c_str(), &from.sin_addr);
        rdma_cm_id *made = nullptr;
        rdma(rdma_create_id(channel.get(), &made, nullptr, RDMA_PS_TCP), "rdma_create_id");
        id.reset(made);
        rdma(rdma_resolve_addr(made, reinterpret_cast<sockaddr *>(&from), server.at(),
                               5000 * patience()),
             "rdma_resolve_addr");
        expect(channel.get(), RDMA_CM_EVENT_ADDR_RESOLVED);
        rdma(rdma_resolve_route(made, 5000 * patience()), "rdma_resolve_route");
        expect(channel.get(), RDMA_CM_EVENT_ROUTE_RESOLVED);
        end.create(made, {});
        qp.reset(std::exchange(made->qp, nullptr));
        rdma_conn_param param = {};
        param.responder_resources = param.initiator_depth = 1;
        param.qp_num = qp->qp_num;
        rdma(rdma_connect(made, &param), "rdma_connect");
    }

    Silent server;
    Channel channel;
    End end;
    Qp qp;
    Id id;
};

// Accepts a connection of the peer, and calls `then`. Checks that the connection is established.
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

// Rejects a pending connect. The reject fails, but iw_cm then no longer expects the Reply. The
// driver must prevent a BUG() at the next disconnect or destroy (driver/cm/cm.h). An accept has the
// same effect. This program cannot test the accept, because librdmacm destroys the QP after a
// failed accept, which ends the connect. xiw-uverbs tests the accept.
void reject_while_connecting(Connecting &client) {
    check(rdma_reject(client.id.get(), nullptr, 0) && errno == EINVAL, "a reject");
}

void disconnect_connecting() {
    Connecting client;
    reject_while_connecting(client);
    rdma(rdma_disconnect(client.id.get()), "rdma_disconnect");
    client.server.close();
    expect(client.channel.get(), RDMA_CM_EVENT_REJECTED);
}

void destroy_connecting() {
    Connecting client;
    reject_while_connecting(client);
    client.id.reset();
    client.server.close();
    works(ibv_destroy_qp(client.qp.release()), "destroy_qp");
}

// The Reply arrives after the program has disconnected, or while the program destroys the id. The
// destruction of the id aborts the connect, so a later Reply has no receiver.
void reply_to_nobody() {
    for (int round = 0; round < 20; round++) {
        Connecting client;
        rdma(rdma_disconnect(client.id.get()), "rdma_disconnect");
        client.server.reply();
        // This status shows that the disconnect, and not an invalid Reply, has caused the error.
        check(expect(client.channel.get(), RDMA_CM_EVENT_CONNECT_ERROR) == -ECONNABORTED,
              "status of a connect that was given up");
    }
    for (int round = 0; round < 20; round++) {
        Connecting client;
        client.server.reply();
        client.id.reset();
        works(ibv_destroy_qp(client.qp.release()), "destroy_qp");
    }
}

} // namespace

std::vector<Case> answer_cases() {
    return {{"accept-twice", accept_twice},
            {"accept-and-reject", accept_and_reject},
            {"disconnect-connecting", disconnect_connecting},
            {"destroy-connecting", destroy_connecting},
            {"reply-to-nobody", reply_to_nobody}};
}

} // namespace user
