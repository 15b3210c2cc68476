// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace xiw;

namespace {

template <typename State, typename Next>
std::set<int> reachable(State from, int events, Next next, int count) {
    std::set<int> seen{from};
    std::vector<int> todo{from};

    while (!todo.empty()) {
        int state = todo.back();

        todo.pop_back();
        for (int e = 0; e < events; e++) {
            int to = next(state, e);

            if (to < count && seen.insert(to).second)
                todo.push_back(to);
        }
    }
    return seen;
}

int qps(int state, int event) {
    return xiw_qps_next(static_cast<xiw_qps>(state), static_cast<xiw_qpe>(event));
}

} // namespace

TEST_CASE("every state can be reached, left and named") {
    CHECK(reachable(XIW_QPS_IDLE, XIW_QPE_COUNT, qps, XIW_QPS_COUNT).size() == XIW_QPS_COUNT);
    for (int s = 0; s < XIW_QPS_COUNT; s++) {
        REQUIRE(xiw_qps_name[s]);
        CHECK(reachable(s, XIW_QPE_COUNT, qps, XIW_QPS_COUNT).contains(XIW_QPS_IDLE));
        CHECK(qps(s, XIW_QPE_CLOSED) == (s == XIW_QPS_LEFT ? s : XIW_QPS_ERROR));
    }
    for (int s = 0; s < XIW_MPAS_COUNT; s++)
        REQUIRE(xiw_mpas_name[s]);
    for (int e = 0; e < XIW_QPE_COUNT; e++)
        REQUIRE(xiw_qpe_name[e]);
}

TEST_CASE("an event moves a stream to its next state or is illegal") {
    struct {
        xiw_qps from;
        xiw_qpe event;
        xiw_qps to;
    } rows[] = {
        {XIW_QPS_IDLE, XIW_QPE_OPEN_ACTIVE, XIW_QPS_RTS},
        {XIW_QPS_IDLE, XIW_QPE_OPEN_PASSIVE, XIW_QPS_RTR},
        {XIW_QPS_IDLE, XIW_QPE_FAULT, XIW_QPS_ILLEGAL},
        {XIW_QPS_IDLE, XIW_QPE_NAME, XIW_QPS_NAMED},
        {XIW_QPS_IDLE, XIW_QPE_UNANSWERED, XIW_QPS_ILLEGAL},
        {XIW_QPS_NAMED, XIW_QPE_NAME, XIW_QPS_ILLEGAL},
        {XIW_QPS_NAMED, XIW_QPE_OPEN_ACTIVE, XIW_QPS_RTS},
        {XIW_QPS_NAMED, XIW_QPE_OPEN_PASSIVE, XIW_QPS_RTR},
        {XIW_QPS_NAMED, XIW_QPE_UNANSWERED, XIW_QPS_ERROR},
        {XIW_QPS_NAMED, XIW_QPE_ABORT, XIW_QPS_ERROR},
        {XIW_QPS_NAMED, XIW_QPE_CLOSE, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTR, XIW_QPE_NOT_OPENED, XIW_QPS_NAMED},
        {XIW_QPS_RTS, XIW_QPE_NOT_OPENED, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTS, XIW_QPE_UNANSWERED, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTS, XIW_QPE_PEER_LEFT, XIW_QPS_LEFT},
        {XIW_QPS_LEFT, XIW_QPE_UNANSWERED, XIW_QPS_ERROR},
        {XIW_QPS_LEFT, XIW_QPE_ABORT, XIW_QPS_ERROR},
        {XIW_QPS_LEFT, XIW_QPE_OPEN_ACTIVE, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTR, XIW_QPE_FIRST_FPDU, XIW_QPS_RTS},
        {XIW_QPS_RTR, XIW_QPE_CLOSE, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTR, XIW_QPE_PEER_CLOSED, XIW_QPS_CLOSING},
        {XIW_QPS_RTS, XIW_QPE_OPEN_ACTIVE, XIW_QPS_ILLEGAL},
        {XIW_QPS_RTS, XIW_QPE_CLOSE, XIW_QPS_CLOSING},
        {XIW_QPS_RTS, XIW_QPE_FAULT, XIW_QPS_TERMINATE},
        {XIW_QPS_RTS, XIW_QPE_TERM_RECEIVED, XIW_QPS_TERMINATE},
        {XIW_QPS_RTS, XIW_QPE_PEER_CLOSED, XIW_QPS_CLOSING},
        {XIW_QPS_RTS, XIW_QPE_PEER_CLOSED_BUSY, XIW_QPS_ERROR},
        {XIW_QPS_RTS, XIW_QPE_LOST, XIW_QPS_ERROR},
        {XIW_QPS_RTS, XIW_QPE_ABORT, XIW_QPS_ERROR},
        {XIW_QPS_CLOSING, XIW_QPE_CLOSE, XIW_QPS_ILLEGAL},
        {XIW_QPS_CLOSING, XIW_QPE_FAULT, XIW_QPS_ERROR},
        {XIW_QPS_CLOSING, XIW_QPE_CLOSED, XIW_QPS_ERROR},
        {XIW_QPS_TERMINATE, XIW_QPE_FAULT, XIW_QPS_ILLEGAL},
        {XIW_QPS_TERMINATE, XIW_QPE_ABORT, XIW_QPS_ILLEGAL},
        {XIW_QPS_TERMINATE, XIW_QPE_CLOSED, XIW_QPS_ERROR},
        {XIW_QPS_ERROR, XIW_QPE_RESET, XIW_QPS_IDLE},
        {XIW_QPS_ERROR, XIW_QPE_OPEN_ACTIVE, XIW_QPS_ILLEGAL},
    };

    for (auto &row : rows) {
        INFO(xiw_qps_name[row.from] << ", " << xiw_qpe_name[row.event]);
        CHECK(xiw_qps_next(row.from, row.event) == row.to);
    }
}
