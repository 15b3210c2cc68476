// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Objects of libibverbs and librdmacm that free themselves.
#ifndef XIW_TRAFFIC_VERBS_HANDLES_HPP
#define XIW_TRAFFIC_VERBS_HANDLES_HPP

#include <memory>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

namespace xiw::traffic {

template <auto Free>
struct Deleter {
    template <typename T>
    void operator()(T *object) const {
        Free(object);
    }
};
using Channel = std::unique_ptr<rdma_event_channel, Deleter<rdma_destroy_event_channel>>;
using CompChannel = std::unique_ptr<ibv_comp_channel, Deleter<ibv_destroy_comp_channel>>;
using Pd = std::unique_ptr<ibv_pd, Deleter<ibv_dealloc_pd>>;
using Cq = std::unique_ptr<ibv_cq, Deleter<ibv_destroy_cq>>;
using Qp = std::unique_ptr<ibv_qp, Deleter<ibv_destroy_qp>>;
using Srq = std::unique_ptr<ibv_srq, Deleter<ibv_destroy_srq>>;
using Mr = std::unique_ptr<ibv_mr, Deleter<ibv_dereg_mr>>;
using Id = std::unique_ptr<rdma_cm_id, Deleter<rdma_destroy_id>>;

} // namespace xiw::traffic

#endif
