// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// xiw-uverbs DEVICE SECONDS [SEED [ADDRESS]]
//
// Two threads send valid and invalid commands and ioctls to the device's uverbs file, and make
// valid and invalid mappings of it. The program repeatedly opens the file, uses it and closes it.
// The kernel cleans up when the file is closed. After the run, the kernel's log and the number of
// the device's objects show whether the cleanup has succeeded. The exit status is 1 if all requests
// of a required type were refused, because such a run has not tested this type.
//
// If the device's ADDRESS is given, rdma_cm connects the device with itself and with peers that
// stall. Three threads use the same QPs, two threads use the connections, and one thread acts as
// the peers. Some commands contain numbers of QPs of other processes.
#include <arpa/inet.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <thread>

#include "connections.hpp"
#include "device.hpp"

namespace {

using namespace uverbs;
using Clock = std::chrono::steady_clock;

void work(Session &session, const Arena &arena, Tally &tally, uint64_t seed, uint64_t rounds) {
    Random random(seed);
    Mappings mappings;

    while (rounds-- > 0) {
        switch (random.below(8)) {
        case 0:
            call(session, arena, random, tally);
            break;
        case 1:
        case 2:
        case 3:
            mappings.step(session, random, tally);
            break;
        default:
            command(session, arena, random, tally);
            break;
        }
    }
}

// Calls work() in a child process, which inherits the arena and the file. The child has credentials
// of its own, so the kernel refuses its write() calls on the file.
void fork_off(Session &session, const Arena &arena, Random &random) {
    const auto child = fork();
    if (child == 0) {
        Tally unseen;
        work(session, arena, unseen, random.word(), 50);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, nullptr, 0);
}

void life(const std::string &path, Random &random, Tally &tally) {
    const Arena arena;
    Session session(path);

    // Create no context on one file in 20. Without a context, the kernel accepts few requests.
    if (!random.once_in(20))
        prepare(session, arena, random, tally);
    if (random.once_in(10))
        fork_off(session, arena, random);
    const auto rounds = 100 + random.below(2000);
    std::array<std::thread, 2> threads;
    for (auto &thread : threads)
        thread =
            std::thread([&, seed = random.word()] { work(session, arena, tally, seed, rounds); });
    for (auto &thread : threads)
        thread.join();
}

// In a run without ADDRESS, at least one request of each type in `wanted` must succeed. In a run
// with ADDRESS, at least one request of each type in `wanted_connected` must succeed.
const std::vector<const char *> wanted = {
    "create qp", "create qp, srq", "create cq, extended", "reg mr", "rereg mr",
    "resize cq", "modify qp",      "post send",           "map",    "create cq, ioctl",
    "query mr"};
const std::vector<const char *> wanted_connected = {"modify qp",   "cm resolve", "cm connect",
                                                    "cm accept",   "cm reject",  "cm established",
                                                    "peer stalled"};

void life_connected(const std::string &path, in_addr address, Random &random, Tally &tally) {
    const Arena arena;
    Session session(path);
    auto connections = std::make_unique<Connections>(address);
    std::vector<std::thread> threads;

    prepare(session, arena, random, tally);
    prepare_qps(session, arena, random, tally);
    const auto end = Clock::now() + std::chrono::milliseconds(200 + random.below(3000));
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, seed = random.word()] {
            Random own(seed);
            Mappings mappings;
            while (Clock::now() < end) {
                if (own.once_in(8))
                    mappings.step(session, own, tally);
                else
                    command_on_qp(session, arena, own, tally);
            }
        });
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&, seed = random.word()] {
            Random own(seed);
            while (Clock::now() < end)
                connections->step(session, own, tally);
        });
    threads.emplace_back([&, seed = random.word()] {
        Random own(seed);
        while (Clock::now() < end)
            stall(connections->at(), session, own, tally);
    });
    for (auto &thread : threads)
        thread.join();
    // At random, close the files of rdma_cm before or after the uverbs file.
    if (random.once_in(2))
        connections.reset();
}

} // namespace

int main(int argc, char **argv) {
    in_addr address{};
    const bool connected = argc == 5 && inet_pton(AF_INET, argv[4], &address) == 1;
    if (argc < 3 || argc > 5 || (argc == 5 && !connected)) {
        std::fputs("usage: xiw-uverbs DEVICE SECONDS [SEED [ADDRESS]]\n", stderr);
        return 2;
    }
    const auto seed = argc >= 4 ? std::strtoull(argv[3], nullptr, 0) : std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    try {
        const auto path = file_of(argv[1]);
        const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
        Random random(seed);
        Tally tally;
        uint64_t lives = 0;
        for (; Clock::now() < end; ++lives) {
            if (connected)
                life_connected(path, address, random, tally);
            else
                life(path, random, tally);
        }
        tally.print();
        std::printf("%llu files\n", static_cast<unsigned long long>(lives));
        for (const auto *what : connected ? wanted_connected : wanted)
            if (!tally.taken(what)) {
                std::printf("fail: no %s was taken\n", what);
                return 1;
            }
    } catch (const std::exception &error) {
        std::printf("fail: %s\n", error.what());
        return 1;
    }
    return 0;
}
