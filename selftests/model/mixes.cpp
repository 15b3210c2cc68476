// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Two endpoints that are connected to each other. Random work requests run in both directions at
// the same time, and the TCP stream is cut at random positions. At the end, memory and completions
// equal those of the reference model.
//
// After Reads or Atomics, the first work request of another kind sets the fence. Without the fence,
// RFC 5040 §5.5 does not guarantee the order of the reference model.
#include "reference.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace xiw;

namespace {

constexpr u64 base = 0x7fff'ffff'0000;
constexpr u32 target = 0x00a1b200, sink = 0x00c3d400, disposable = 0x00010000;
constexpr size_t target_size = 8192, sink_size = 1 << 20;

class Side {
  public:
    Side(const Endpoint::Config &config, std::mt19937 &random)
        : end(config), random_(random), reference_(base, target_size) {
        Region &r =
            end.region(target, base, target_size,
                       XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE | XIW_ACCESS_REMOTE_ATOMIC);
        for (u8 &o : r.memory)
            o = static_cast<u8>(random_());
        end.region(sink, 0, sink_size, XIW_ACCESS_LOCAL_WRITE);
    }
    // The requests of this Side access the peer's memory. Copy this memory to the reference model.
    void watch(Side &peer) { reference_.memory = peer.end.find(target)->memory; }
    void post(Side &peer) {
        WorkRequest wr = make(peer);
        bool is_request = wr.verb >= Verb::Read;

        wr.id = next_id_++;
        wr.fence = !is_request && requests_before_;
        if (wr.fence)
            requests_before_ = false;
        if (is_request)
            requests_before_ = true;
        if (wr.verb <= Verb::SendImm || wr.verb == Verb::WriteImm)
            peer.end.post_receive(++receive_id_, 5000);
        reference_.apply(wr, receive_id_, expected);
        end.post(wr);
    }
    void check(Side &peer) {
        std::deque<Completion> sender, receiver;

        for (Completion &c : end.completions)
            if (!c.receive)
                sender.push_back(c);
        for (Completion &c : peer.end.completions)
            if (c.receive)
                receiver.push_back(c);
        REQUIRE(sender.size() == expected.sender.size());
        REQUIRE(receiver.size() == expected.receiver.size());
        for (size_t i = 0; i < sender.size(); i++) {
            const Completion &e = expected.sender[i];

            CAPTURE(i);
            REQUIRE(sender[i].id == e.id);
            REQUIRE(sender[i].length == e.length);
            REQUIRE(sender[i].original == e.original);
            auto read = sinks_.find(e.id);
            if (read != sinks_.end())
                REQUIRE(Octets(end.at(sink, read->second), end.at(sink, read->second) + e.length) ==
                        e.data);
        }
        for (size_t i = 0; i < receiver.size(); i++) {
            const Completion &e = expected.receiver[i];

            CAPTURE(i);
            REQUIRE(receiver[i].id == e.id);
            REQUIRE(receiver[i].length == e.length);
            REQUIRE(receiver[i].with_imm == e.with_imm);
            REQUIRE(receiver[i].imm == e.imm);
            REQUIRE(receiver[i].solicited == e.solicited);
            REQUIRE(receiver[i].invalidated == e.invalidated);
            REQUIRE(receiver[i].data == e.data);
        }
        REQUIRE(peer.end.find(target)->memory == reference_.memory);
        for (u32 stag : gone_)
            REQUIRE(peer.end.find(stag)->view.state == XIW_STAG_INVALID);
    }

    Endpoint end;
    Expected expected;
    Octets pipe; // octets that are sent but have not arrived at the peer

  private:
    Octets data(size_t limit) {
        Octets d(random_() % 4 ? random_() % 300 : random_() % limit);

        for (u8 &o : d)
            o = static_cast<u8>(random_());
        return d;
    }
    u64 awkward() { return random_() % 3 ? 0 : static_cast<u64>(random_()) << 32 | random_(); }
    WorkRequest make(Side &peer) {
        WorkRequest wr;

        wr.verb = static_cast<Verb>(random_() % 9);
        wr.solicited = random_() % 2;
        wr.stag = target;
        switch (wr.verb) {
        case Verb::SendInv:
            wr.invalidate = disposable + (static_cast<u32>(next_id_) << 8);
            peer.end.region(wr.invalidate, 0, 1, 0, XIW_STAGF_REMOTE_INV);
            gone_.push_back(wr.invalidate);
            [[fallthrough]];
        case Verb::Send:
        case Verb::SendImm:
            wr.data = data(5000);
            wr.imm = static_cast<u32>(random_());
            break;
        case Verb::WriteImm:
        case Verb::Write:
            wr.data = data(5000);
            wr.to = base + random_() % (target_size - wr.data.size() + 1);
            wr.imm = static_cast<u32>(random_());
            break;
        case Verb::Read:
        case Verb::ReadInv:
            wr.verb = Verb::Read;
            wr.length = static_cast<u32>(random_() % 4 ? random_() % 300 : random_() % 5000);
            wr.to = base + random_() % (target_size - wr.length + 1);
            wr.sink_stag = sink;
            wr.sink_to = sink_at_;
            sinks_[next_id_] = sink_at_;
            sink_at_ += wr.length + 1;
            break;
        default:
            wr.to = base + random_() % (target_size / 8) * 8;
            wr.atomic.data = awkward();
            wr.atomic.mask = awkward();
            wr.atomic.compare = awkward();
            wr.atomic.compare_mask = random_() % 2 ? 0 : ~0ULL;
        }
        return wr;
    }

    std::mt19937 &random_;
    Reference reference_; // model of the peer's MR `target`
    std::map<u64, u64> sinks_;
    std::vector<u32> gone_;
    u64 next_id_ = 1, receive_id_ = 0, sink_at_ = 0;
    bool requests_before_ = false;
};

void deliver(Side &from, Side &to, std::mt19937 &random) {
    size_t n = std::min<size_t>(from.pipe.size(), random() % 4 ? random() % 3000 : random() % 8);

    to.end.receive(std::span<const u8>(from.pipe).first(n));
    from.pipe.erase(from.pipe.begin(), from.pipe.begin() + static_cast<long>(n));
}

// Run both endpoints until they are idle. Fail if they are not idle after 200,000 steps.
void run(Side &a, Side &b, std::mt19937 &random) {
    for (int step = 0; step < 200000; step++) {
        Side &from = random() % 2 ? a : b, &to = &from == &a ? b : a;

        if (from.pipe.size() < 20000) {
            Octets out = from.end.transmit();
            from.pipe.insert(from.pipe.end(), out.begin(), out.end());
        }
        deliver(from, to, random);
        REQUIRE(a.end.fault == XIW_FAULT_NONE);
        REQUIRE(b.end.fault == XIW_FAULT_NONE);
        if (a.end.idle() && b.end.idle() && a.pipe.empty() && b.pipe.empty())
            return;
    }
    FAIL("streams do not come to rest");
}

} // namespace

TEST_CASE("random requests in both directions complete as in the reference",
          "[model][R-ORD-022][R-RD-009][R-RD-012][R-RD-021][X-ATOM-007][X-ATOM-042][X-ATOM-043][X-"
          "ATOM-044][X-ATOM-052][X-IMM-001][R-STR-005]") {
    const u32 seed = std::random_device{}();
    std::mt19937 random(seed);

    CAPTURE(seed);
    for (int round = 0; round < 120; round++) {
        Endpoint::Config ac, bc;

        ac.crc = bc.crc = random() % 8;
        ac.tx_markers = bc.rx_markers = random() % 2;
        bc.tx_markers = ac.rx_markers = random() % 2;
        ac.ord = bc.ird = static_cast<u16>(1 + random() % 6);
        bc.ord = ac.ird = static_cast<u16>(1 + random() % 6);
        ac.mulpdu = static_cast<u32>(128 + random() % 3000);
        bc.mulpdu = static_cast<u32>(128 + random() % 3000);
        Side a(ac, random), b(bc, random);
        a.watch(b);
        b.watch(a);
        // Let some queues begin with an MSN that soon wraps.
        for (int q : {0, 1, 3}) {
            u32 msn = random() % 2 ? 1 : 0xfffffff8U;
            a.end.tx_msn[q] = b.end.rx.msn[q] = msn;
            b.end.tx_msn[q] = a.end.rx.msn[q] = msn;
        }
        CAPTURE(round);
        for (int burst = 0; burst < 4; burst++) {
            for (unsigned i = random() % 20; i; i--)
                a.post(b);
            for (unsigned i = random() % 20; i; i--)
                b.post(a);
            run(a, b, random);
        }
        a.check(b);
        b.check(a);
    }
}

TEST_CASE("a Read with Invalidate invalidates its sink after the last octet", "[model]") {
    std::mt19937 random(1);
    Side a({}, random), b({}, random);
    WorkRequest wr;

    wr.verb = Verb::ReadInv;
    wr.stag = target;
    wr.to = base;
    wr.length = 3000;
    wr.sink_stag = sink;
    a.end.post(wr);
    Octets request = a.end.transmit();
    b.end.receive(request);
    Octets response;
    while (response.empty())
        response = b.end.transmit();
    std::span<const u8> all(response);
    a.end.receive(all.first(all.size() - 1));
    CHECK(a.end.find(sink)->view.state == XIW_STAG_VALID);
    CHECK(a.end.completions.empty());
    a.end.receive(all.last(1));
    CHECK(a.end.find(sink)->view.state == XIW_STAG_INVALID);
    CHECK(a.end.completions.size() == 1);
}

TEST_CASE("a fault stops both endpoints with a single Terminate", "[model][D-ERR-017]") {
    std::mt19937 random(1);
    Side a({}, random), b({}, random);
    WorkRequest wr;

    wr.verb = Verb::Write;
    wr.stag = target + 1; // an STag with a wrong key
    wr.to = base;
    wr.data = Octets(10, 1);
    a.end.post(wr);
    a.end.post(wr);
    Octets out = a.end.transmit(), more = a.end.transmit();
    b.end.receive(out);
    b.end.receive(more);
    REQUIRE(b.end.fault == XIW_FAULT_DDP_STAG);
    a.end.receive(b.end.transmit());
    REQUIRE(a.end.received_terminate);
    xiw_term_info info;
    REQUIRE(xiw_term_parse(&info, a.end.received_terminate->data(),
                           static_cast<u32>(a.end.received_terminate->size()), true));
    CHECK(info.row == &xiw_term_table[XIW_FAULT_DDP_STAG]);
    CHECK(info.seg_len == 24);
    CHECK(b.end.transmit().empty());
}
