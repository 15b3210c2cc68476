// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A peer sends good CRCs but breaks the rules. Whatever it sends, memory to which it has no write
// access does not change, and only requested work completes.
#include "endpoint.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace xiw;

namespace {

constexpr u32 open_stag = 0x100, read_only = 0x200, other_pd = 0x300, sink = 0x400;
constexpr u64 base = 0x1000;

struct Victim {
    Victim() : end(Endpoint::Config{}) {
        end.region(open_stag, base, 256,
                   XIW_ACCESS_REMOTE_WRITE | XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_ATOMIC);
        end.region(read_only, base, 256, XIW_ACCESS_REMOTE_READ);
        end.region(other_pd, base, 256, 0x1f, XIW_STAGF_REMOTE_INV, 2);
        end.region(sink, base, 256, XIW_ACCESS_LOCAL_WRITE);
        end.post_receive(1, 64);
        end.post_receive(2, 64);
    }
    void ask_read() {
        WorkRequest wr;

        wr.verb = Verb::Read;
        wr.stag = 7;
        wr.length = 32;
        wr.sink_stag = sink;
        wr.sink_to = base + 16;
        end.post(wr);
        end.transmit();
    }
    bool clean(u32 stag, size_t from, size_t to) {
        const Octets &m = end.find(stag)->memory;

        for (size_t i = from; i < to; i++)
            if (m[i])
                return false;
        return true;
    }

    Endpoint end;
};

// Builds segments with mostly valid headers, so that some segments reach the last checks.
class Attacker {
  public:
    explicit Attacker(u64 seed) : random_(seed) {}
    Octets fpdu(const Endpoint &victim) {
        Octets ulpdu(XIW_DDP_HDR_MAX), out(XIW_FPDU_WIRE_MAX);
        u8 opcode = random_() % 16;
        u8 ctrl = odd() ? static_cast<u8>(random_()) : xiw_rdmap_ctrl(opcode);
        const xiw_opcode_row *row = xiw_opcode_of(ctrl);
        bool last = random_() % 4;
        u32 length = row->len_max && !odd() ? row->len_max : random_() % 70;

        if (odd() ? random_() % 2 : row->flags & XIW_OPF_TAGGED) {
            xiw_ddp_put_tagged(ulpdu.data(), ctrl, last, stag(), to());
            ulpdu.resize(XIW_DDP_TAGGED_LEN);
        } else {
            u32 qn = odd() ? random_() % 5 : row->qn;
            u32 msn = odd() ? random_() % 4 : victim.rx.msn[qn % XIW_QN_COUNT];
            u32 mo = odd() ? random_() % 100 : victim.rx.open ? victim.rx.length : 0;

            xiw_ddp_put_untagged(ulpdu.data(), ctrl, last, stag(), qn, msn, mo);
        }
        Octets payload = body(opcode, length);
        ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
        if (random_() % 50 == 0)
            ulpdu[random_() % 2] ^= static_cast<u8>(1U << random_() % 8);
        xiw_span part{ulpdu.data(), static_cast<u32>(ulpdu.size())};
        out.resize(xiw_fpdu_encode(out.data(), &framing_, &part, 1));
        return out;
    }

  private:
    bool odd() { return random_() % 12 == 0; }
    u32 stag() {
        const u32 choice[] = {open_stag, read_only, other_pd, sink, sink + 1, 0, 0xdeadbeef};

        return choice[random_() % std::size(choice)];
    }
    u64 to() {
        const u64 choice[] = {base, base + 16, base + 248, base + 255, base - 1, ~0ULL, 0};

        return odd() ? random_() : choice[random_() % std::size(choice)];
    }
    Octets body(u8 opcode, u32 length) {
        Octets p(length, 0xa5);

        if (opcode == XIW_OP_READ_REQUEST && length >= XIW_READ_REQ_LEN) {
            xiw_read_req r{sink, static_cast<u32>(random_() % 300), 0, to(), stag()};
            xiw_read_req_put(p.data(), &r);
        } else if (opcode == XIW_OP_ATOMIC_REQUEST && length >= XIW_ATOMIC_REQ_LEN) {
            xiw_atomic_req r{};
            r.aop = odd() ? static_cast<u8>(random_()) : static_cast<u8>(random_() % 2 * 2);
            r.stag = stag();
            r.to = to();
            r.data = ~0ULL;
            xiw_atomic_req_put(p.data(), &r);
        }
        return p;
    }

    std::mt19937_64 random_;
    xiw_framing framing_{0, true, false};
};

constexpr xiw_fault reachable[] = {
    XIW_FAULT_SILENT,
    XIW_FAULT_RDMA_STAG,
    XIW_FAULT_RDMA_BOUNDS,
    XIW_FAULT_RDMA_ACCESS,
    XIW_FAULT_RDMA_NOT_ASSOCIATED,
    XIW_FAULT_RDMA_WRAP,
    XIW_FAULT_RDMA_INVALIDATE,
    XIW_FAULT_RDMA_VERSION,
    XIW_FAULT_RDMA_OPCODE,
    XIW_FAULT_RDMA_STREAM,
    XIW_FAULT_DDP_STAG,
    XIW_FAULT_DDP_BOUNDS,
    XIW_FAULT_DDP_NOT_ASSOCIATED,
    XIW_FAULT_DDP_WRAP,
    XIW_FAULT_DDP_TAGGED_VERSION,
    XIW_FAULT_DDP_QN,
    XIW_FAULT_DDP_NO_BUFFER,
    XIW_FAULT_DDP_MSN,
    XIW_FAULT_DDP_MO,
    XIW_FAULT_DDP_TOO_LONG,
    XIW_FAULT_DDP_UNTAGGED_VERSION,
};

// Return true if each reachable fault has occurred. Some attacks are rare. So after its minimum
// number of rounds, the test continues until this function returns true, or until its maximum.
bool got_everywhere(const unsigned *faults) {
    return std::ranges::all_of(reachable, [faults](xiw_fault f) { return faults[f] > 0; });
}

} // namespace

TEST_CASE("a hostile peer changes only memory that it may write",
          "[model][R-SEC-002][R-SEC-004][D-ERR-013][S-REM-002]") {
    const u64 seed = std::random_device{}();
    unsigned faults[XIW_FAULT_COUNT] = {};

    CAPTURE(seed);
    for (u64 round = 0; round < 6000 || (round < 200000 && !got_everywhere(faults)); round++) {
        Victim v;
        Attacker attacker(seed + round);
        bool asked = round % 2;

        if (asked)
            v.ask_read();
        CAPTURE(round);
        for (int i = 0; i < 30 && !v.end.fault; i++) {
            v.end.receive(attacker.fpdu(v.end));
            while (!v.end.fault && !v.end.transmit().empty())
                ;
        }
        faults[v.end.fault]++;
        REQUIRE(v.clean(read_only, 0, 256));
        REQUIRE(v.clean(other_pd, 0, 256));
        REQUIRE(v.clean(sink, 0, asked ? 16 : 256));
        REQUIRE(v.clean(sink, 48, 256));
        REQUIRE(v.end.find(other_pd)->view.state == XIW_STAG_VALID);
        unsigned receives = 0, answers = 0;
        for (const Completion &c : v.end.completions)
            (c.receive ? receives : answers)++;
        REQUIRE(receives <= 2);
        REQUIRE(answers <= (asked ? 1 : 0));
        if (v.end.fault && v.end.fault != XIW_FAULT_SILENT)
            REQUIRE(v.end.terminate);
    }
    for (xiw_fault f : reachable) {
        CAPTURE(f);
        CHECK(faults[f] > 0);
    }
}

TEST_CASE("random octets deliver nothing and cause at most a CRC fault", "[model]") {
    const u64 seed = std::random_device{}();
    std::mt19937_64 random(seed);

    CAPTURE(seed);
    for (int round = 0; round < 2000; round++) {
        Victim v;
        Octets noise(random() % 400);

        for (u8 &o : noise)
            o = static_cast<u8>(random());
        v.end.receive(noise);
        REQUIRE(v.end.completions.empty());
        REQUIRE((!v.end.fault || v.end.fault == XIW_FAULT_LLP_CRC));
    }
}
