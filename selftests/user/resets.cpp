// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Resets of a QP: while other threads use the QP, which uverbs allows, and without a connection.
#include "pair.hpp"

#include <atomic>
#include <cerrno>
#include <thread>

namespace user {
namespace {

int modify(ibv_qp *qp, enum ibv_qp_state state) {
    struct ibv_qp_attr attr = {};
    attr.qp_state = state;
    return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

// A reset frees the array of the peer's requests. ibv_modify_qp() to SQD and ibv_query_qp() read
// this array. When `a` ends the stream, `b` has outstanding Reads, so the array of `a` is not
// empty.
void beside_close() {
    Options options;
    options.cqe = 256;
    for (int round = 0; round < 40; round++) {
        Pair pair(options);
        auto read = pair.b.request(IBV_WR_RDMA_READ, End::size);
        read.wr.rdma.remote_addr = pair.a.address();
        read.wr.rdma.rkey = pair.a.mr->rkey;
        for (int i = 0; i < 8; i++)
            pair.b.post(read);
        works(modify(pair.a.qp, IBV_QPS_ERR), "modify to ERR");

        std::atomic<bool> over = false;
        std::thread closer([&] {
            while (!over)
                modify(pair.a.qp, IBV_QPS_SQD);
        });
        std::thread looker([&] {
            struct ibv_qp_attr attr = {};
            struct ibv_qp_init_attr init = {};
            while (!over)
                ibv_query_qp(pair.a.qp, &attr, IBV_QP_MAX_DEST_RD_ATOMIC, &init);
        });
        // A reset fails with EBUSY until the stream has stopped and the QP has no connection.
        int err = EBUSY;
        try {
            wait_until("a reset", [&] {
                err = modify(pair.a.qp, IBV_QPS_RESET);
                return err != EBUSY;
            });
        } catch (...) {
            over = true;
            closer.join(), looker.join();
            throw;
        }
        over = true;
        closer.join(), looker.join();
        works(err, "modify to RESET");
    }
}

// Posts receives until the queue is full. Returns the number of receives.
int fill(ibv_qp *qp, const End &end) {
    struct ibv_sge sge = {end.address(), 64, end.mr->lkey};
    int posted = 0;
    for (;; posted++) {
        struct ibv_recv_wr wr = {};
        ibv_recv_wr *bad = nullptr;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        if (const int err = ibv_post_recv(qp, &wr, &bad); err != 0) {
            refused(ENOMEM, err, "a receive for which there is no room");
            return posted;
        }
    }
}

// A reset drops the posted receives, even if the QP was never connected.
void unconnected() {
    Pair pair;
    const Qp qp = pair.b.another(8);
    const int room = fill(qp.get(), pair.b);
    check(room >= 8, "room for the receives");
    for (int round = 0; round < 3; round++) {
        works(modify(qp.get(), IBV_QPS_RESET), "modify to RESET");
        struct ibv_wc wc;
        check(ibv_poll_cq(pair.b.cq.get(), 1, &wc) == 0, "no completion of a dropped receive");
        check(fill(qp.get(), pair.b) == room, "room after a reset");
    }
    works(modify(qp.get(), IBV_QPS_ERR), "modify to ERR");
    for (int i = 0; i < room; i++)
        pair.b.ends(IBV_WC_WR_FLUSH_ERR);
}

} // namespace

std::vector<Case> reset_cases() {
    return {{"reset-beside-close", beside_close}, {"reset-unconnected", unconnected}};
}

} // namespace user
