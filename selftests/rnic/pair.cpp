// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Two machines and a connection between them, over the host's loopback interface.
#include "driver.hpp"

#include <stdexcept>

#include <arpa/inet.h>

namespace xiw::test {

namespace {

void must(bool good, const char *what) {
    if (!good)
        throw std::runtime_error(what);
}

} // namespace

Pair::Pair(u32 conn_flags, u32 park, u32 events, const rnic::Function::Settings &settings)
    : a("127.0.0.1", settings, events), b("127.0.0.2", {}, events), flags(conn_flags),
      park_ms(park) {
    s = a.stream(1);
    t = b.stream(1);
    listen();
    connect();
}

void Pair::listen() {
    xiw_conn_buf &listener = b.buffer(0);

    listener = {};
    listener.local = b.address(0);
    listener.params = b.params();
    must(b.command(XIW_ADM_LISTEN, 3, 0, b.conn_buffer(0), 8) == XIW_OK, "listen");
    port = ntohs(listener.local.port);
    b.buffer(5) = {};
    b.buffer(5).params = b.params();
    must(b.command(XIW_ADM_CONN_POST, 5, 3, b.conn_buffer(5)) == XIW_OK, "post");
}

void Pair::connect() {
    xiw_conn_buf &wanted = a.buffer(9);
    static const char greeting[] = "from the active side";

    wanted = {};
    wanted.remote = b.address(port);
    wanted.params = a.params();
    wanted.params.flags = flags;
    wanted.params.park_ms = park_ms;
    wanted.private_length = sizeof(greeting);
    std::memcpy(wanted.private_data, greeting, sizeof(greeting));
    must(a.command(XIW_ADM_CONNECT, 9, 1, a.conn_buffer(9)) == XIW_OK, "connect");
    const xiw_event request = b.wait(XIW_EV_CONN);
    must(request.conn.what == XIW_CONN_REQUEST && request.conn.conn == 5 &&
             request.conn.listener == 3,
         "request");
    must(b.buffer(5).private_length == sizeof(greeting) &&
             std::memcmp(b.buffer(5).private_data, greeting, sizeof(greeting)) == 0,
         "private data");
    b.buffer(5).params = b.params();
    b.buffer(5).params.flags = flags;
    b.buffer(5).params.park_ms = park_ms;
    b.buffer(5).private_length = 0;
    must(b.command(XIW_ADM_ACCEPT, 5, 1) == XIW_OK, "accept");
    const xiw_event accepted = b.wait(XIW_EV_CONN);
    must(accepted.conn.what == XIW_CONN_ACCEPTED && accepted.status == XIW_OK, "accepted");
    const xiw_event reply = a.wait(XIW_EV_CONN);
    must(reply.conn.what == XIW_CONN_REPLY && reply.status == XIW_OK, "reply");
    a.order(s, XIW_ORDER_RECEIVE);
}

void Pair::hello() {
    const u64 buffer = b.machine.alloc(64);

    b.receive(t, buffer, 64, 1);
    a.post(s, XIW_TXQ_REQUEST, inline_send("hello"));
    b.wait(XIW_EV_MESSAGE);
    a.wait(XIW_EV_TX_DONE);
}

} // namespace xiw::test
