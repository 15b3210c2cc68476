// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace xiw;

TEST_CASE("the opcode table agrees with the golden vectors", "[vectors][R-HDR-013]") {
    std::set<u64> seen;

    for (const WireVector &v : wire_vectors()) {
        if (v.expect != "accept" || !v.fields.contains("opcode"))
            continue;
        u8 opcode = static_cast<u8>(number(v.fields, "opcode"));
        const xiw_opcode_row *row = xiw_opcode_of(xiw_rdmap_ctrl(opcode));

        INFO(v.id);
        seen.insert(opcode);
        CHECK(row->kind != XIW_CLASS_REFUSED);
        CHECK(bool(row->flags & XIW_OPF_TAGGED) == (number(v.fields, "T") == 1));
        if (!number(v.fields, "T"))
            CHECK(row->qn == number(v.fields, "qn"));
        CHECK(bool(row->flags & XIW_OPF_INVALIDATE) == v.fields.contains("inv_stag"));
        if (row->flags & XIW_OPF_SINGLE) {
            u64 length = number(v.fields, "ulpdu_len") - XIW_DDP_UNTAGGED_LEN;
            CHECK(length >= row->len_min);
            CHECK(length <= row->len_max);
        }
    }
    CHECK(seen.size() == 12);
}

TEST_CASE("opcode table: undefined opcodes are refused, and others have their features",
          "[X-DISC-004][X-DISC-005]") {
    for (u8 op = 0; op < XIW_OP_COUNT; op++) {
        const xiw_opcode_row *row = xiw_opcode_of(op);

        CAPTURE(op);
        REQUIRE(row->name);
        CHECK((row->kind == XIW_CLASS_REFUSED) == (op >= 0xc && op != XIW_OP_SEND_IMM));
        CHECK(row->needs == (op == 8 || op == 9     ? XIW_CONNF_IMMEDIATE
                             : op == 10 || op == 11 ? XIW_CONNF_ATOMICS
                             : op == 15             ? XIW_CONNF_SEND_IMM
                                                    : 0));
        bool solicited = op == 5 || op == 6 || op == 9;
        CHECK(bool(row->flags & XIW_OPF_SOLICITED) == solicited);
    }
}

TEST_CASE("the match table of an RNIC has the kinds and lengths of the opcodes") {
    xiw_match_row rows[XIW_MATCH_ROWS];

    xiw_opcode_match(rows);
    CHECK(rows[XIW_OP_WRITE].kind == XIW_MATCH_WRITE);
    CHECK(rows[XIW_OP_READ_RESPONSE].kind == XIW_MATCH_SOLICITED);
    CHECK(rows[XIW_OP_SEND].kind == XIW_MATCH_DELIVER);
    CHECK(rows[XIW_OP_SEND_SE_INV].kind == XIW_MATCH_DELIVER_INV);
    CHECK(rows[XIW_OP_IMM_SE].kind == XIW_MATCH_CONSUME);
    CHECK(rows[XIW_OP_ATOMIC_RESPONSE].kind == XIW_MATCH_INLINE);
    CHECK(rows[XIW_OP_ATOMIC_RESPONSE].queue == XIW_QN_RESPONSE);
    CHECK(rows[XIW_OP_ATOMIC_RESPONSE].length_min == 12);
    CHECK(rows[XIW_OP_TERMINATE].silent);
    CHECK(rows[XIW_OP_TERMINATE].length_max == 52);
    CHECK(rows[XIW_OP_READ_REQUEST].length_max == 28);
    CHECK_FALSE(rows[XIW_OP_READ_REQUEST].silent);
    for (u8 op = 0xc; op < XIW_OP_SEND_IMM; op++)
        CHECK(rows[op].kind == XIW_MATCH_REFUSED);
}
