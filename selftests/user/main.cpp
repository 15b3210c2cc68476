// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Tests of verbs between two devices of this machine. A device is selected by its address.
// The program prints one line for each case, and fails if a case fails.
//
// xiw-verbs ADDRESS-A ADDRESS-B [CASE...]: runs these cases, or all cases.
// xiw-verbs ADDRESS-A ADDRESS-B but CASE...: runs all cases except these.
//   In both forms, "all cases" does not include the tests of the commands below.
// xiw-verbs ADDRESS-A ADDRESS-B bursts: tests messages that arrive together. The setting park-time
//   must be at most 1 s for both devices.
// xiw-verbs ADDRESS-A ADDRESS-B experiment: tests Send with Immediate. The setting
//   send-with-immediate must be on for both devices.
// xiw-verbs ADDRESS-A ADDRESS-B longest: sends messages of 2^31 octets. This takes minutes.
// xiw-verbs ADDRESS-A ADDRESS-B numbers [CASE...]: tests QPs that connect by number. This needs
//   connect-by-number=on.
// xiw-verbs ADDRESS-A ADDRESS-B charges: checks the memory that is charged to the cgroup of a user
//   whose QPs connect by number. The user must have no privileges. This needs connect-by-number=on.
// xiw-verbs ADDRESS-A ADDRESS-B hold STATE: enters the state, prints `holding` and waits.
// xiw-verbs ADDRESS-A ADDRESS-B take QP-A QP-B: tries to connect QPs of another process.
#include "pair.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: xiw-verbs ADDRESS-A ADDRESS-B [CASE...]\n");
        return 2;
    }
    user::addresses = {argv[1], argv[2]};
    if (argc == 6 && !std::strcmp(argv[3], "take")) {
        user::take(std::strtoul(argv[4], nullptr, 10), std::strtoul(argv[5], nullptr, 10));
        return 0;
    }
    std::vector<user::Case> cases;
    if (argc == 5 && !std::strcmp(argv[3], "hold")) {
        argv++, argc--;
        cases = user::hold_cases();
    } else if (argc == 4 && !std::strcmp(argv[3], "bursts")) {
        argc--;
        cases = user::burst_cases();
    } else if (argc == 4 && !std::strcmp(argv[3], "experiment")) {
        argc--;
        cases = user::experiment_cases();
    } else if (argc >= 4 && !std::strcmp(argv[3], "numbers")) {
        argv++, argc--;
        cases = user::number_cases();
    } else if (argc == 4 && !std::strcmp(argv[3], "charges")) {
        argc--;
        cases = user::charge_cases();
    } else if (argc == 4 && !std::strcmp(argv[3], "longest")) {
        argc--;
        cases = user::longest_cases();
    } else {
        for (auto list :
             {user::data_cases, user::answer_cases, user::atomic_cases, user::completion_cases,
              user::shared_cases, user::memory_cases, user::dmabuf_cases, user::window_cases,
              user::refused_cases, user::misuse_cases, user::full_cases, user::reset_cases,
              user::stranger_cases})
            for (const auto &one : list())
                cases.push_back(one);
    }

    const bool others = argc > 3 && !std::strcmp(argv[3], "but");
    const std::vector<std::string> wanted(argv + 3 + others, argv + argc);
    for (const auto &name : wanted)
        if (std::none_of(cases.begin(), cases.end(),
                         [&](const auto &one) { return name == one.name; })) {
            std::fprintf(stderr, "xiw-verbs: no case '%s'\n", name.c_str());
            return 2;
        }

    int failed = 0;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const auto &one : cases) {
        const bool named = std::find(wanted.begin(), wanted.end(), one.name) != wanted.end();
        if (!wanted.empty() && named == others)
            continue;
        try {
            one.run();
            std::printf("pass %s\n", one.name);
        } catch (const std::exception &error) {
            std::printf("fail %s: %s\n", one.name, error.what());
            failed++;
        }
    }
    return failed ? 1 : 0;
}
