// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The sender builds each golden FPDU that it can send, from the named fields of the vector.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

u32 n32(const Fields &f, std::string_view key) {
    return static_cast<u32>(number(f, key));
}

// Return whether a vector is an FPDU that a sender can build. A sender never builds FPDUs with
// nonzero reserved bits, a wrong version or a header of a wrong length. This function recognizes
// most of these FPDUs by the vector's fields, and the others by the vector's id.
bool is_sendable(const WireVector &v) {
    const Fields &f = v.fields;

    if (v.is_startup() || !f.contains("opcode") || number(f, "DV") != 1 || number(f, "RV") != 1)
        return false;
    if (f.contains("rsvdulp") && number(f, "rsvdulp"))
        return false;
    return !v.id.starts_with("N-") && v.id != "AR-14" && v.id != "T-ZEROFILL";
}

Octets rdmap_header(const WireVector &v) {
    const Fields &f = v.fields;
    Octets out(XIW_RDMAP_HDR_MAX);

    switch (number(f, "opcode")) {
    case XIW_OP_READ_REQUEST: {
        xiw_read_req r{n32(f, "sink_stag"), n32(f, "rdmardsz"), number(f, "sink_to"),
                       number(f, "src_to"), n32(f, "src_stag")};
        xiw_read_req_put(out.data(), &r);
        out.resize(XIW_READ_REQ_LEN);
        return out;
    }
    case XIW_OP_ATOMIC_REQUEST: {
        xiw_atomic_req r{};
        r.aop = static_cast<u8>(number(f, "aopcode"));
        r.req_id = n32(f, "req_id");
        r.stag = n32(f, "remote_stag");
        r.to = number(f, "remote_to");
        r.data = number(f, "add_swap_data");
        r.mask = number(f, "add_swap_mask");
        r.compare = number(f, "cmp_data");
        r.compare_mask = number(f, "cmp_mask");
        xiw_atomic_req_put(out.data(), &r);
        out.resize(XIW_ATOMIC_REQ_LEN);
        return out;
    }
    case XIW_OP_ATOMIC_RESPONSE:
        put_unaligned_be32(n32(f, "orig_req_id"), out.data());
        put_unaligned_be64(number(f, "orig_value"), out.data() + 4);
        out.resize(XIW_ATOMIC_RSP_LEN);
        return out;
    case XIW_OP_IMM:
    case XIW_OP_IMM_SE:
        put_unaligned_be64(number(f, "imm"), out.data());
        out.resize(XIW_IMM_LEN);
        return out;
    case XIW_OP_TERMINATE: {
        // Get the offending segment's headers from the vector.
        Octets header = f.contains("term_ddp_hdr") ? octets_of(f.at("term_ddp_hdr")) : Octets();
        if (f.contains("term_rdma_hdr"))
            for (u8 o : octets_of(f.at("term_rdma_hdr")))
                header.push_back(o);
        xiw_term_code code{static_cast<u8>(number(f, "layer")), static_cast<u8>(number(f, "etype")),
                           static_cast<u8>(number(f, "code")), 0};
        out.resize(XIW_TERM_LEN_MAX);
        out.resize(xiw_term_build(out.data(), code, header.data(), static_cast<u32>(header.size()),
                                  static_cast<u32>(number(f, "seglen", 0))));
        return out;
    }
    default:
        return {};
    }
}

Octets build(const WireVector &v, const Octets &message) {
    const Fields &f = v.fields;
    u8 opcode = static_cast<u8>(number(f, "opcode"));
    bool last = number(f, "L");
    Octets header(XIW_DDP_HDR_MAX), out(XIW_FPDU_WIRE_MAX);
    xiw_framing framing{0, true, false};

    if (number(f, "T")) {
        xiw_ddp_put_tagged(header.data(), xiw_rdmap_ctrl(opcode), last, n32(f, "stag"),
                           number(f, "to"));
        header.resize(XIW_DDP_TAGGED_LEN);
    } else {
        xiw_ddp_put_untagged(header.data(), xiw_rdmap_ctrl(opcode), last,
                             static_cast<u32>(number(f, "inv_stag", 0)), n32(f, "qn"),
                             n32(f, "msn"), n32(f, "mo"));
    }
    xiw_span parts[] = {{header.data(), static_cast<u32>(header.size())},
                        {message.data(), static_cast<u32>(message.size())}};
    out.resize(xiw_fpdu_encode(out.data(), &framing, parts, 2));
    return out;
}

} // namespace

TEST_CASE("golden FPDUs are built exactly",
          "[vectors][X-HDR-001][X-HDR-002][X-HDR-003][X-HDR-004][X-HDR-005][X-HDR-006][X-HDR-008]["
          "X-HDR-009][X-HDR-010][X-HDR-011][X-HDR-012][X-HDR-014][X-HDR-015][X-HDR-016][X-HDR-017]["
          "X-HDR-018][X-HDR-019][X-HDR-020][X-HDR-021][X-HDR-022][X-HDR-023][X-HDR-024][X-HDR-025]["
          "X-HDR-026][X-HDR-028][X-HDR-029][R-HDR-009][R-HDR-015][R-HDR-020]["
          "R-HDR-021][R-HDR-022][R-HDR-023][R-HDR-024][R-HDR-025][R-HDR-027][R-HDR-029][R-HDR-030]["
          "R-HDR-031][R-HDR-033][D-HDR-008][D-HDR-010][D-HDR-012][D-HDR-018][M-FPDU-001][M-FPDU-"
          "003][M-CRC-008][M-CRC-010][R-HDR-001][R-HDR-002][R-HDR-003][R-HDR-007][R-SND-012]") {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (!is_sendable(v))
            continue;
        INFO(v.id);
        Octets message = rdmap_header(v);
        if (message.empty()) {
            u32 at = number(v.fields, "T") ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN;
            at += XIW_FPDU_LEN_LEN;
            message.assign(v.octets.begin() + at,
                           v.octets.begin() + at +
                               static_cast<long>(number(v.fields, "payload_len")));
        }
        CHECK(hex_of(build(v, message)) == hex_of(v.octets));
        count++;
    }
    CHECK(count > 95);
}

TEST_CASE("golden FPDUs: header fields are parsed",
          "[vectors][R-HDR-010][D-HDR-009][D-HDR-018][D-LLP-006]") {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (v.is_startup() || !v.fields.contains("opcode"))
            continue;
        const Fields &f = v.fields;
        xiw_ddp_header h;

        INFO(v.id);
        REQUIRE(xiw_ddp_parse(&h, v.octets.data() + XIW_FPDU_LEN_LEN, n32(f, "ulpdu_len")));
        CHECK(xiw_ddp_is_tagged(&h) == (number(f, "T") == 1));
        CHECK(xiw_ddp_is_last(&h) == (number(f, "L") == 1));
        CHECK((u64{h.ddp_ctrl} & XIW_DDP_DV_MASK) == number(f, "DV"));
        CHECK(u64{h.rdmap_ctrl} >> 6 == number(f, "RV"));
        CHECK(xiw_ddp_opcode(&h) == number(f, "opcode"));
        CHECK(xiw_fpdu_pad(h.ulpdu_len) == number(f, "pad"));
        if (xiw_ddp_is_tagged(&h)) {
            CHECK(h.stag == number(f, "stag"));
            CHECK(h.to == number(f, "to"));
        } else {
            CHECK(h.stag ==
                  (f.contains("inv_stag") ? number(f, "inv_stag") : number(f, "rsvdulp")));
            CHECK(h.qn == number(f, "qn"));
            CHECK(h.msn == number(f, "msn"));
            CHECK(h.mo == number(f, "mo"));
        }
        if (f.contains("payload_len"))
            CHECK(h.payload_len == number(f, "payload_len"));
        count++;
    }
    CHECK(count > 180);
}
