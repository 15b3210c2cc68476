// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The tables of the core, compared row by row with a separate copy of each table.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace xiw;

namespace {

struct OpcodeRow {
    u8 opcode;
    const char *name;
    xiw_opcode_class kind;
    bool tagged;
    u8 qn;
    u8 flags; // all flags except XIW_OPF_TAGGED
    u8 len_min, len_max;
    u16 needs = 0;
};

constexpr u8 single = XIW_OPF_SINGLE, se = XIW_OPF_SOLICITED, inv = XIW_OPF_INVALIDATE;
constexpr u16 imm = XIW_CONNF_IMMEDIATE, atomic = XIW_CONNF_ATOMICS;

// The table is from RFC 5040 Figure 4 and RFC 7306 Figures 2 and 3. Opcode 0xf is from
// docs/send-with-immediate.md. The lengths are from the message formats.
const OpcodeRow opcode_rows[] = {
    {0x0, "RDMA Write", XIW_CLASS_WRITE, true, 0, 0, 0, 0},
    {0x1, "RDMA Read Request", XIW_CLASS_REQUEST, false, 1, single, 28, 28},
    {0x2, "RDMA Read Response", XIW_CLASS_SOLICITED_TAGGED, true, 0, 0, 0, 0},
    {0x3, "Send", XIW_CLASS_DELIVER, false, 0, 0, 0, 0},
    {0x4, "Send with Invalidate", XIW_CLASS_DELIVER_INVALIDATE, false, 0, inv, 0, 0},
    {0x5, "Send with Solicited Event", XIW_CLASS_DELIVER, false, 0, se, 0, 0},
    {0x6, "Send with Solicited Event and Invalidate", XIW_CLASS_DELIVER_INVALIDATE, false, 0,
     se | inv, 0, 0},
    {0x7, "Terminate", XIW_CLASS_TERMINATE, false, 2, single, 4, 52},
    {0x8, "Immediate Data", XIW_CLASS_DELIVER_IMM, false, 0, single, 8, 8, imm},
    {0x9, "Immediate Data with Solicited Event", XIW_CLASS_DELIVER_IMM, false, 0, single | se, 8, 8,
     imm},
    {0xa, "Atomic Request", XIW_CLASS_REQUEST, false, 1, single, 52, 52, atomic},
    {0xb, "Atomic Response", XIW_CLASS_RESPONSE, false, 3, single, 12, 12, atomic},
    {0xc, "undefined (0xC)", XIW_CLASS_REFUSED, false, 0, 0, 0, 0},
    {0xd, "undefined (0xD)", XIW_CLASS_REFUSED, false, 0, 0, 0, 0},
    {0xe, "undefined (0xE)", XIW_CLASS_REFUSED, false, 0, 0, 0, 0},
    {0xf, "Send with Immediate", XIW_CLASS_DELIVER, false, 0, 0, 0, 0, XIW_CONNF_SEND_IMM},
};

// Return the XIW_MATCH_* value that the match table must contain for opcodes of the class `kind`.
u8 match_of(xiw_opcode_class kind) {
    switch (kind) {
    case XIW_CLASS_WRITE:
        return XIW_MATCH_WRITE;
    case XIW_CLASS_SOLICITED_TAGGED:
        return XIW_MATCH_SOLICITED;
    case XIW_CLASS_DELIVER:
        return XIW_MATCH_DELIVER;
    case XIW_CLASS_DELIVER_INVALIDATE:
        return XIW_MATCH_DELIVER_INV;
    case XIW_CLASS_DELIVER_IMM:
        return XIW_MATCH_CONSUME;
    case XIW_CLASS_REQUEST:
    case XIW_CLASS_RESPONSE:
    case XIW_CLASS_TERMINATE:
        return XIW_MATCH_INLINE;
    case XIW_CLASS_REFUSED:
        break;
    }
    return XIW_MATCH_REFUSED;
}

// Rows are states and columns are events, both in the order of their enumerations. An entry is the
// letter of the next state, or a dot for an impossible event.
template <typename Next>
void check_transitions(std::span<const char *const> rows, std::string_view letters, int events,
                       int illegal, Next next) {
    REQUIRE(rows.size() == letters.size());
    for (size_t state = 0; state < rows.size(); state++) {
        std::string_view row = rows[state];

        REQUIRE(row.size() == static_cast<size_t>(events));
        for (int event = 0; event < events; event++) {
            char letter = row[static_cast<size_t>(event)];
            int wanted = letter == '.' ? illegal : static_cast<int>(letters.find(letter));

            CAPTURE(state, event);
            CHECK(next(static_cast<int>(state), event) == wanted);
        }
    }
}

} // namespace

TEST_CASE("the opcode table has the expected rows",
          "[R-GEN-003][R-GEN-004][R-GEN-005][R-HDR-004][R-HDR-005][R-"
          "RD-017][X-IANA-001][I-ATOM-016][I-MSG-004]") {
    REQUIRE(std::size(opcode_rows) == XIW_OP_COUNT);
    for (const OpcodeRow &wanted : opcode_rows) {
        const xiw_opcode_row &row = xiw_opcode_table[wanted.opcode];
        u8 flags = static_cast<u8>(wanted.flags | (wanted.tagged ? XIW_OPF_TAGGED : 0));

        CAPTURE(wanted.opcode);
        CHECK(std::string(row.name) == wanted.name);
        CHECK(row.kind == wanted.kind);
        CHECK(row.qn == wanted.qn);
        CHECK(row.flags == flags);
        CHECK(row.len_min == wanted.len_min);
        CHECK(row.len_max == wanted.len_max);
        CHECK(row.needs == wanted.needs);
    }
}

TEST_CASE("the match table has the expected rows", "[X-IANA-004]") {
    xiw_match_row rows[XIW_MATCH_ROWS];

    std::fill_n(reinterpret_cast<u8 *>(rows), sizeof(rows), u8{0xee});
    xiw_opcode_match(rows);
    for (const OpcodeRow &wanted : opcode_rows) {
        const xiw_match_row &row = rows[wanted.opcode];

        CAPTURE(wanted.opcode);
        CHECK(row.kind == match_of(wanted.kind));
        CHECK(row.queue == wanted.qn);
        CHECK(row.queue < XIW_QN_COUNT);
        CHECK(row.length_min == wanted.len_min);
        CHECK(row.length_max == wanted.len_max);
        CHECK(bool(row.silent) == (wanted.opcode == XIW_OP_TERMINATE));
        CHECK(le16_to_cpu(row.needs) == wanted.needs);
    }
}

TEST_CASE("every state transition of a stream is as expected") {
    // Each row is a state, and each column is an event, in the order of enum xiw_qpe: name the
    // peer, open active, open passive, not opened, unanswered, first FPDU, close, abort, fault,
    // Terminate received, peer left, peer closed, peer closed busy, lost, closed, reset.
    const char *const rows[] = {
        "NSR....E......EI", // idle
        ".SR.E..E.....EE.", // named
        "...N.S.ETTLCEEE.", // rtr
        "......CETTLCEEE.", // rts
        "....E..E......L.", // left
        ".......EEE....E.", // closing
        "..............E.", // terminate
        "..............EI", // error
    };

    check_transitions(rows, "INRSLCTE", XIW_QPE_COUNT, XIW_QPS_ILLEGAL, [](int state, int event) {
        return static_cast<int>(
            xiw_qps_next(static_cast<xiw_qps>(state), static_cast<xiw_qpe>(event)));
    });
}

TEST_CASE("names of states and events are unique") {
    auto differ = [](const char *const *names, int count) {
        std::set<std::string> seen;

        for (int i = 0; i < count; i++) {
            REQUIRE(names[i]);
            CHECK(names[i][0] != '\0');
            CHECK(seen.insert(names[i]).second);
        }
    };

    differ(xiw_qps_name, XIW_QPS_COUNT);
    differ(xiw_qpe_name, XIW_QPE_COUNT);
    differ(xiw_mpas_name, XIW_MPAS_COUNT);
}

namespace {

struct TermRow {
    xiw_fault fault;
    u8 layer, etype, code;
    u8 flags;
    xiw_term_status status;
    xiw_term_event event;
    const char *says; // a part of the fault's description
    const char *rfc;
};

constexpr u8 md = XIW_TERM_M | XIW_TERM_D, mdr = md | XIW_TERM_R;

// The table is from RFC 5040 Figures 9 and 10, RFC 5041 section 7, RFC 5044 section 8, and RFC 6581
// section 8.
const TermRow term_rows[] = {
    {XIW_FAULT_RDMA_LOCAL, 0, 0, 0x00, 0, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "local", "5040 4.8"},
    {XIW_FAULT_RDMA_STAG, 0, 1, 0x00, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "invalid STag",
     "5040 4.8"},
    {XIW_FAULT_RDMA_BOUNDS, 0, 1, 0x01, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "bounds",
     "5040 4.8"},
    {XIW_FAULT_RDMA_ACCESS, 0, 1, 0x02, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "rights",
     "5040 4.8"},
    {XIW_FAULT_RDMA_NOT_ASSOCIATED, 0, 1, 0x03, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
     "not associated", "5040 4.8"},
    {XIW_FAULT_RDMA_WRAP, 0, 1, 0x04, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "TO wrap",
     "5040 4.8"},
    {XIW_FAULT_RDMA_INVALIDATE, 0, 1, 0x09, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ,
     "cannot be invalidated", "5040 4.8"},
    {XIW_FAULT_RDMA_PROTECTION, 0, 1, 0xff, mdr, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
     "unspecified", "5040 4.8"},
    {XIW_FAULT_RDMA_VERSION, 0, 2, 0x05, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "RDMAP version",
     "5040 4.8"},
    {XIW_FAULT_RDMA_OPCODE, 0, 2, 0x06, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "opcode",
     "5040 4.8"},
    {XIW_FAULT_RDMA_STREAM, 0, 2, 0x07, md, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "on this stream",
     "5040 4.8"},
    {XIW_FAULT_RDMA_GLOBAL, 0, 2, 0x08, md, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "global",
     "5040 4.8"},
    {XIW_FAULT_RDMA_INVALIDATE_ALT, 0, 2, 0x09, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ,
     "cannot be invalidated", "5040 4.8"},
    {XIW_FAULT_RDMA_OPERATION, 0, 2, 0xff, md, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "unspecified",
     "5040 4.8"},
    {XIW_FAULT_DDP_LOCAL, 1, 0, 0x00, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "local", "5041 7.2"},
    {XIW_FAULT_DDP_STAG, 1, 1, 0x00, md, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "invalid STag",
     "5041 7.2"},
    {XIW_FAULT_DDP_BOUNDS, 1, 1, 0x01, md, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "bounds",
     "5041 7.2"},
    {XIW_FAULT_DDP_NOT_ASSOCIATED, 1, 1, 0x02, md, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
     "not associated", "5041 7.2"},
    {XIW_FAULT_DDP_WRAP, 1, 1, 0x03, md, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "TO wrap",
     "5041 7.2"},
    {XIW_FAULT_DDP_TAGGED_VERSION, 1, 1, 0x04, md, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS,
     "DDP version", "5041 7.2"},
    {XIW_FAULT_DDP_QN, 1, 2, 0x01, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "QN", "5041 7.2"},
    {XIW_FAULT_DDP_NO_BUFFER, 1, 2, 0x02, md, XIW_TERM_RNR, XIW_TERM_EV_REQ, "no buffer",
     "5041 7.2"},
    {XIW_FAULT_DDP_MSN, 1, 2, 0x03, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "MSN, range",
     "5041 7.2"},
    {XIW_FAULT_DDP_MO, 1, 2, 0x04, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "MO", "5041 7.2"},
    {XIW_FAULT_DDP_TOO_LONG, 1, 2, 0x05, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "too long",
     "5041 7.2"},
    {XIW_FAULT_DDP_UNTAGGED_VERSION, 1, 2, 0x06, md, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ,
     "DDP version", "5041 7.2"},
    {XIW_FAULT_LLP_LOST, 2, 0, 0x01, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "lost", "5044 8"},
    {XIW_FAULT_LLP_CRC, 2, 0, 0x02, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "CRC", "5044 8"},
    {XIW_FAULT_LLP_MARKER, 2, 0, 0x03, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "marker", "5044 8"},
    {XIW_FAULT_LLP_STARTUP, 2, 0, 0x04, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "Request or Reply",
     "5044 8"},
    {XIW_FAULT_LLP_LOCAL, 2, 0, 0x05, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "local", "6581 8"},
    {XIW_FAULT_LLP_IRD, 2, 0, 0x06, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "IRD", "6581 8"},
    {XIW_FAULT_LLP_RTR, 2, 0, 0x07, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "RTR", "6581 8"},
};

const char *prefix_of(u8 layer) {
    return layer == 0 ? "RDMA" : layer == 1 ? "DDP" : "MPA";
}

} // namespace

TEST_CASE("the table of Terminate codes has the expected rows",
          "[R-ERR-006][R-HDR-022][R-HDR-024][R-HDR-025][R-HDR-037][R-HDR-038][R-HDR-039]"
          "[D-ERR-018]") {
    const xiw_term_row &none = xiw_term_table[XIW_FAULT_NONE],
                       &silent = xiw_term_table[XIW_FAULT_SILENT];

    REQUIRE(std::size(term_rows) == XIW_FAULT_COUNT - XIW_FAULT_RDMA_LOCAL);
    for (const TermRow &wanted : term_rows) {
        const xiw_term_row &row = xiw_term_table[wanted.fault];
        std::string words = row.words;

        CAPTURE(words);
        CHECK(row.code.layer == wanted.layer);
        CHECK(row.code.etype == wanted.etype);
        CHECK(row.code.code == wanted.code);
        CHECK(row.code.flags == wanted.flags);
        CHECK(row.status == wanted.status);
        CHECK(row.event == wanted.event);
        CHECK(words.starts_with(prefix_of(wanted.layer)));
        CHECK(words.find(wanted.says) != std::string::npos);
        CHECK(std::string(row.rfc) == wanted.rfc);
    }
    for (const xiw_term_row *row : {&none, &silent}) {
        CHECK(row->code.layer == 0);
        CHECK(row->code.etype == 0);
        CHECK(row->code.code == 0);
        CHECK(row->status == XIW_TERM_FATAL);
        CHECK(row->event == XIW_TERM_EV_FATAL);
        CHECK(row->words[0] != '\0');
    }
    CHECK(none.code.flags == 0);
    CHECK(none.rfc[0] == '\0');
    CHECK(silent.code.flags == XIW_TERM_SILENT);
    CHECK(std::string(silent.rfc) == "5040 7.1");
}

// The layer and the type of an undefined code determine its description. The code stays unchanged.
TEST_CASE("unknown Terminate codes are identified by layer and type", "[R-TRM-006]") {
    struct {
        u8 layer, etype;
        xiw_term_status status;
        xiw_term_event event;
        const char *says, *rfc;
    } rows[] = {
        {0, 0, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "RDMA: local", "5040 4.8"},
        {0, 1, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "RDMA, remote protection: unknown",
         "5040 4.8"},
        {0, 2, XIW_TERM_REM_OP, XIW_TERM_EV_FATAL, "RDMA, remote operation: unknown", "5040 4.8"},
        {1, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "DDP: local", "5041 7.2"},
        {1, 1, XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS, "DDP, tagged buffer: unknown", "5041 7.2"},
        {1, 2, XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ, "DDP, untagged buffer: unknown", "5041 7.2"},
        {2, 0, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "MPA: unknown", "5044 8"},
        {2, 2, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "unknown layer", "5040 4.8"},
        {0, 3, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "unknown layer", "5040 4.8"},
        {15, 15, XIW_TERM_FATAL, XIW_TERM_EV_FATAL, "unknown layer", "5040 4.8"},
    };

    for (auto &wanted : rows) {
        u8 message[] = {static_cast<u8>(wanted.layer << 4 | wanted.etype), 0x6e, 0, 0};
        xiw_term_info info;

        CAPTURE(wanted.says);
        REQUIRE(xiw_term_parse(&info, message, sizeof(message), true));
        CHECK(info.code.layer == wanted.layer);
        CHECK(info.code.etype == wanted.etype);
        CHECK(info.code.code == 0x6e);
        CHECK(info.code.flags == 0);
        CHECK(info.row->code.layer == (wanted.says[0] == 'u' ? 0 : wanted.layer));
        CHECK(info.row->code.etype == (wanted.says[0] == 'u' ? 0 : wanted.etype));
        CHECK(info.row->code.code == 0);
        CHECK(info.row->code.flags == 0);
        CHECK(info.row->status == wanted.status);
        CHECK(info.row->event == wanted.event);
        CHECK(std::string(info.row->words).starts_with(wanted.says));
        CHECK(std::string(info.row->rfc) == wanted.rfc);
    }
}

TEST_CASE("an RNIC reports each verdict as a status", "[D-ERR-008][D-ERR-009]") {
    CHECK(xiw_stag_status(XIW_STAG_OK) == XIW_OK);
    CHECK(xiw_stag_status(XIW_STAG_UNKNOWN) == XIW_ERR_STAG);
    CHECK(xiw_stag_status(XIW_STAG_NOT_ASSOCIATED) == XIW_ERR_PD);
    CHECK(xiw_stag_status(XIW_STAG_NO_ACCESS) == XIW_ERR_ACCESS);
    CHECK(xiw_stag_status(XIW_STAG_WRAP) == XIW_ERR_WRAP);
    CHECK(xiw_stag_status(XIW_STAG_BOUNDS) == XIW_ERR_BOUNDS);
    CHECK(xiw_stag_request_fault(XIW_STAG_OK) == XIW_FAULT_NONE);
}
