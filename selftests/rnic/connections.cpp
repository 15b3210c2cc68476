// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Listen, connect, reject; and how streams end.
#include "captured.hpp"
#include "driver.hpp"
#include "file_limit.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <deque>
#include <set>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace xiw::test;
namespace rnic = xiw::rnic;

namespace {

// While this is true, epoll_ctl() fails for each new descriptor.
std::atomic<bool> watches_exhausted = false;

} // namespace

// Replaces epoll_ctl() of the C library.
extern "C" int epoll_ctl(int epoll, int op, int fd, epoll_event *event) noexcept {
    if (op == EPOLL_CTL_ADD && watches_exhausted) {
        errno = ENOSPC;
        return -1;
    }
    return static_cast<int>(syscall(SYS_epoll_ctl, epoll, op, fd, event));
}

namespace {

u8 connect_to(Driver &a, const xiw_addr &remote, u32 slot = 9, u32 stream = 1) {
    xiw_conn_buf &wanted = a.buffer(slot);

    wanted = {};
    wanted.remote = remote;
    wanted.params = a.params();
    return a.command(XIW_ADM_CONNECT, slot, stream, a.conn_buffer(slot));
}

// Connects a plain TCP socket to a listener. recv() of the socket waits for five seconds at most.
Descriptor dial(const xiw_addr &listener) {
    Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    sockaddr_in name{};

    setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    name.sin_family = AF_INET;
    name.sin_port = listener.port;
    std::memcpy(&name.sin_addr, listener.addr, 4);
    REQUIRE(connect(made.get(), reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0);
    return made;
}

// Listens at the first address of `b`, with one posted slot, 5. Returns the address of the
// listener.
xiw_addr listen_once(Driver &b) {
    xiw_conn_buf &listener = b.buffer(0);

    listener.local = b.address(0);
    listener.params = b.params();
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    b.buffer(5) = {};
    b.buffer(5).params = b.params();
    REQUIRE(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
    return listener.local;
}

// Sends an MPA Request of revision 1. Returns its length, which is also the length of the Reply.
u32 send_request(const Descriptor &peer) {
    std::array<u8, XIW_MPA_FRAME_MAX> octets{};
    xiw_mpa_config wish{};
    xiw_mpa_frame request{};

    wish.rev = 1;
    wish.crc = true;
    xiw_mpa_request(&request, &wish);
    const u32 length = xiw_mpa_build(octets.data(), &request, nullptr);
    REQUIRE(send(peer.get(), octets.data(), length, 0) == static_cast<ssize_t>(length));
    return length;
}

// Connect stream 2 of both machines. The time limits apply to the passive side. Return the stream
// of the passive side.
Stream second(Pair &p, u32 rtr_ms, u32 linger_ms, Stream *active = nullptr) {
    const Stream made = p.a.stream(2);
    if (active != nullptr)
        *active = made;
    Stream passive = p.b.stream(2);
    p.b.buffer(6) = {};
    p.b.buffer(6).params = p.b.params();
    CHECK(p.b.command(XIW_ADM_CONN_POST, 6, 3, p.b.conn_buffer(6)) == XIW_OK);
    CHECK(connect_to(p.a, p.b.address(p.port), 10, 2) == XIW_OK);
    CHECK(p.b.wait(XIW_EV_CONN).conn.conn == 6);
    p.b.buffer(6).params = p.b.params();
    p.b.buffer(6).params.rtr_ms = rtr_ms;
    p.b.buffer(6).params.linger_ms = linger_ms;
    p.b.buffer(6).private_length = 0;
    CHECK(p.b.command(XIW_ADM_ACCEPT, 6, 2) == XIW_OK);
    CHECK(p.b.wait(XIW_EV_CONN).status == XIW_OK);
    CHECK(p.a.wait(XIW_EV_CONN).status == XIW_OK);
    return passive;
}

} // namespace

TEST_CASE("rnic: both endpoints report the agreed parameters") {
    Pair p;
    const xiw_conn_buf &a = p.a.buffer(9), &b = p.b.buffer(5);

    CHECK(a.params.ird == 8);
    CHECK(a.params.ord == 8);
    CHECK((a.params.flags & (XIW_CONNF_ENHANCED | XIW_CONNF_INITIATOR | XIW_CONNF_CRC)) ==
          (XIW_CONNF_ENHANCED | XIW_CONNF_INITIATOR | XIW_CONNF_CRC));
    CHECK((b.params.flags & (XIW_CONNF_ENHANCED | XIW_CONNF_INITIATOR)) == XIW_CONNF_ENHANCED);
    CHECK(a.peer_rev == 2);
    CHECK(a.mulpdu >= XIW_MULPDU_MIN);
    CHECK(a.remote.port == b.local.port);
    CHECK(a.local.port == b.remote.port);
    CHECK(std::memcmp(b.local.addr, "\x7f\0\0\2", 4) == 0);
    CHECK(p.a.state(p.s) == XIW_ST_OPEN);
}

TEST_CASE("rnic: each kind of connection failure is reported") {
    Driver a("127.0.0.1");
    Driver b("127.0.0.3");
    a.stream(1);
    xiw_conn_buf &listener = b.buffer(0);
    listener.local = b.address(0);
    listener.params = b.params();

    // There is no listener.
    CHECK(connect_to(a, b.address(9)) == XIW_OK);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_REFUSED);
    CHECK(a.command(XIW_ADM_CONN_FREE, 9) == XIW_OK);

    // The ULP rejects the request, with private data.
    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_ERR_BUSY);
    CHECK(b.command(XIW_ADM_LISTEN, 2, 0, b.conn_buffer(0), 4) == XIW_ERR_ADDRESS_IN_USE);
    b.buffer(5).params = b.params();
    CHECK(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
    CHECK(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_ERR_BUSY);
    CHECK(connect_to(a, b.address(ntohs(listener.local.port))) == XIW_OK);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
    b.buffer(5).private_length = 3;
    std::memcpy(b.buffer(5).private_data, "no!", 3);
    CHECK(b.command(XIW_ADM_ACCEPT, 5, 77) == XIW_ERR_INVALID); // this stream does not exist
    CHECK(b.command(XIW_ADM_REJECT, 5) == XIW_OK);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_REJECTED);
    CHECK(a.buffer(9).private_length == 3);
    CHECK(std::memcmp(a.buffer(9).private_data, "no!", 3) == 0);
    CHECK(a.command(XIW_ADM_CONN_FREE, 9) == XIW_OK);
    CHECK(b.command(XIW_ADM_CONN_FREE, 5) == XIW_OK);

    // The RNIC does not have the local address.
    xiw_addr other = b.address(ntohs(listener.local.port));
    other.addr[3] = 44;
    xiw_conn_buf &wanted = a.buffer(9);
    wanted = {};
    wanted.local = other;
    wanted.remote = b.address(9);
    wanted.params = a.params();
    CHECK(a.command(XIW_ADM_CONNECT, 9, 1, a.conn_buffer(9)) == XIW_OK);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_ADDRESS);
    CHECK(a.command(XIW_ADM_CONN_FREE, 9) == XIW_OK);

    // Stop the stream while it connects.
    CHECK(connect_to(a, b.address(ntohs(listener.local.port))) == XIW_OK);
    a.doorbell(XIW_DB_STREAM, 1, XIW_ORDER_ABORT);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_GONE);
    CHECK(b.command(XIW_ADM_UNLISTEN, 1) == XIW_OK);
    CHECK(b.command(XIW_ADM_UNLISTEN, 1) == XIW_ERR_INVALID);
}

TEST_CASE("rnic: connections from one port to one listener get separate ports") {
    Driver a("127.0.0.1");
    Driver b("127.0.0.4");
    xiw_conn_buf &listener = b.buffer(0);

    listener.local = b.address(0);
    listener.params = b.params();
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    for (const u32 n : {1U, 2U}) {
        a.stream(n);
        b.buffer(4 + n).params = b.params();
        CHECK(b.command(XIW_ADM_CONN_POST, 4 + n, 1, b.conn_buffer(4 + n)) == XIW_OK);
        xiw_conn_buf &wanted = a.buffer(8 + n);
        wanted = {};
        wanted.local = a.address(40123);
        wanted.remote = b.address(ntohs(listener.local.port));
        wanted.params = a.params();
        CHECK(a.command(XIW_ADM_CONNECT, 8 + n, n, a.conn_buffer(8 + n)) == XIW_OK);
        CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
    }
    CHECK(b.buffer(5).remote.port != b.buffer(6).remote.port);
    CHECK(std::memcmp(b.buffer(6).remote.addr, "\x7f\0\0\1", 4) == 0);
}

TEST_CASE("rnic: a stream can be reused as soon as its rejection is reported") {
    Driver a("127.0.0.1");
    const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    sockaddr_in name{.sin_family = AF_INET,
                     .sin_port = 0,
                     .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                     .sin_zero = {}};
    socklen_t size = sizeof(name);
    std::array<u8, XIW_MPA_FRAME_MAX> octets{};
    xiw_mpa_frame request{}, reply{};
    u32 length = 0;

    REQUIRE(bind(listener.get(), reinterpret_cast<sockaddr *>(&name), size) == 0);
    REQUIRE(listen(listener.get(), 2) == 0);
    REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr *>(&name), &size) == 0);
    setsockopt(listener.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    a.stream(1);
    CHECK(connect_to(a, a.address(ntohs(name.sin_port))) == XIW_OK);
    // The peer rejects the connection request, but does not close the TCP connection.
    const Descriptor peer(accept(listener.get(), nullptr, nullptr));
    REQUIRE(peer.get() >= 0);
    const ssize_t got = recv(peer.get(), octets.data(), octets.size(), 0);
    REQUIRE(xiw_mpa_parse(&request, XIW_MPA_REQUEST, octets.data(), static_cast<u32>(got),
                          &length) == XIW_MPA_FRAME);
    const xiw_mpa_config wish{};
    xiw_mpa_reject(&reply, &request, &wish);
    length = xiw_mpa_build(octets.data(), &reply, nullptr);
    REQUIRE(send(peer.get(), octets.data(), length, 0) == static_cast<ssize_t>(length));
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_REJECTED);
    // Use another slot with the same stream.
    CHECK(connect_to(a, a.address(9), 10) == XIW_OK);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_REFUSED);
}

TEST_CASE("rnic: invalid commands are refused") {
    Driver d("127.0.0.1");
    const u64 at = d.conn_buffer(1);
    d.stream(1);
    d.buffer(1).params = d.params();

    CHECK(d.command(XIW_ADM_LISTEN, 4096, 0, at) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_LISTEN, 1, 0, 0) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_LISTEN, 1, 0, at) == XIW_ERR_UNSUPPORTED); // no family
    CHECK(d.command(XIW_ADM_CONN_POST, 1, 1, at) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_CONNECT, 1, 1, at) == XIW_ERR_INVALID); // no remote
    CHECK(d.command(XIW_ADM_CONNECT, 65536, 1, at) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_ACCEPT, 1, 1) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_REJECT, 1) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_CONN_FREE, 1) == XIW_ERR_INVALID);
    d.buffer(1).remote = d.address(1);
    d.buffer(1).private_length = 0xffff;
    CHECK(d.command(XIW_ADM_CONNECT, 1, 1, at) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_STREAM_DESTROY, 2) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_SHARED_RX_DESTROY, 2) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_STAG_CHUNK, 0, 0, at) == XIW_ERR_BUSY);
    CHECK(d.command(XIW_ADM_STAG_CHUNK, 1024, 0, at) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_STAG_CLEAR, 0xffffffff) == XIW_ERR_STAG);
    CHECK(d.command(XIW_ADM_EVENT_CREATE, 99) == XIW_ERR_INVALID);
    CHECK(d.command(XIW_ADM_EVENT_DESTROY, 99) == XIW_ERR_INVALID);
    xiw_admin_cmd remove{};
    remove.op = XIW_ADM_ADDR_REMOVE;
    remove.address.addr = d.address(0);
    remove.address.addr.addr[3] = 9;
    CHECK(d.command(remove) == XIW_ERR_ADDRESS);
    remove.op = XIW_ADM_ADDR_ADD;
    remove.address.prefix = 33;
    CHECK(d.command(remove) == XIW_ERR_INVALID);
}

TEST_CASE("rnic: a wildcard listener accepts connections to addresses added later") {
    Driver a("127.0.0.1");
    Driver b("127.0.0.5");
    a.stream(1);
    xiw_conn_buf &listener = b.buffer(0);
    listener.local.family = 4;
    listener.params = b.params();

    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    const u16 port = ntohs(listener.local.port);
    xiw_admin_cmd add{};
    add.op = XIW_ADM_ADDR_ADD;
    add.address.addr = b.address(0);
    add.address.addr.addr[3] = 6;
    add.address.prefix = 8;
    CHECK(b.command(add) == XIW_OK);
    b.buffer(5).params = b.params();
    CHECK(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
    xiw_addr later = b.address(port);
    later.addr[3] = 6;
    CHECK(connect_to(a, later) == XIW_OK);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
    CHECK(b.buffer(5).local.addr[3] == 6);
    add.op = XIW_ADM_ADDR_REMOVE;
    CHECK(b.command(add) == XIW_OK);
    b.stream(1);
    CHECK(b.command(XIW_ADM_ACCEPT, 5, 1) == XIW_OK);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_FAILED);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_RESET);
}

TEST_CASE("rnic: a connection that cannot be watched fails, but the RNIC does not") {
    Driver a("127.0.0.1");
    Driver b("127.0.0.9");
    a.stream(1);
    xiw_conn_buf &listener = b.buffer(0);
    listener.local = b.address(0);
    listener.params = b.params();

    watches_exhausted = true;
    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_ERR_NOMEM);
    watches_exhausted = false;
    listener.local = b.address(0);
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    b.buffer(5).params = b.params();
    REQUIRE(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
    watches_exhausted = true;
    CHECK(connect_to(a, listener.local) == XIW_OK);
    CHECK(a.wait(XIW_EV_CONN).status == XIW_ERR_NOMEM);
    // The RNIC also closes the connection of a plain TCP peer.
    const Descriptor peer = dial(listener.local);
    u8 octet = 0;
    CHECK(recv(peer.get(), &octet, 1, 0) == 0);
    watches_exhausted = false;
    CHECK(a.command(XIW_ADM_CONN_FREE, 9) == XIW_OK);
    // The slot waits for the next peer.
    CHECK(connect_to(a, listener.local) == XIW_OK);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
}

TEST_CASE("rnic: adding an address that the RNIC has does not repeat failed work of listeners") {
    Driver b("127.0.0.7");
    xiw_conn_buf &listener = b.buffer(0);
    xiw_admin_cmd add{};
    sockaddr_in name{};

    listener.local.family = 4;
    listener.params = b.params();
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    // Another program has the port at the second address.
    name.sin_family = AF_INET;
    name.sin_port = listener.local.port;
    name.sin_addr.s_addr = htonl(0x7f000008);
    Descriptor other(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(bind(other.get(), reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0);
    add.op = XIW_ADM_ADDR_ADD;
    add.address.addr = b.address(0);
    add.address.addr.addr[3] = 8;
    add.address.prefix = 8;
    CHECK(b.command(add) == XIW_OK);
    other.reset();
    CHECK(b.command(add) == XIW_OK);
    const auto dial = [&] {
        const Descriptor peer(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        return connect(peer.get(), reinterpret_cast<sockaddr *>(&name), sizeof(name));
    };
    CHECK(dial() != 0);
    // If the address is removed before it is added again, the RNIC opens the listener's socket.
    add.op = XIW_ADM_ADDR_REMOVE;
    CHECK(b.command(add) == XIW_OK);
    add.op = XIW_ADM_ADDR_ADD;
    CHECK(b.command(add) == XIW_OK);
    CHECK(dial() == 0);
}

TEST_CASE("rnic: the heartbeat continues while slow commands are executed") {
    enum : u32 { listeners = 4096, commands = (1U << admin_log2) - 1 };
    // For each new address, the RNIC opens a socket for each listener. This limit on open files is
    // sufficient for the sockets of the first addresses, but not for those of later addresses.
    const FileLimit files(rlim_t{8} * listeners);
    Driver b("127.0.0.7");
    xiw_conn_buf &listener = b.buffer(0);
    xiw_admin_cmd change{};

    // While the RNIC has no address, no listener has a socket, so all listeners can have the same
    // port. For each new address, the RNIC then tries to open a socket for each listener.
    change.op = XIW_ADM_ADDR_REMOVE;
    change.address.addr = b.address(0);
    change.address.prefix = 8;
    REQUIRE(b.command(change) == XIW_OK);
    listener.local.family = 4;
    listener.local.port = htons(40321);
    listener.params = b.params();
    u32 made = 0;
    for (u32 i = 0; i < listeners; i++)
        made += b.command(XIW_ADM_LISTEN, i, 0, b.conn_buffer(0), 4) == XIW_OK ? 1 : 0;
    REQUIRE(made == listeners);
    change.op = XIW_ADM_ADDR_ADD;
    for (u32 i = 0; i < commands; i++) {
        change.address.addr.addr[2] = static_cast<u8>(1 + i);
        b.submit(change, i + 1 == commands);
    }
    const auto start = std::chrono::steady_clock::now();
    CHECK(b.wait(XIW_EV_ADMIN).status == XIW_OK);
    const u64 before = b.machine.read(XIW_REG_HEARTBEAT);
    u64 last = before;
    for (u32 i = 1; i < commands; i++) {
        REQUIRE(eventually([&] {
            const u64 now = b.machine.read(XIW_REG_HEARTBEAT);
            if (b.has(XIW_EV_ADMIN))
                return true;
            last = now;
            return false;
        }));
        CHECK(b.wait(XIW_EV_ADMIN).status == XIW_OK);
    }
    const auto took = std::chrono::steady_clock::now() - start;
    if (took <= std::chrono::milliseconds{2 * XIW_PCI_HEARTBEAT_MS})
        SKIP("this machine is too fast for slow commands");
    CHECK(last > before);
}

TEST_CASE("rnic: a stream takes one connection, and none after its end") {
    Pair p;
    const xiw_addr there = p.b.address(p.port);
    const auto next = [&](u32 slot) {
        p.b.buffer(slot) = {};
        p.b.buffer(slot).params = p.b.params();
        CHECK(p.b.command(XIW_ADM_CONN_POST, slot, 3, p.b.conn_buffer(slot)) == XIW_OK);
    };

    // The stream is already open, so the peer sees no second connection.
    next(6);
    CHECK(connect_to(p.a, there, 10, 1) == XIW_OK);
    CHECK(p.a.wait(XIW_EV_CONN).status == XIW_ERR_GONE);
    // The passive side's stream is open when slot 6 is used, and has ended when slot 7 is used.
    for (const u32 slot : {6U, 7U}) {
        p.a.stream(slot);
        CHECK(connect_to(p.a, there, slot + 10, slot) == XIW_OK);
        CHECK(p.b.wait(XIW_EV_CONN).conn.conn == slot);
        CHECK(p.b.command(XIW_ADM_ACCEPT, slot, 1) == XIW_OK);
        const xiw_event failed = p.b.wait(XIW_EV_CONN);
        CHECK(failed.conn.what == XIW_CONN_FAILED);
        CHECK(failed.status == XIW_ERR_GONE);
        CHECK(p.a.wait(XIW_EV_CONN).status == XIW_ERR_RESET);
        if (slot == 6) {
            CHECK((p.b.state(p.t) & XIW_ST_STOPPED) == 0);
            p.b.order(p.t, XIW_ORDER_ABORT);
            CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED | XIW_ST_CLOSED));
            next(7);
        }
    }
}

TEST_CASE("rnic: a posted slot uses its listener's timeouts unless it has its own") {
    Driver b("127.0.0.3");
    xiw_conn_buf &listener = b.buffer(0);
    u8 octet = 0;

    listener.local = b.address(0);
    listener.params = b.params();
    listener.params.startup_ms = 100;
    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    b.buffer(5) = {};
    CHECK(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
    const Descriptor silent = dial(listener.local);
    CHECK(recv(silent.get(), &octet, 1, 0) < 0);
    CHECK(errno == ECONNRESET);
}

TEST_CASE("rnic: a message that waits for a receive is not mixed with those of other streams") {
    Pair p;
    Stream s;
    Stream t = second(p, 0, 20000, &s);
    const u64 buffer = p.b.machine.alloc(64);

    p.hello();
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("waits"));
    CHECK(eventually([&] {
        return p.b.machine.word<u32>(p.t.context + offsetof(xiw_stream_ctx, rx_waiting)) == 1;
    }));
    for (u32 i = 0; i < 3; i++) {
        p.b.receive(t, buffer, 64, i);
        p.a.post(s, XIW_TXQ_REQUEST, inline_send("other"));
        CHECK(p.b.wait(XIW_EV_MESSAGE).message.cookie == i);
        CHECK(std::memcmp(p.b.machine.at(buffer), "other", 5) == 0);
    }
    p.b.receive(p.t, buffer, 64, 7);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.cookie == 7);
    CHECK(std::memcmp(p.b.machine.at(buffer), "waits", 5) == 0);
}

TEST_CASE("rnic: the addresses of a listener take turns") {
    Driver b("127.0.0.12");
    xiw_conn_buf &listener = b.buffer(0);
    xiw_admin_cmd add{};

    listener.local.family = 4;
    listener.params = b.params();
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    add.op = XIW_ADM_ADDR_ADD;
    add.address.addr = b.address(0);
    add.address.addr.addr[3] = 13;
    add.address.prefix = 8;
    REQUIRE(b.command(add) == XIW_OK);
    xiw_addr first = b.address(0), second = add.address.addr;
    first.port = second.port = listener.local.port;
    const std::array<Descriptor, 3> peers{dial(first), dial(first), dial(second)};
    for (const Descriptor &peer : peers)
        send_request(peer);
    std::set<u8> served;
    for (u32 slot = 5; slot <= 6; slot++) {
        b.buffer(slot) = {};
        b.buffer(slot).params = b.params();
        REQUIRE(b.command(XIW_ADM_CONN_POST, slot, 1, b.conn_buffer(slot)) == XIW_OK);
        REQUIRE(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
        served.insert(b.buffer(slot).local.addr[3]);
    }
    CHECK(served == std::set<u8>{12, 13});
}

TEST_CASE("rnic: a capture shows the peers of a slot as separate connections") {
    const std::string all = captured([](const rnic::Function::Settings &settings) {
        Driver b("127.0.0.9", settings);
        const xiw_addr listener = listen_once(b);
        // The first peer sends no MPA Request, so the slot waits for the next peer.
        const Descriptor wrong = dial(listener);
        const std::array<u8, XIW_MPA_FRAME_MAX> octets{};
        u8 octet = 0;
        REQUIRE(send(wrong.get(), octets.data(), octets.size(), 0) > 0);
        CHECK(recv(wrong.get(), &octet, 1, 0) <= 0);
        const Descriptor right = dial(listener);
        send_request(right);
        CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
    });
    constexpr size_t file_header = 24, record_header = 16, ip_header = 20, tcp_flags = 13;
    unsigned begun = 0;
    for (size_t at = file_header; at + record_header + ip_header + tcp_flags < all.size();) {
        u32 length = 0;
        std::memcpy(&length, all.data() + at + 8, sizeof(length));
        begun += all[at + record_header + ip_header + tcp_flags] == 0x02; // SYN
        at += record_header + length;
    }
    CHECK(begun == 2);
}

TEST_CASE("rnic: urgent data is part of the stream") {
    Driver b("127.0.0.3");
    Stream t = b.stream(1);
    std::array<u8, XIW_MPA_FRAME_MAX> octets{};
    std::array<u8, XIW_DDP_UNTAGGED_LEN> header{};
    const std::array<u8, 5> payload{1, 2, 3, 4, 5};

    const Descriptor peer = dial(listen_once(b));
    const u32 frame = send_request(peer);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
    b.buffer(5).params = b.params();
    b.buffer(5).private_length = 0;
    REQUIRE(b.command(XIW_ADM_ACCEPT, 5, 1) == XIW_OK);
    CHECK(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_ACCEPTED);
    REQUIRE(recv(peer.get(), octets.data(), frame, MSG_WAITALL) == static_cast<ssize_t>(frame));

    // The last octet of the FPDU is urgent.
    b.receive(t, b.machine.alloc(64), 64, 1);
    xiw_ddp_put_untagged(header.data(), xiw_rdmap_ctrl(XIW_OP_SEND), true, 0, XIW_QN_SEND,
                         XIW_DDP_FIRST_MSN, 0);
    const std::array<xiw_span, 2> parts{{{header.data(), static_cast<u32>(header.size())},
                                         {payload.data(), static_cast<u32>(payload.size())}}};
    xiw_framing framing{};
    framing.crc = true;
    const u32 fpdu = xiw_fpdu_encode(octets.data(), &framing, parts.data(), parts.size());
    REQUIRE(send(peer.get(), octets.data(), fpdu, MSG_OOB) == static_cast<ssize_t>(fpdu));
    CHECK(b.wait(XIW_EV_MESSAGE).message.length == payload.size());
}

TEST_CASE("rnic: too many connections that close without a slot reset the oldest") {
    constexpr u32 limit = 4096; // docs/rnic/connections.md
    Driver b("127.0.0.11");
    xiw_conn_buf &listener = b.buffer(0);
    std::array<u8, XIW_MPA_FRAME_MAX> octets{};
    std::deque<Descriptor> peers;
    const FileLimit files(2 * limit + 512); // both ends are in this process
    u32 frame = 0;

    REQUIRE(files.reached());
    listener.local = b.address(0);
    listener.params = b.params();
    REQUIRE(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    for (u32 n = 0; n <= limit; n++) {
        b.buffer(5) = {};
        b.buffer(5).params = b.params();
        b.buffer(5).params.linger_ms = 600000;
        REQUIRE(b.command(XIW_ADM_CONN_POST, 5, 1, b.conn_buffer(5)) == XIW_OK);
        peers.push_back(dial(listener.local));
        frame = send_request(peers.back());
        REQUIRE(b.wait(XIW_EV_CONN).conn.what == XIW_CONN_REQUEST);
        b.buffer(5).private_length = 0;
        REQUIRE(b.command(XIW_ADM_REJECT, 5) == XIW_OK);
        REQUIRE(b.command(XIW_ADM_CONN_FREE, 5) == XIW_OK);
    }
    for (const Descriptor &peer : peers)
        REQUIRE(recv(peer.get(), octets.data(), frame, MSG_WAITALL) == static_cast<ssize_t>(frame));
    // The RNIC resets the connection of the first peer. It sends a FIN to the other peers.
    CHECK(eventually([&] { return send(peers.front().get(), "", 1, MSG_NOSIGNAL) < 0; }));
    peers.pop_front();
    for (const Descriptor &peer : peers) {
        int error = 0;
        socklen_t length = sizeof(error);
        REQUIRE(recv(peer.get(), octets.data(), 1, 0) == 0);
        REQUIRE(getsockopt(peer.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0);
        REQUIRE(error == 0);
    }
}

TEST_CASE("rnic: a MULPDU below the minimum is raised, in the context and in the buffer") {
    Pair p;
    p.a.stream(2);
    const Stream passive = p.b.stream(2);
    p.b.buffer(6) = {};
    CHECK(p.b.command(XIW_ADM_CONN_POST, 6, 3, p.b.conn_buffer(6)) == XIW_OK);
    CHECK(connect_to(p.a, p.b.address(p.port), 10, 2) == XIW_OK);
    CHECK(p.b.wait(XIW_EV_CONN).conn.conn == 6);
    p.b.buffer(6).params = p.b.params();
    p.b.buffer(6).params.mulpdu_max = 5;
    p.b.buffer(6).private_length = 0;
    CHECK(p.b.command(XIW_ADM_ACCEPT, 6, 2) == XIW_OK);
    CHECK(p.b.wait(XIW_EV_CONN).status == XIW_OK);
    CHECK(p.b.machine.at<xiw_stream_ctx>(passive.context)->mulpdu == XIW_MULPDU_MIN);
    CHECK(p.b.buffer(6).mulpdu == XIW_MULPDU_MIN);
}

TEST_CASE("rnic: CLOSE sends queued messages, and the stream ends when both sides close") {
    Pair p;
    p.hello();
    p.b.receive(p.t, p.b.machine.alloc(64), 64, 2);

    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("last word"), false);
    p.a.order(p.s, XIW_ORDER_CLOSE);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.length == 9);
    CHECK(p.b.wait_state(p.t, XIW_ST_PEER_CLOSED));
    CHECK((p.a.state(p.s) & XIW_ST_STOPPED) == 0);
    p.b.order(p.t, XIW_ORDER_CLOSE);
    CHECK(p.a.wait_state(p.s, XIW_ST_STOPPED | XIW_ST_CLOSED | XIW_ST_PEER_CLOSED));
    CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED | XIW_ST_CLOSED));
    CHECK(((p.a.state(p.s) | p.b.state(p.t)) & XIW_ST_LOST) == 0);
    CHECK(p.a.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
    CHECK(p.b.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
}

TEST_CASE("rnic: a stream that ends after its FIN does not reset TCP") {
    Pair p;
    p.hello();

    p.a.order(p.s, XIW_ORDER_CLOSE);
    CHECK(p.b.wait_state(p.t, XIW_ST_PEER_CLOSED));
    // A Terminate order without a message ends the stream at once.
    p.a.order(p.s, XIW_ORDER_TERMINATE);
    CHECK(p.a.wait_state(p.s, XIW_ST_STOPPED));
    CHECK(p.a.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
    p.b.order(p.t, XIW_ORDER_CLOSE);
    CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED | XIW_ST_CLOSED));
    CHECK((p.b.state(p.t) & XIW_ST_LOST) == 0);
}

TEST_CASE("rnic: TERMINATE stops the stream and sends the cause to the peer") {
    Pair p;
    p.hello();
    auto *context = p.a.machine.at<xiw_stream_ctx>(p.s.context);

    context->term_length = xiw_term_build(context->term, {0, 2, 5, 0}, nullptr, 0, 0);
    p.a.order(p.s, XIW_ORDER_TERMINATE);
    CHECK(p.a.wait_state(p.s, XIW_ST_STOPPED | XIW_ST_TERM_SENT));
    const xiw_event heard = p.b.wait(XIW_EV_MESSAGE);
    CHECK(heard.message.queue == XIW_QN_TERMINATE);
    CHECK(heard.message.data[0] == 0x02);
    CHECK(heard.message.data[1] == 0x05);
    p.b.order(p.t, XIW_ORDER_CLOSE);
    CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED | XIW_ST_CLOSED));
    CHECK(p.a.wait_state(p.s, XIW_ST_CLOSED));
}

TEST_CASE("rnic: ABORT resets the connection and reports the receive in use") {
    Pair p;
    p.hello();
    const u64 from = p.a.machine.alloc(300000), buffer = p.b.machine.alloc(300000);

    // The peer gets only the first half of a message, because the second SGE of the sender contains
    // an address without memory.
    p.b.receive(p.t, buffer, 300000, 88);
    p.a.post(p.s, XIW_TXQ_REQUEST,
             untagged(XIW_OP_SEND, XIW_QN_SEND,
                      {sge(from, 100000), sge(0x10, 100000)})); // no memory there
    const xiw_event error = p.a.wait(XIW_EV_TX_ERROR);
    CHECK(error.status == XIW_ERR_INVALID);
    CHECK(error.tx.done <= 100000);
    CHECK(eventually(
        [&] { return p.b.machine.at<xiw_stream_ctx>(p.t.context)->rx_octets > error.tx.done; }));
    p.b.order(p.t, XIW_ORDER_ABORT);
    CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED));
    CHECK(p.b.rx_taken(p.t) == 88);
    CHECK(p.a.wait_state(p.s, XIW_ST_LOST | XIW_ST_STOPPED | XIW_ST_CLOSED));
    CHECK(p.a.rx_taken(p.s) == XIW_RX_NONE);
}

TEST_CASE("rnic: a silent peer causes an RTR timeout, and an unanswered close times out") {
    Pair p;
    const Stream silent = second(p, 50, 50);

    CHECK(p.b.wait_state(silent, XIW_ST_RTR_TIMEOUT));
    CHECK((p.b.state(silent) & (XIW_ST_FIRST_FPDU | XIW_ST_STOPPED)) == 0);
    // The other end never closes the connection, so the RNIC aborts it after linger_ms.
    p.b.order(silent, XIW_ORDER_CLOSE);
    CHECK(p.b.wait_state(silent, XIW_ST_LOST | XIW_ST_STOPPED | XIW_ST_CLOSED));
    CHECK((p.b.state(silent) & XIW_ST_PEER_CLOSED) == 0);
}

TEST_CASE("rnic: silent peers keep the slots of a listener only while no other peer waits") {
    Driver b("127.0.0.3");
    xiw_conn_buf &listener = b.buffer(0);
    const u64 block = b.machine.alloc(sizeof(xiw_stats_block));
    std::deque<Descriptor> crowd;
    u8 octet = 0;

    listener.local = b.address(0);
    listener.params = b.params();
    listener.params.startup_ms = 60000;
    CHECK(b.command(XIW_ADM_LISTEN, 1, 0, b.conn_buffer(0), 4) == XIW_OK);
    for (const u32 slot : {5U, 6U}) {
        b.buffer(slot) = {};
        CHECK(b.command(XIW_ADM_CONN_POST, slot, 1, b.conn_buffer(slot)) == XIW_OK);
    }
    // The first peer closes its connection, so the third peer gets slot 5. The oldest remaining
    // peer is in slot 6.
    Descriptor gone = dial(listener.local);
    const Descriptor oldest = dial(listener.local);
    gone.reset();
    const Descriptor younger = dial(listener.local);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    CHECK(recv(oldest.get(), &octet, 1, MSG_DONTWAIT) < 0);
    CHECK(errno == EAGAIN);
    // Only one connection waits for a slot, so the RNIC resets only the oldest peer's connection.
    const Descriptor first = dial(listener.local);
    send_request(first);
    REQUIRE(eventually([&] { return b.has(XIW_EV_CONN); }, std::chrono::seconds(5)));
    CHECK(b.wait(XIW_EV_CONN).conn.conn == 6);
    CHECK(recv(oldest.get(), &octet, 1, 0) < 0);
    CHECK(errno == ECONNRESET);
    CHECK(recv(younger.get(), &octet, 1, MSG_DONTWAIT) < 0);
    CHECK(errno == EAGAIN);
    // The time that a silent peer has spent in the accept queue counts, too. Otherwise, each of the
    // 100 silent peers would keep the slot for 500 ms, and the second Request would wait for 50 s.
    for (u32 i = 0; i < 100; i++)
        crowd.push_back(dial(listener.local));
    const Descriptor second = dial(listener.local);
    send_request(second);
    REQUIRE(eventually([&] { return b.has(XIW_EV_CONN); }, std::chrono::seconds(5)));
    CHECK(b.wait(XIW_EV_CONN).conn.conn == 5);
    CHECK(b.command(XIW_ADM_STATS, 0, 0, block, sizeof(xiw_stats_block)) == XIW_OK);
    CHECK(b.machine.at<xiw_stats_block>(block)->startup_timeouts == 2 + crowd.size());
}

TEST_CASE("rnic: a passive side sends nothing before it receives the first FPDU") {
    Pair p;
    p.b.post(p.t, XIW_TXQ_REQUEST, inline_send("too early"));

    // The passive side's descriptor waits until the initiator's first FPDU arrives.
    CHECK(p.b.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK_FALSE(p.b.has(XIW_EV_TX_DONE));
    p.a.receive(p.s, p.a.machine.alloc(64), 64, 6);
    p.hello();
    CHECK(p.a.wait(XIW_EV_MESSAGE).message.length == 9);
}

TEST_CASE("rnic: removing an address ends its connections") {
    Pair p;
    p.hello();
    xiw_admin_cmd remove{};

    remove.op = XIW_ADM_ADDR_REMOVE;
    remove.address.addr = p.b.address(0);
    CHECK(p.b.command(remove) == XIW_OK);
    CHECK(p.b.wait_state(p.t, XIW_ST_LOST | XIW_ST_STOPPED));
    CHECK(p.a.wait_state(p.s, XIW_ST_LOST));
}

TEST_CASE("rnic: a reset during traffic ends all streams, and the RNIC works again") {
    Pair p;
    p.hello();
    const u64 from = p.a.machine.alloc(1 << 20), to = p.b.machine.alloc(1 << 20);
    const u32 key = p.b.region(to, 1 << 20, XIW_ACCESS_REMOTE_WRITE);

    for (int i = 0; i < 16; i++)
        p.a.post(p.s, XIW_TXQ_REQUEST, tagged(XIW_OP_WRITE, key, to, {sge(from, 1 << 20)}));
    p.a.machine.function_level_reset();
    CHECK(p.a.machine.wait_state(XIW_PCI_IDLE));
    CHECK(p.b.wait_state(p.t, XIW_ST_LOST | XIW_ST_STOPPED | XIW_ST_CLOSED));
    // The RNIC no longer accesses the stream's memory.
    std::memset(p.a.machine.at(p.s.context), 0x5a, sizeof(xiw_stream_ctx));
    p.a.machine.bus_master(true);
    p.a.bring_up();
    CHECK(*p.a.machine.at<u32>(p.s.context + offsetof(xiw_stream_ctx, tx_head)) == 0x5a5a5a5a);
    CHECK(p.b.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
    CHECK(p.b.command(XIW_ADM_CONN_FREE, 5) == XIW_OK);
    CHECK(p.b.command(XIW_ADM_UNLISTEN, 3) == XIW_OK);
    p.s = p.a.stream(1);
    p.t = p.b.stream(1);
    p.listen();
    p.connect();
    p.hello();
}
