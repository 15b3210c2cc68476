// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The provider's side of a queue mapping. The test takes the place of the kernel.
#include "ring.h"

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

// A queue mapping as the kernel creates it. By default, the entries of the queue are 64-bit words.
class Area {
  public:
    explicit Area(uint32_t entries, uint32_t depth, uint32_t stride = sizeof(uint64_t))
        : queue_{.key = 0,
                 .length = XIW_ABI_RING_SIZE + entries * stride,
                 .entries = entries,
                 .stride = stride,
                 .depth = depth},
          words_(std::make_unique<uint64_t[]>(queue_.length / sizeof(uint64_t))) {
        REQUIRE(xiw_ring_attach(&ring, words_.get(), &queue_));
    }

    // Set all indices to `index`, as if `index` entries had been processed.
    void start(uint32_t index) {
        ring.next = ring.seen = index;
        ring.shared->producer = ring.shared->consumer = ring.shared->taken = index;
    }

    uint64_t &word(uint32_t index) {
        return *static_cast<uint64_t *>(xiw_ring_entry(&ring, index));
    }

    struct xiw_ring ring = {};

  private:
    struct xiw_abi_queue queue_;
    std::unique_ptr<uint64_t[]> words_;
};

const struct xiw_abi_queue sound = {
    .key = 0, .length = XIW_ABI_RING_SIZE + 8 * 64, .entries = 8, .stride = 64, .depth = 5};

} // namespace

TEST_CASE("provider: the shared structures have the documented layout") {
    CHECK(sizeof(struct xiw_abi_ring) == XIW_ABI_RING_SIZE);
    CHECK(offsetof(struct xiw_abi_ring, consumer) == 64);
    CHECK(sizeof(struct xiw_abi_send) == 80);
    CHECK(sizeof(struct xiw_abi_recv) == 16);
    CHECK(sizeof(struct xiw_abi_cqe) == 64);
    CHECK(sizeof(struct xiw_abi_sge) == 16);
    CHECK(sizeof(struct xiw_abi_queue) == 24);
}

TEST_CASE("provider: an invalid queue is refused") {
    std::unique_ptr<uint64_t[]> area(new uint64_t[sound.length / 8]());
    struct xiw_ring ring = {};

    CHECK(xiw_ring_attach(&ring, area.get(), &sound));
    CHECK(ring.mask == 7);
    CHECK(xiw_ring_entry(&ring, 9) == reinterpret_cast<uint8_t *>(area.get()) + 128 + 64);

    auto wrong = [&](auto &&change) {
        struct xiw_abi_queue queue = sound;
        change(queue);
        return !xiw_ring_attach(&ring, area.get(), &queue);
    };
    CHECK(wrong([](auto &q) { q.entries = 0; }));
    CHECK(wrong([](auto &q) { q.entries = 6; }));
    CHECK(wrong([](auto &q) { q.depth = 9; }));
    CHECK(wrong([](auto &q) { q.stride = 0; }));
    CHECK(wrong([](auto &q) { q.stride = 60; }));
    CHECK(wrong([](auto &q) { q.length--; }));
    CHECK(wrong([](auto &q) { q.length = XIW_ABI_RING_SIZE - 1; }));
    CHECK(wrong([](auto &q) { q.entries = 0x80000000, q.depth = 1; }));
}

TEST_CASE("provider: a work queue takes as many requests as its depth") {
    // With the last start value, the index wraps while the queue is filled.
    for (uint32_t start : {0U, 5U, 0xfffffffdU}) {
        Area area(8, 5);
        auto *shared = area.ring.shared;
        area.start(start);

        uint32_t index = start;
        for (int i = 0; i < 5; i++, index++)
            REQUIRE(xiw_ring_has_room(&area.ring, index));
        CHECK_FALSE(xiw_ring_has_room(&area.ring, index));

        xiw_ring_produce(&area.ring, index);
        CHECK(shared->producer == start + 5);
        CHECK_FALSE(xiw_ring_has_room(&area.ring, index));

        shared->consumer = start + 2;
        CHECK(xiw_ring_has_room(&area.ring, index));
        CHECK(xiw_ring_has_room(&area.ring, index + 1));
        CHECK_FALSE(xiw_ring_has_room(&area.ring, index + 2));
    }
}

TEST_CASE("provider: the consumer index is read only when the queue looks full") {
    Area area(8, 4);
    CHECK(xiw_ring_has_room(&area.ring, 0));
    area.ring.shared->consumer = 100; // an invalid value that must not be read
    CHECK(xiw_ring_has_room(&area.ring, 3));
    CHECK(area.ring.seen == 0);
}

TEST_CASE("provider: refused slots are taken back") {
    for (uint32_t start : {0U, 0xfffffffeU}) {
        Area area(8, 8);
        auto *shared = area.ring.shared;
        area.start(start);
        xiw_ring_produce(&area.ring, start + 5);

        shared->taken = start + 3; // the fourth slot was refused
        CHECK(xiw_ring_take_back(&area.ring, start) == 3);
        CHECK(area.ring.next == start + 3);
        CHECK(shared->producer == start + 3);

        // If `taken` belongs to an earlier post or is invalid, the kernel has accepted none of the
        // slots.
        xiw_ring_produce(&area.ring, start + 5);
        for (uint32_t taken : {start + 2, start + 7, start + 0x80000000U}) {
            xiw_ring_produce(&area.ring, start + 5);
            shared->taken = taken;
            CHECK(xiw_ring_take_back(&area.ring, start + 3) == 0);
            CHECK(shared->producer == start + 3);
        }
    }
}

TEST_CASE("provider: a work queue restarts at the shared producer index") {
    Area area(8, 4);
    auto *shared = area.ring.shared;
    xiw_ring_produce(&area.ring, 3);
    // The kernel has not reset the queue, so the posted slots are still in use.
    xiw_ring_restart(&area.ring);
    CHECK(area.ring.next == 3);
    CHECK(xiw_ring_has_room(&area.ring, 3));
    CHECK_FALSE(xiw_ring_has_room(&area.ring, 4));
    // The kernel has reset the queue.
    shared->producer = shared->consumer = shared->taken = 0;
    xiw_ring_restart(&area.ring);
    CHECK(area.ring.next == 0);
    CHECK(xiw_ring_has_room(&area.ring, 3));
}

TEST_CASE("provider: completions are read once and in order") {
    for (uint32_t start : {0U, 0xffffffffU}) {
        Area area(4, 4);
        auto *shared = area.ring.shared;
        area.start(start);

        CHECK_FALSE(xiw_ring_has_entry(&area.ring));
        for (uint32_t i = 0; i < 4; i++)
            area.word(start + i) = 10 + i;
        shared->producer = start + 4;
        for (uint32_t i = 0; i < 4; i++) {
            REQUIRE(xiw_ring_has_entry(&area.ring));
            CHECK(xiw_ring_next(&area.ring)->wr_id == 10 + i);
            REQUIRE(xiw_ring_has_entry(&area.ring)); // xiw_ring_next() has consumed nothing
            CHECK(xiw_ring_next(&area.ring)->wr_id == 10 + i);
            CHECK(shared->consumer == start);
            area.ring.next++;
        }
        CHECK_FALSE(xiw_ring_has_entry(&area.ring));
        xiw_ring_consumed(&area.ring);
        CHECK(shared->consumer == start + 4);
    }
}

TEST_CASE("provider: completions of a removed QP are dropped, and others keep their order") {
    struct One {
        uint64_t wr_id;
        uint32_t qp_num;
    };
    const std::vector<One> all = {{1, 7}, {2, 8}, {3, 8}, {4, 7}, {5, 9}, {6, 8}};
    for (uint32_t start : {0U, 0xfffffffdU})
        for (uint32_t gone : {7U, 8U, 9U, 10U}) {
            Area area(8, 8, sizeof(struct xiw_abi_cqe));
            auto *shared = area.ring.shared;
            area.start(start);
            std::vector<uint64_t> wanted;
            for (const auto &one : all) {
                struct xiw_abi_cqe cqe = {};
                cqe.wr_id = one.wr_id;
                cqe.qp_num = one.qp_num;
                std::memcpy(xiw_ring_entry(&area.ring, shared->producer++), &cqe, sizeof(cqe));
            }
            // The program has read the first completion, so xiw_ring_forget() does not keep it.
            REQUIRE(xiw_ring_has_entry(&area.ring));
            area.ring.next++;
            for (size_t i = 1; i < all.size(); i++)
                if (all[i].qp_num != gone)
                    wanted.push_back(all[i].wr_id);

            xiw_ring_forget(&area.ring, gone);
            const uint32_t end = start + static_cast<uint32_t>(all.size());
            CHECK(shared->producer == end);
            CHECK(shared->consumer == end - static_cast<uint32_t>(wanted.size()));
            std::vector<uint64_t> read;
            for (; xiw_ring_has_entry(&area.ring); area.ring.next++)
                read.push_back(xiw_ring_next(&area.ring)->wr_id);
            CHECK(read == wanted);
        }
}

TEST_CASE("provider: an impossible producer index is ignored") {
    Area area(8, 8, sizeof(struct xiw_abi_cqe));
    area.ring.shared->producer = 0x80000000;
    xiw_ring_forget(&area.ring, 1);
    CHECK(area.ring.next == 0);
    CHECK(area.ring.shared->consumer == 0);
}

TEST_CASE("provider: arming for any completion overrides arming for solicited ones") {
    Area area(4, 4);
    auto &arm = area.ring.shared->arm;

    xiw_ring_arm(&area.ring, true);
    CHECK(arm == XIW_ABI_ARM_SOLICITED);
    xiw_ring_arm(&area.ring, false);
    CHECK(arm == XIW_ABI_ARM_NEXT);
    xiw_ring_arm(&area.ring, true); // the CQ stays armed for any completion
    CHECK(arm == XIW_ABI_ARM_NEXT);
    arm = XIW_ABI_ARM_NONE;
    xiw_ring_arm(&area.ring, true);
    CHECK(arm == XIW_ABI_ARM_SOLICITED);
}

TEST_CASE("provider: the doorbell is rung only if the kernel requests it") {
    Area area(4, 4);
    CHECK_FALSE(xiw_ring_wants_bell(&area.ring));
    area.ring.shared->bell = 1;
    CHECK(xiw_ring_wants_bell(&area.ring));
}

TEST_CASE("provider: two threads on a small queue lose nothing and read nothing early") {
    constexpr uint32_t count = 200000;
    Area area(8, 6);
    auto *shared = area.ring.shared;
    uint32_t wrong = 0;
    std::thread kernel([&] {
        uint32_t index = 0;
        while (index < count) {
            uint32_t producer = __atomic_load_n(&shared->producer, __ATOMIC_ACQUIRE);
            if (producer == index)
                std::this_thread::yield();
            if (producer - index > 6)
                wrong++;
            for (; index != producer; index++)
                wrong += area.word(index) != index * 3ULL;
            __atomic_store_n(&shared->consumer, index, __ATOMIC_RELEASE);
        }
    });
    for (uint32_t index = 0; index < count; index++) {
        while (!xiw_ring_has_room(&area.ring, index))
            std::this_thread::yield();
        area.word(index) = index * 3ULL;
        xiw_ring_produce(&area.ring, index + 1);
    }
    kernel.join();
    CHECK(wrong == 0);
}
