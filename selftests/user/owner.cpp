// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Tries to connect and to accept with QPs of another process. rdma_ucm accepts the number of any
// QP, so the driver must refuse these QPs.
#include "pair.hpp"

#include <cstdio>

namespace user {
namespace {

void attempt(const char *what, const Options &options) {
    try {
        Pair pair(options);
        std::printf("%s: granted\n", what);
    } catch (const Failed &error) {
        std::printf("%s: %s\n", what, error.what());
    }
}

} // namespace

void take(uint32_t qp_of_a, uint32_t qp_of_b) {
    Options options;
    options.connects = qp_of_a;
    attempt("connect", options);
    options.connects = 0;
    options.accepts = qp_of_b;
    attempt("accept", options);
}

} // namespace user
