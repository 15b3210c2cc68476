// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// xiw-fabric ADDRESS PORT: test messages, RMA and atomics of libfabric's verbs provider. Both ends
// of the connection are message endpoints in this process, and one of them listens at ADDRESS and
// PORT. Prints a line for each test, and exits 1 at the first failure.
#include "connection.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

namespace {

using namespace xiw::fabric;

constexpr size_t octets = 1 << 20;

void expect(bool good, const std::string &what) {
    if (!good)
        throw Failure{what};
}

// Waits for the next completion of `end`, and checks that it reports success. `what` is a part of
// the error message.
void done(End &end, const char *what) {
    const auto completion = end.completion();
    expect(completion.error == 0, std::string{what} + ": " + fi_strerror(completion.error) +
                                      ", status " + std::to_string(completion.provider));
}

void fill(End &end, uint8_t seed) {
    std::iota(end.memory(), end.memory() + octets, seed);
}

void messages(Connection &c) {
    for (const size_t length : {1, 64, 5000, 262144}) {
        fill(c.a(), static_cast<uint8_t>(length));
        std::fill_n(c.b().memory(), octets, uint8_t{0});
        check(fi_recv(c.b().endpoint(), c.b().memory(), octets, c.b().local(), 0, nullptr),
              "fi_recv");
        check(fi_send(c.a().endpoint(), c.a().memory(), length, c.a().local(), 0, nullptr),
              "fi_send");
        done(c.a(), "send");
        done(c.b(), "receive");
        expect(std::equal(c.a().memory(), c.a().memory() + length, c.b().memory()),
               "a message of " + std::to_string(length) + " octets has changed");
    }
}

// Tests Writes and Reads. A Write may complete before the peer has placed the data. A later Read of
// the same memory completes only after the peer has placed the data of the Write. So the test
// checks the memory of both ends only after the Read.
void rma(Connection &c) {
    const auto half = octets / 2;
    for (const size_t length : {1, 4096, 100'000, 524'288}) {
        fill(c.a(), static_cast<uint8_t>(length + 1));
        check(fi_write(c.a().endpoint(), c.a().memory(), length, c.a().local(), 0,
                       c.b().address() + half, c.b().key(), nullptr),
              "fi_write");
        done(c.a(), "write");
        std::fill_n(c.a().memory() + half, half, uint8_t{0});
        check(fi_read(c.a().endpoint(), c.a().memory() + half, length, c.a().local(), 0,
                      c.b().address() + half, c.b().key(), nullptr),
              "fi_read");
        done(c.a(), "read");
        for (auto *copy : {c.a().memory(), c.b().memory()})
            expect(std::equal(c.a().memory(), c.a().memory() + length, copy + half),
                   "the data of " + std::to_string(length) + " octets differ");
    }
}

// For an atomic, the verbs provider of libfabric 2.1 and earlier sends the pointer itself, and not
// the operand to which the pointer points. So this function converts the operand to a pointer.
void *operand(uint64_t value) {
    return reinterpret_cast<void *>(value);
}

bool offered(Connection &c, fi_op op, uint64_t flags) {
    fi_atomic_attr attr{};
    return fi_query_atomic(c.a().domain(), FI_UINT64, op, &attr, flags) == 0 && attr.count > 0;
}

void atomics(Connection &c) {
    expect(offered(c, FI_SUM, FI_FETCH_ATOMIC), "no fetching sum");
    expect(offered(c, FI_CSWAP, FI_COMPARE_ATOMIC), "no compare and swap");
    uint64_t word = 1000;
    auto *result = c.a().memory();
    const auto found = [&] {
        uint64_t value = 0;
        std::memcpy(&value, result, sizeof value);
        return value;
    };
    const auto there = [&] {
        uint64_t value = 0;
        std::memcpy(&value, c.b().memory(), sizeof value);
        return value;
    };
    std::memcpy(c.b().memory(), &word, sizeof word);
    for (uint64_t n = 0; n < 100; ++n) {
        check(fi_fetch_atomic(c.a().endpoint(), operand(7), 1, nullptr, result, c.a().local(), 0,
                              c.b().address(), c.b().key(), FI_UINT64, FI_SUM, nullptr),
              "fi_fetch_atomic");
        done(c.a(), "fetching sum");
        expect(found() == 1000 + 7 * n, "a FetchAdd found " + std::to_string(found()));
    }
    const auto swap = [&](uint64_t compare, uint64_t value) {
        check(fi_compare_atomic(c.a().endpoint(), operand(value), 1, nullptr, operand(compare),
                                nullptr, result, c.a().local(), 0, c.b().address(), c.b().key(),
                                FI_UINT64, FI_CSWAP, nullptr),
              "fi_compare_atomic");
        done(c.a(), "compare and swap");
        return found();
    };
    expect(swap(1, 5) == 1700 && there() == 1700, "a CmpSwap that misses");
    expect(swap(1700, 5) == 1700 && there() == 5, "a CmpSwap that hits");
}

// Tests that a Read with a wrong key fails. The Read ends the connection, so this test must be the
// last one.
void refused(Connection &c) {
    check(fi_read(c.a().endpoint(), c.a().memory(), 8, c.a().local(), 0, c.b().address(),
                  c.b().key() ^ 0xff00, nullptr),
          "fi_read");
    expect(c.a().completion().error != 0, "a Read with a wrong key succeeds");
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fputs("usage: xiw-fabric ADDRESS PORT\n", stderr);
        return 2;
    }
    try {
        Connection c{argv[1], argv[2], octets};
        std::printf("provider %s on %s, remote CQ data of %zu octets\n",
                    c.info().fabric_attr->prov_name, c.info().domain_attr->name,
                    c.info().domain_attr->cq_data_size);
        const std::pair<const char *, std::function<void(Connection &)>> all[] = {
            {"messages", messages}, {"rma", rma}, {"atomics", atomics}, {"refused", refused}};
        for (const auto &[name, run] : all) {
            run(c);
            std::printf("ok %s\n", name);
        }
    } catch (const Failure &failure) {
        std::printf("fail: %s\n", failure.what());
        return 1;
    }
    return 0;
}
