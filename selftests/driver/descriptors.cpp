// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// How the software RNIC numbers the messages that it sends.
#include "descriptors.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <vector>

#include "core.hpp"

namespace {

class Descriptors {
  public:
    descriptors *operator*() const { return descriptors_.get(); }

    // Send the next message, and return its DDP header.
    xiw_ddp_header sent() const {
        uint8_t octets[XIW_DDP_HDR_MAX];
        xiw_ddp_header header;

        REQUIRE(descriptors_send(descriptors_.get(), octets));
        REQUIRE(xiw_ddp_parse(&header, octets, sizeof(octets)));
        return header;
    }

  private:
    std::unique_ptr<descriptors, decltype(&descriptors_free)> descriptors_{descriptors_new(),
                                                                           descriptors_free};
};

} // namespace

TEST_CASE("descriptors: each queue numbers its messages separately, from 1",
          "[D-HDR-022][D-HDR-023]") {
    Descriptors d;

    for (uint32_t round = 1; round < 4; round++) {
        descriptors_post(*d, XIW_QN_SEND, XIW_OP_SEND);
        descriptors_post(*d, XIW_QN_SEND, XIW_OP_IMM);
        descriptors_post(*d, XIW_QN_REQUEST, XIW_OP_READ_REQUEST);
        for (uint32_t msn : {2 * round - 1, 2 * round})
            CHECK(d.sent().msn == msn);
        xiw_ddp_header request = d.sent();
        CHECK(request.qn == XIW_QN_REQUEST);
        CHECK(request.msn == round);
        descriptors_post_atomic(*d);
        xiw_ddp_header answer = d.sent();
        CHECK(answer.qn == XIW_QN_RESPONSE);
        CHECK(answer.msn == round);
        CHECK(descriptors_word(*d) == round);
    }
}

TEST_CASE("descriptors: an MSN wraps from 2^32 - 1 to 0", "[D-HDR-024]") {
    Descriptors d;

    for (uint32_t queue : {XIW_QN_SEND, XIW_QN_REQUEST, XIW_QN_RESPONSE})
        descriptors_msn(*d, queue, 0xffffffff);
    for (uint32_t msn : {0xffffffffU, 0U, 1U}) {
        descriptors_post(*d, XIW_QN_SEND, XIW_OP_SEND);
        CHECK(d.sent().msn == msn);
        descriptors_post(*d, XIW_QN_REQUEST, XIW_OP_ATOMIC_REQUEST);
        CHECK(d.sent().msn == msn);
        descriptors_post_atomic(*d);
        CHECK(d.sent().msn == msn);
    }
}
