// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Steps that control the TCP connection, and steps that control how octets are passed to TCP.
#include "session.hpp"
#include "verb.hpp"

#include <thread>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

bool takes_socket_options(const std::vector<std::string> &, std::string_view key) {
    return key == "to" || key == "at" || key == "segment" || key == "receive_buffer";
}

Tcp::Options socket_options(const Session &s, const Call &call) {
    return {
        .receive_buffer = static_cast<int>(number(call.key("receive_buffer", "0"))),
        .segment = static_cast<int>(number(call.key("segment", "0"))),
        .from = s.options().from,
    };
}

Address address(const std::string &text, std::string_view option) {
    if (text.empty())
        throw std::invalid_argument(fmt::format("neither the step nor {} has an address", option));
    return Address::parse(text);
}

void connect(Session &s, const Call &call) {
    Address to = address(call.key("to", s.options().connect), "--connect");

    s.connection.open(Tcp::connect(to, socket_options(s, call), s.deadline()));
}

void listen(Session &s, const Call &call) {
    s.listen(address(call.key("at", s.options().listen), "--listen"), socket_options(s, call));
}

void accept(Session &s, const Call &) {
    s.accept();
}

void open(Session &s, const Call &call) {
    if (s.options().listen.empty()) {
        connect(s, call);
        return;
    }
    listen(s, call);
    accept(s, call);
}

void close(Session &s, const Call &) {
    s.connection.close();
}

void shut(Session &s, const Call &) {
    s.connection.shut();
}

void abort(Session &s, const Call &) {
    s.connection.abort();
}

void split(Session &s, const Call &call) {
    Split how{.sizes = {}, .each = call.words[0] == "each"};

    for (size_t i = how.each ? 1 : 0; i < call.words.size(); i++)
        how.sizes.push_back(number(call.words[i]));
    if (how.sizes.empty())
        throw std::invalid_argument("split each N");
    s.connection.cut(how);
}

void cork(Session &s, const Call &) {
    s.connection.cork();
}

void uncork(Session &s, const Call &) {
    s.connection.uncork(s.deadline());
}

void hold(Session &s, const Call &) {
    s.wire.hold();
}

void release(Session &s, const Call &) {
    s.wire.release();
}

void within(Session &s, const Call &call) {
    s.limit(duration(call.words[0]));
}

void delay(Session &, const Call &call) {
    std::this_thread::sleep_for(duration(call.words[0]));
}

constexpr Verb link_table[] = {
    {"open", "open [segment=N] [receive_buffer=N]",
     "connect or listen and accept, as the command line says", 0, 0, false, takes_socket_options,
     open},
    {"connect", "connect [to=ADDR:PORT] [segment=N] [receive_buffer=N]",
     "a new connection replaces the old one", 0, 0, false, takes_socket_options, connect},
    {"listen", "listen [at=ADDR:PORT] [segment=N] [receive_buffer=N]",
     "listen for a connection; sets $port", 0, 0, false, takes_socket_options, listen},
    {"accept", "accept", "wait for a connection", 0, 0, false, nullptr, accept},
    {"shut", "shut", "send FIN, go on receiving", 0, 0, false, nullptr, shut, false},
    {"abort", "abort", "send RST", 0, 0, false, nullptr, abort, false},
    {"close", "close", "close the socket", 0, 0, false, nullptr, close, false},
    {"split", "split N... | split each N",
     "the next octets go out in TCP segments of these sizes, each acknowledged before the next", 1,
     ANY_NUMBER, false, nullptr, split, false},
    {"cork", "cork", "collect the octets of the next steps", 0, 0, false, nullptr, cork, false},
    {"uncork", "uncork", "send the collected octets together", 0, 0, false, nullptr, uncork, false},
    {"hold", "hold", "hold the packets that are sent on --wire", 0, 0, false, nullptr, hold, false},
    {"release", "release", "send the held packets together", 0, 0, false, nullptr, release, false},
    {"within", "within TIME", "limit of each wait from here on (10s)", 1, 1, false, nullptr, within,
     false},
    {"delay", "delay TIME", "send nothing for that long", 1, 1, false, nullptr, delay},
};

} // namespace

std::span<const Verb> link_verbs() {
    return link_table;
}

} // namespace xiw::peer
