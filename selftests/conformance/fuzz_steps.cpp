// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The step `fuzz`, which sends a nearly correct session. With `fuzz stream`, each received frame
// must be well-formed, unless the endpoint or the session resets the connection. If the session
// ends by FIN, the endpoint must end the connection, too.
#include "fuzz.hpp"
#include "session.hpp"
#include "verb.hpp"

#include <algorithm>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::peer {

namespace {

constexpr std::string_view target_keys[] = {"stag",      "to",       "size",      "receives",
                                            "receive",   "requests", "read_stag", "read_to",
                                            "read_size", "atomic_id"};

bool takes_target(const std::vector<std::string> &words, std::string_view key) {
    return key == "seed" ||
           (words[0] == "stream" && std::ranges::find(target_keys, key) != std::end(target_keys));
}

Target target(const Session &s, const Call &call) {
    Target made;
    auto value = [&](std::string_view key) { return number(call.key(key, "0")); };

    made.stag = value("stag");
    made.to = value("to");
    made.size = value("size");
    made.receives = value("receives");
    made.receive = value("receive");
    made.requests = number(call.key("requests", "4"));
    made.read_stag = value("read_stag");
    made.read_to = value("read_to");
    if (call.has("read_size"))
        made.read_size = value("read_size");
    if (call.has("atomic_id"))
        made.atomic_id = value("atomic_id");
    made.msn = s.connection.next_msn;
    return made;
}

Octets all_octets(Session &s, const Fuzzed &fuzzed) {
    Octets all;

    for (const Fuzzed::Piece &piece : fuzzed.pieces) {
        if (piece.fpdu) {
            append(all, s.connection.tx.frame(piece.octets));
        } else {
            append(all, piece.octets);
            s.connection.tx.passed(piece.octets.size());
        }
    }
    return all;
}

bool is_gone(const std::system_error &error) {
    return error.code() == std::errc::broken_pipe || error.code() == std::errc::connection_reset ||
           error.code() == std::errc::not_connected;
}

// Sends the pieces. Returns false if the endpoint has closed the connection in the meantime.
bool transmit(Session &s, const Fuzzed &fuzzed) {
    Octets all = all_octets(s, fuzzed);
    Split how;

    for (size_t i = 0; i < fuzzed.cuts; i++)
        how.sizes.push_back(1 + all.size() / (fuzzed.cuts + 1));
    try {
        s.connection.cut(how);
        s.connection.transmit(all, s.deadline());
        return true;
    } catch (const std::system_error &error) {
        if (!is_gone(error))
            throw;
        return false;
    }
}

// Checks each received frame, and checks that nothing follows a Terminate.
class Answers {
  public:
    explicit Answers(Session &s) : s_(s) {}

    // Receives and checks one frame. Returns false at the end of the stream.
    bool one() {
        auto received = s_.connection.receive_fpdu_or_end(s_.deadline());

        if (!received)
            return false;
        Frame frame = decode(received->fpdu);
        s_.saw("got", frame);
        if (!received->trouble.empty())
            wrong(frame, received->trouble);
        if (s_.connection.crc && !received->crc_good)
            wrong(frame, "the CRC is wrong");
        if (frame.kind == "unknown" || frame.value("dv") != 1 || frame.value("rv") != 1)
            wrong(frame, "this is no message");
        if (terminated_)
            wrong(frame, "a message behind a Terminate");
        terminated_ = frame.kind == "terminate";
        return true;
    }

    bool terminated() const { return terminated_; }

  private:
    Session &s_;
    bool terminated_ = false;
};

// Sends FIN or RST. Returns false if the endpoint has closed the connection in the meantime.
bool finish(Session &s, const Fuzzed &fuzzed) {
    try {
        if (fuzzed.reset)
            s.connection.abort();
        else
            s.connection.shut();
        return true;
    } catch (const std::system_error &error) {
        if (!is_gone(error))
            throw;
        return false;
    }
}

void stream(Session &s, const Fuzzed &fuzzed) {
    Answers answers(s);
    bool right = fuzzed.mistakes.empty(), there = transmit(s, fuzzed);

    for (size_t i = 0; right && i < fuzzed.answers; i++)
        if (!answers.one() || answers.terminated())
            throw Mismatch(fmt::format("the end after {} of {} answers", i, fuzzed.answers));
    there &= finish(s, fuzzed);
    if (fuzzed.reset)
        return;
    // If the endpoint has sent RST, received data may be incomplete, so do not check it.
    if (!there)
        s.connection.drain(s.deadline());
    while (there && answers.one())
        ;
    if (right && answers.terminated())
        throw Mismatch("a Terminate, although the session has no mistakes");
}

// Sends the octets, and FIN or RST. After FIN, waits for the end of the stream, and ignores all
// received data.
void startup(Session &s, const Fuzzed &fuzzed) {
    transmit(s, fuzzed);
    finish(s, fuzzed);
    if (!fuzzed.reset)
        s.connection.drain(s.deadline());
}

void fuzz(Session &s, const Call &call) {
    const std::string &what = call.words[0];
    uint64_t seed = number(call.key("seed"));

    if (what != "stream" && what != "request" && what != "reply")
        throw std::invalid_argument("fuzz stream|request|reply");
    Fuzzed fuzzed =
        what == "stream" ? fuzz_stream(seed, target(s, call)) : fuzz_startup(seed, what);
    if (s.options().trace != nullptr)
        fmt::print(*s.options().trace, "  seed {}: {}\n", seed, fuzzed.summary());
    try {
        if (what == "stream")
            stream(s, fuzzed);
        else
            startup(s, fuzzed);
    } catch (const std::exception &error) {
        throw Mismatch(fmt::format("seed {}: {}\n  {}", seed, fuzzed.summary(), error.what()));
    }
}

constexpr Verb fuzz_table[] = {
    {"fuzz",
     "fuzz stream seed=N [stag=N to=N size=N] [receives=N receive=N] [requests=N]"
     " [read_stag=N read_to=N read_size=N] [atomic_id=N] | fuzz request|reply seed=N",
     "messages, most of them with a few mistakes, to the end of the connection", 1, 1, false,
     takes_target, fuzz},
};

} // namespace

std::span<const Verb> fuzz_verbs() {
    return fuzz_table;
}

} // namespace xiw::peer
