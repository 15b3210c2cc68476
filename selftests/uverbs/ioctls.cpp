// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Calls of the ioctl interface. The numbers of objects, methods and attributes, and the contents of
// attributes, are valid or random.
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/xiw-abi.h>

#include <sys/ioctl.h>

#include <cstring>

#include "session.hpp"

namespace uverbs {

namespace {

constexpr size_t most_attributes = 16;

/** The header of an ioctl, with room for the attributes. */
struct Request {
    ib_uverbs_ioctl_hdr &header() {
        return *reinterpret_cast<ib_uverbs_ioctl_hdr *>(words_.data());
    }
    ib_uverbs_attr &attribute(size_t n) { return header().attrs[n]; }

  private:
    std::vector<uint64_t> words_ = std::vector<uint64_t>(
        (sizeof(ib_uverbs_ioctl_hdr) + most_attributes * sizeof(ib_uverbs_attr)) / 8);
};

/** What a valid call stores in an attribute. */
enum class Holds { pd, mr, mw, channel, cq, qp, srq, number, file, in, out };

struct Attribute {
    uint16_t id;
    Holds holds;
    uint16_t length; ///< length of the value, for number, in and out
};

struct Method {
    uint16_t object, method;
    const char *what;
    std::vector<Attribute> attributes;
};

const std::vector<Method> &methods() {
    static const std::vector<Method> all = {
        {UVERBS_OBJECT_DEVICE,
         UVERBS_METHOD_QUERY_PORT,
         "query port",
         {{UVERBS_ATTR_QUERY_PORT_PORT_NUM, Holds::number, 1},
          {UVERBS_ATTR_QUERY_PORT_RESP, Holds::out, 64}}},
        {UVERBS_OBJECT_DEVICE,
         UVERBS_METHOD_GET_CONTEXT,
         "get context, ioctl",
         {{UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, Holds::out, 4},
          {UVERBS_ATTR_UHW_IN, Holds::in, sizeof(xiw_abi_alloc_ucontext_req)},
          {UVERBS_ATTR_UHW_OUT, Holds::out, sizeof(xiw_abi_alloc_ucontext_resp)}}},
        {UVERBS_OBJECT_DEVICE,
         UVERBS_METHOD_INFO_HANDLES,
         "info handles",
         {{UVERBS_ATTR_INFO_OBJECT_ID, Holds::number, 8},
          {UVERBS_ATTR_INFO_TOTAL_HANDLES, Holds::out, 4},
          {UVERBS_ATTR_INFO_HANDLES_LIST, Holds::out, 64}}},
        {UVERBS_OBJECT_CQ,
         UVERBS_METHOD_CQ_CREATE,
         "create cq, ioctl",
         {{UVERBS_ATTR_CREATE_CQ_HANDLE, Holds::number, 0},
          {UVERBS_ATTR_CREATE_CQ_CQE, Holds::number, 4},
          {UVERBS_ATTR_CREATE_CQ_USER_HANDLE, Holds::number, 8},
          {UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, Holds::number, 4},
          {UVERBS_ATTR_CREATE_CQ_RESP_CQE, Holds::out, 4},
          {UVERBS_ATTR_UHW_IN, Holds::in, sizeof(xiw_abi_create_cq_req)},
          {UVERBS_ATTR_UHW_OUT, Holds::out, sizeof(xiw_abi_create_cq_resp)}}},
        {UVERBS_OBJECT_CQ,
         UVERBS_METHOD_CQ_DESTROY,
         "destroy cq, ioctl",
         {{UVERBS_ATTR_DESTROY_CQ_HANDLE, Holds::cq, 0},
          {UVERBS_ATTR_DESTROY_CQ_RESP, Holds::out, 8}}},
        {UVERBS_OBJECT_MR,
         UVERBS_METHOD_MR_DESTROY,
         "destroy mr, ioctl",
         {{UVERBS_ATTR_DESTROY_MR_HANDLE, Holds::mr, 0}}},
        {UVERBS_OBJECT_MR,
         UVERBS_METHOD_QUERY_MR,
         "query mr",
         {{UVERBS_ATTR_QUERY_MR_HANDLE, Holds::mr, 0},
          {UVERBS_ATTR_QUERY_MR_RESP_LKEY, Holds::out, 4},
          {UVERBS_ATTR_QUERY_MR_RESP_RKEY, Holds::out, 4},
          {UVERBS_ATTR_QUERY_MR_RESP_LENGTH, Holds::out, 8},
          {UVERBS_ATTR_QUERY_MR_RESP_IOVA, Holds::out, 8}}},
        {UVERBS_OBJECT_MR,
         UVERBS_METHOD_REG_DMABUF_MR,
         "reg dmabuf mr",
         {{UVERBS_ATTR_REG_DMABUF_MR_HANDLE, Holds::number, 0},
          {UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, Holds::pd, 0},
          {UVERBS_ATTR_REG_DMABUF_MR_OFFSET, Holds::number, 8},
          {UVERBS_ATTR_REG_DMABUF_MR_LENGTH, Holds::number, 8},
          {UVERBS_ATTR_REG_DMABUF_MR_IOVA, Holds::number, 8},
          {UVERBS_ATTR_REG_DMABUF_MR_FD, Holds::file, 0},
          {UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, Holds::number, 4},
          {UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, Holds::out, 4},
          {UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, Holds::out, 4}}},
        {UVERBS_OBJECT_PD,
         UVERBS_METHOD_PD_DESTROY,
         "destroy pd, ioctl",
         {{UVERBS_ATTR_DESTROY_PD_HANDLE, Holds::pd, 0}}},
        {UVERBS_OBJECT_MW,
         UVERBS_METHOD_MW_DESTROY,
         "destroy mw, ioctl",
         {{UVERBS_ATTR_DESTROY_MW_HANDLE, Holds::mw, 0}}},
        {UVERBS_OBJECT_QP,
         UVERBS_METHOD_QP_DESTROY,
         "destroy qp, ioctl",
         {{UVERBS_ATTR_DESTROY_QP_HANDLE, Holds::qp, 0},
          {UVERBS_ATTR_DESTROY_QP_RESP, Holds::out, 4}}},
        {UVERBS_OBJECT_SRQ,
         UVERBS_METHOD_SRQ_DESTROY,
         "destroy srq, ioctl",
         {{UVERBS_ATTR_DESTROY_SRQ_HANDLE, Holds::srq, 0},
          {UVERBS_ATTR_DESTROY_SRQ_RESP, Holds::out, 4}}},
    };
    return all;
}

uint64_t value_of(Holds holds, uint16_t length, Session &session, const Arena &arena,
                  Random &random) {
    switch (holds) {
    case Holds::pd:
        return session.some(Kind::pd, random);
    case Holds::mr:
        return session.some(Kind::mr, random);
    case Holds::mw:
        return session.some(Kind::mw, random);
    case Holds::channel:
        return session.some(Kind::channel, random);
    case Holds::cq:
        return session.some(Kind::cq, random);
    case Holds::qp:
        return session.some(Kind::qp, random);
    case Holds::srq:
        return session.some(Kind::srq, random);
    case Holds::file:
        return random.below(16);
    case Holds::number:
        return length ? random.below(random.once_in(4) ? 100 : 3) : 0;
    case Holds::in:
        // All octets of the input are zero, because reserved fields must be zero. The attribute
        // itself contains an input of up to eight octets. For a longer input, the attribute points
        // to the end of the arena, which contains zeros.
        return length <= 8 ? 0 : reinterpret_cast<uint64_t>(arena.begin() + Arena::size - 4096);
    case Holds::out:
        return reinterpret_cast<uint64_t>(arena.begin() + random.below(Arena::size / 2) / 8 * 8);
    }
    return 0;
}

void spoil(Request &request, const Arena &arena, Random &random) {
    for (auto n = 1 + random.below(3); n > 0; --n) {
        auto &attribute = request.attribute(random.below(most_attributes));
        switch (random.below(8)) {
        case 0:
            request.header().object_id = static_cast<uint16_t>(random.odd());
            break;
        case 1:
            request.header().method_id = static_cast<uint16_t>(random.below(16));
            break;
        case 2:
            request.header().length = static_cast<uint16_t>(random.odd());
            break;
        case 3:
            request.header().num_attrs = static_cast<uint16_t>(random.below(most_attributes + 1));
            break;
        case 4:
            attribute.attr_id = static_cast<uint16_t>(random.odd());
            break;
        case 5:
            attribute.len = static_cast<uint16_t>(random.odd());
            break;
        case 6:
            attribute.flags = static_cast<uint16_t>(random.odd());
            break;
        // Do not use a random address, because the kernel must not overwrite memory of the program.
        default:
            attribute.data = random.once_in(2) ? random.below(64) : arena.address(random);
            break;
        }
    }
    if (random.once_in(8))
        request.header().driver_id = static_cast<uint32_t>(random.odd());
    if (random.once_in(16))
        request.header().reserved1 = random.odd();
}

} // namespace

void call(Session &session, const Arena &arena, Random &random, Tally &tally) {
    const auto &method = methods()[random.below(methods().size())];
    Request request;
    request.header().object_id = method.object;
    request.header().method_id = method.method;
    request.header().num_attrs = static_cast<uint16_t>(method.attributes.size());
    request.header().driver_id = XIW_ABI_DRIVER_ID;
    size_t at = 0;
    for (const auto &attribute : method.attributes) {
        auto &to = request.attribute(at++);
        to.attr_id = attribute.id;
        to.len = attribute.length;
        to.flags = UVERBS_ATTR_F_MANDATORY;
        to.data = value_of(attribute.holds, attribute.length, session, arena, random);
    }
    request.header().length =
        static_cast<uint16_t>(sizeof(ib_uverbs_ioctl_hdr) + at * sizeof(ib_uverbs_attr));
    const bool spoilt = random.once_in(2);
    if (spoilt)
        spoil(request, arena, random);
    const bool taken = ioctl(session.file(), RDMA_VERBS_IOCTL, &request.header()) >= 0;
    tally.count(spoilt ? "spoilt ioctl" : method.what, taken);
    // Later commands may use a CQ that an ioctl has created. The queue of this CQ is not mapped.
    if (taken && !spoilt && method.object == UVERBS_OBJECT_CQ &&
        method.method == UVERBS_METHOD_CQ_CREATE)
        session.made(Kind::cq, static_cast<uint32_t>(request.attribute(0).data));
}

} // namespace uverbs
