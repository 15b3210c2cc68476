// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The queues of Reads and Atomics: fill a queue, and remove all requests.
#include "bench.hpp"

namespace xiw::bench {
namespace {

void irrq(benchmark::State &state, u32 depth) {
    bool right = true;
    xiw_irrq q;

    xiw_irrq_init(&q, depth);
    for (auto _ : state) {
        for (u32 i = 0; i < depth; i++)
            right &= xiw_irrq_push(&q) != XIW_IRRQ_NONE;
        for (u32 i = 0; i < depth; i++) {
            right &= xiw_irrq_next(&q) != XIW_IRRQ_NONE;
            xiw_irrq_begun(&q);
            right &= xiw_irrq_oldest(&q) != XIW_IRRQ_NONE;
            xiw_irrq_done(&q);
        }
        keep(&q);
    }
    state.SetItemsProcessed(state.iterations() * depth);
    finish(state, right && xiw_irrq_idle(&q));
}

void orq(benchmark::State &state, u32 depth) {
    bool right = true;
    u32 oldest = 0;
    xiw_orq q;

    xiw_orq_init(&q, depth, 0);
    for (auto _ : state) {
        while (xiw_orq_take(&q))
            right &= xiw_orq_next_id(&q) >= oldest;
        for (; !xiw_orq_idle(&q); xiw_orq_answered(&q)) {
            xiw_atomic_rsp rsp{oldest, 0};
            right &= !xiw_orq_check_atomic(true, oldest++, &rsp);
            keep(&q);
        }
    }
    state.SetItemsProcessed(state.iterations() * depth);
    finish(state, right && oldest == q.request_id);
}

void solicited(benchmark::State &state, u16 depth) {
    std::vector<xiw_solicited_entry> entries(depth);
    xiw_ddp_header h{};
    bool right = true;
    xiw_solicited fifo;

    xiw_solicited_init(&fifo, entries.data(), depth);
    h.ddp_ctrl = XIW_DDP_T | XIW_DDP_L | XIW_DDP_DV;
    h.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_READ_RESPONSE);
    h.stag = 0x101;
    h.payload_len = 64;
    for (auto _ : state) {
        for (u64 i = 0; i < depth; i++)
            right &= xiw_solicited_push_read(&fifo, 0x101, 64 * i, 64, 0, 0);
        for (u64 i = 0; i < depth; i++) {
            h.to = 64 * i;
            right &= !xiw_solicited_check(&fifo, &h);
            right &= xiw_solicited_placed(&fifo, &h) != nullptr;
        }
    }
    state.SetItemsProcessed(state.iterations() * depth);
    finish(state, right && !fifo.count);
}

} // namespace

void add_queues() {
    for (u16 depth : {u16{1}, u16{16}, u16{128}}) {
        std::string n = std::to_string(depth);

        add(name({"irrq", n}), [=](auto &s) { irrq(s, depth); });
        add(name({"orq", n}), [=](auto &s) { orq(s, depth); });
        add(name({"solicited", n}), [=](auto &s) { solicited(s, depth); });
    }
}

} // namespace xiw::bench
