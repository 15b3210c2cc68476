// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include <algorithm>

#include <linux/xiw.h>

namespace xiw::nl {

namespace {

std::vector<uint8_t> octets(const Attributes &reply, uint16_t type) {
    std::vector<uint8_t> list;
    if (const auto bytes = reply.bytes(type))
        std::ranges::transform(*bytes, std::back_inserter(list),
                               [](std::byte b) { return std::to_integer<uint8_t>(b); });
    return list;
}

std::vector<Record> records(const Attributes &reply) {
    std::vector<Record> list;
    for (const Attributes &record : reply.nests(XIW_A_NOTICE_RECORD))
        list.push_back({
            .age = record.number(XIW_A_RECORD_AGE),
            .sent = record.has(XIW_A_RECORD_SENT),
            .message = record.has(XIW_A_RECORD_MESSAGE),
            .length = record.number(XIW_A_RECORD_LENGTH),
            .ddp_header = octets(record, XIW_A_RECORD_DDP_HEADER),
            .hidden = record.has(XIW_A_RECORD_HIDDEN),
        });
    return list;
}

} // namespace

Notice decode_notice(const Attributes &reply) {
    return {
        .device = device_ref(reply, XIW_A_NOTICE_DEV_INDEX, XIW_A_NOTICE_DEV_NAME),
        .kind = reply.number(XIW_A_NOTICE_KIND),
        .number = reply.number(XIW_A_NOTICE_NUMBER),
        .time = reply.number(XIW_A_NOTICE_TIME),
        .origin = reply.number(XIW_A_NOTICE_ORIGIN),
        .qpn = reply.number(XIW_A_NOTICE_QPN),
        .cm_id = reply.number(XIW_A_NOTICE_CM_ID),
        .role = reply.number(XIW_A_NOTICE_ROLE),
        .local = address(reply, XIW_A_NOTICE_LOCAL_ADDR),
        .remote = address(reply, XIW_A_NOTICE_REMOTE_ADDR),
        .terminate = reply.number(XIW_A_NOTICE_TERMINATE),
        .segment_length = reply.number(XIW_A_NOTICE_SEGMENT_LENGTH),
        .ddp_header = octets(reply, XIW_A_NOTICE_DDP_HEADER),
        .rdma_header = octets(reply, XIW_A_NOTICE_RDMA_HEADER),
        .hidden = reply.has(XIW_A_NOTICE_HIDDEN),
        .error = reply.number(XIW_A_NOTICE_ERROR),
        .text = reply.text(XIW_A_NOTICE_TEXT).value_or(""),
        .from = reply.number(XIW_A_NOTICE_FROM),
        .to = reply.number(XIW_A_NOTICE_TO),
        .records = records(reply),
    };
}

} // namespace xiw::nl
