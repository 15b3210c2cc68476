// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The rkey of an MW that is bound. ibv_post_send() changes the rkey if the bind is posted. As in
// other providers, ibv_wr_bind_mw() does not change it. Also the operations that a QP offers.
#include "sq.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cerrno>
#include <memory>

namespace {

class Sq {
  public:
    sq *operator*() const { return sq_.get(); }

  private:
    std::unique_ptr<sq, decltype(&sq_free)> sq_{sq_new(), sq_free};
};

constexpr uint32_t mw_index = 0x123400;

struct Window {
    explicit Window(uint32_t rkey) {
        mw.type = IBV_MW_TYPE_2;
        mw.rkey = rkey;
    }
    ibv_mw_bind_info info() { return {&mr, 0x10000, 4096, IBV_ACCESS_REMOTE_READ}; }
    ibv_send_wr bind(uint32_t rkey) {
        ibv_send_wr wr{};
        wr.opcode = IBV_WR_BIND_MW;
        wr.bind_mw = {&mw, rkey, info()};
        return wr;
    }

    ibv_mr mr{};
    ibv_mw mw{};
};

} // namespace

TEST_CASE("provider: ibv_wr_bind_mw() does not change the rkey of the MW") {
    Sq sq;
    Window window(mw_index | 1);
    ibv_qp_ex *qp = sq_ex(*sq);
    const auto info = window.info();

    ibv_wr_start(qp);
    SECTION("posted") {
        ibv_wr_bind_mw(qp, &window.mw, mw_index | 2, &info);
        CHECK(ibv_wr_complete(qp) == 0);
        CHECK(sq_slot(*sq, 0)->rkey == (mw_index | 2));
    }
    SECTION("aborted") {
        ibv_wr_bind_mw(qp, &window.mw, mw_index | 2, &info);
        ibv_wr_abort(qp);
    }
    SECTION("the SQ is full") {
        for (unsigned i = 0; i < SQ_DEPTH; i++)
            ibv_wr_send(qp);
        ibv_wr_bind_mw(qp, &window.mw, mw_index | 2, &info);
        CHECK(ibv_wr_complete(qp) == ENOMEM);
    }
    SECTION("a later work request is invalid") {
        std::array<char, SQ_INLINE + 1> data{};
        ibv_wr_bind_mw(qp, &window.mw, mw_index | 2, &info);
        ibv_wr_send(qp);
        ibv_wr_set_inline_data(qp, data.data(), data.size());
        CHECK(ibv_wr_complete(qp) == ENOMEM);
    }
    SECTION("refused by the kernel") {
        sq_refuse(*sq, 0);
        ibv_wr_bind_mw(qp, &window.mw, mw_index | 2, &info);
        CHECK(ibv_wr_complete(qp) == EINVAL);
    }
    CHECK(window.mw.rkey == (mw_index | 1));
}

TEST_CASE("provider: ibv_post_send() changes the rkey of an MW if the bind is posted") {
    Sq sq;
    Window window(mw_index | 1);
    ibv_send_wr *bad = nullptr;
    std::array<ibv_send_wr, SQ_DEPTH> fill{};

    auto wr = window.bind(2);
    CHECK(sq_post(*sq, &wr, &bad) == 0);
    CHECK(sq_slot(*sq, 0)->rkey == (mw_index | 2));
    CHECK(window.mw.rkey == (mw_index | 2));

    for (size_t i = 0; i < fill.size(); i++) {
        fill[i].opcode = IBV_WR_SEND;
        fill[i].next = i + 1 < fill.size() ? &fill[i + 1] : nullptr;
    }
    CHECK(sq_post(*sq, fill.data() + 1, &bad) == 0);
    wr = window.bind(3);
    CHECK(sq_post(*sq, &wr, &bad) == ENOMEM);
    CHECK(window.mw.rkey == (mw_index | 2));
}

TEST_CASE("provider: a bind that the kernel refuses does not change the rkey of the MW") {
    struct Result {
        uint32_t one, other; // lowest bytes of the rkeys
    };
    constexpr std::array<Result, 4> results = {{{1, 1}, {2, 1}, {3, 1}, {3, 2}}};

    for (unsigned accepted = 0; accepted < results.size(); accepted++) {
        Sq sq;
        Window one(mw_index | 1), other(0x567801);
        ibv_send_wr *bad = nullptr;
        std::array<ibv_send_wr, 4> list = {one.bind(2), one.bind(3), other.bind(2), one.bind(4)};

        for (size_t i = 0; i + 1 < list.size(); i++)
            list[i].next = &list[i + 1];
        sq_refuse(*sq, accepted);
        CHECK(sq_post(*sq, list.data(), &bad) == EINVAL);
        CHECK(bad == &list[accepted]);
        CHECK(one.mw.rkey == (mw_index | results[accepted].one));
        CHECK(other.mw.rkey == (0x567800 | results[accepted].other));
    }
}

TEST_CASE("a QP has only the operations that its device supports") {
    const Sq sq;
    constexpr uint64_t atomics = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
    CHECK(sq_ops(*sq, 0, atomics) == EOPNOTSUPP);
    CHECK(sq_ops(*sq, XIW_ABI_CAP_ATOMICS, atomics) == 0);
    CHECK(sq_ops(*sq, XIW_ABI_CAP_ATOMICS, IBV_QP_EX_WITH_SEND_WITH_IMM) == EOPNOTSUPP);
    CHECK(sq_ops(*sq, XIW_ABI_CAP_SEND_IMM, IBV_QP_EX_WITH_SEND_WITH_IMM) == 0);
}
