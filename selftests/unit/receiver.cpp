// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "receiver.hpp"

#include <cstring>
#include <sstream>

namespace xiw {
namespace {

// Return the number in the brackets of a key such as "mem[0x10]" or "mr[0x10]".
u64 bracketed(const std::string &key) {
    return std::stoull(key.substr(key.find('[') + 1), nullptr, 0);
}

// Let the endpoint wait for the response to a request. `head` describes the request, for example
// "read:sink_stag=1,sink_to=2,len=3" or "atomic:req_id=4".
void await_answer(Endpoint &e, const std::string &head) {
    Fields f;
    std::istringstream in(head.substr(head.find(':') + 1));

    for (std::string part; std::getline(in, part, ',');)
        f[part.substr(0, part.find('='))] = part.substr(part.find('=') + 1);
    xiw_orq_take(&e.orq);
    if (head.starts_with("read")) {
        xiw_solicited_push_read(&e.solicited, static_cast<u32>(number(f, "sink_stag")),
                                number(f, "sink_to"), static_cast<u32>(number(f, "len")), 0, 0);
    } else {
        xiw_solicited_push_queue3(&e.solicited, 0, 0, 0);
        e.atomic_ids.push_back(static_cast<u32>(number(f, "req_id")));
    }
}

void apply(Endpoint &e, const std::string &key, const std::string &value) {
    auto n = [&value] { return static_cast<u32>(std::stoull(value, nullptr, 0)); };

    if (key.starts_with("next_msn_q")) {
        e.rx.msn[key.back() - '0'] = n();
    } else if (key == "ird_free") {
        e.rx.requests = static_cast<u16>(n());
    } else if (key == "orq_head") {
        await_answer(e, value);
    } else if (key == "placed") {
        e.rx.open = true;
        e.rx.open_ctrl = XIW_OP_SEND;
        e.rx.length = n();
    } else if (key.starts_with("mem[")) {
        u64 word = std::stoull(value, nullptr, 0);

        std::memcpy(e.at(0x11223344, bracketed(key)), &word, sizeof(word));
    } else if (key.starts_with("mr[") && value == "invalid") {
        e.find(static_cast<u32>(bracketed(key)))->view.state = XIW_STAG_INVALID;
    }
}

} // namespace

std::unique_ptr<Endpoint> receiver_for(const WireVector &v) {
    Endpoint::Config config;

    // The RFCs that the vectors follow do not define Send with Immediate, so disable it.
    config.conn_flags = XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE;
    config.rx_markers = v.context.contains("stream_offset");
    if (v.context.contains("imm_supported"))
        config.conn_flags &= ~u32{XIW_CONNF_IMMEDIATE};
    if (v.context.contains("atomic_supported"))
        config.conn_flags &= ~u32{XIW_CONNF_ATOMICS};
    auto e = std::make_unique<Endpoint>(config);

    e->region(0x11223344, region_base, 4096, all_rights, XIW_STAGF_REMOTE_INV);
    e->region(0x55667788, region_base, 4096, XIW_ACCESS_REMOTE_READ);
    e->region(0x0badf00d, region_base, 4096, XIW_ACCESS_REMOTE_WRITE);
    e->region(0x99aabb01, region_base, 4096, all_rights, XIW_STAGF_REMOTE_INV, 2);
    e->region(0xcafe0010, 0x2000, 0x2000, XIW_ACCESS_LOCAL_WRITE);
    for (u64 i = 0; i < number(v.context, "rq_posted", 0); i++)
        e->post_receive(i, static_cast<u32>(number(v.context, "rq_len", 0)));
    if (v.kind == "marker") { // the context of a marker vector has no receive and no MSN
        e->post_receive(0, 64);
        e->rx.msn[XIW_QN_SEND] = static_cast<u32>(number(v.fields, "msn"));
    }
    for (const auto &[key, value] : v.context)
        apply(*e, key, value);
    if (v.id.back() >= 'b' && v.id.back() <= 'c')
        for (char part = 'a'; part < v.id.back(); part++)
            e->receive(wire_vector(v.id.substr(0, v.id.size() - 1) + part).octets);
    e->deframer.framing.pos =
        static_cast<u16>(number(v.context, "stream_offset", 0) % XIW_MARKER_SPACING);
    e->deframer.want = xiw_frame_head(&e->deframer.framing);
    return e;
}

std::string outcome_of(Endpoint &e) {
    std::ostringstream out;

    out << "fault " << e.fault << " staged " << e.deframer.have << " length " << e.rx.length
        << " open " << e.rx.open << " msn";
    for (u32 msn : e.rx.msn)
        out << ' ' << msn;
    if (e.terminate)
        out << " terminate " << hex_of(*e.terminate);
    if (e.received_terminate)
        out << " terminated " << hex_of(*e.received_terminate);
    out << " requests " << e.irrq.tail << " awaited " << e.solicited.count;
    for (const Completion &c : e.completions)
        out << " completion " << c.length << ' ' << c.imm << ' ' << c.solicited << ' '
            << c.invalidated << ' ' << c.original << ' ' << hex_of(c.data);
    for (u32 stag : {0x11223344U, 0x55667788U, 0x0badf00dU, 0x99aabb01U, 0xcafe0010U})
        out << ' '
            << xiw_crc32c_update(~0U, e.find(stag)->memory.data(), e.find(stag)->memory.size());
    return out.str();
}

u64 word_at(Endpoint &e, u64 to) {
    u64 word;

    std::memcpy(&word, e.at(0x11223344, to), sizeof(word));
    return word;
}

} // namespace xiw
