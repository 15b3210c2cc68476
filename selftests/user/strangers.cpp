// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A process cannot use objects of another process. In these cases, each context of a device stands
// for a separate process.
#include "pair.hpp"

#include <memory>

#include <sys/mman.h>

namespace user {
namespace {

struct Closed {
    void operator()(ibv_context *context) const { ibv_close_device(context); }
};
using Context = std::unique_ptr<ibv_context, Closed>;

Context another(const Pair &pair) {
    Context context(ibv_open_device(pair.a.context->device));
    check(context != nullptr, "open_device");
    return context;
}

// A completion queue belongs to the context that created it.
void completion_queue() {
    Pair pair;
    const Context stranger = another(pair);
    const Pd pd(ibv_alloc_pd(stranger.get()));
    check(pd != nullptr, "alloc_pd");
    ibv_qp_init_attr attr = {};
    attr.send_cq = attr.recv_cq = pair.a.cq.get();
    attr.qp_type = IBV_QPT_RC;
    attr.cap = {4, 4, 1, 1, 0};
    ibv_qp *qp = ibv_create_qp(pd.get(), &attr);
    if (qp)
        ibv_destroy_qp(qp);
    check(!qp, "a queue pair on the completion queue of another context");
}

// A context without queues can map nothing, even at the offsets of other contexts' queues.
void mappings() {
    constexpr off_t page = 4096, pages = 1024;
    Pair pair;
    const Context stranger = another(pair);
    for (off_t at = 0; at < pages; at++)
        for (int rights : {PROT_READ, PROT_READ | PROT_WRITE}) {
            void *area = mmap(nullptr, page, rights, MAP_SHARED, stranger->cmd_fd, at * page);
            if (area == MAP_FAILED)
                continue;
            munmap(area, page);
            fail("page " + std::to_string(at) + " can be mapped");
        }
}

} // namespace

std::vector<Case> stranger_cases() {
    return {{"stranger-cq", completion_queue}, {"stranger-mappings", mappings}};
}

} // namespace user
