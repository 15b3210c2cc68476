// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Whatever the RNIC does with a command of the driver, the command ends and releases its slot. A
// wait that does not end aborts the program.
#include "commands.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cerrno>
#include <memory>

namespace {

constexpr unsigned slots = 64;

class Commands {
  public:
    commands *operator*() const { return commands_.get(); }

  private:
    std::unique_ptr<commands, decltype(&commands_free)> commands_{commands_new(), commands_free};
};

} // namespace

TEST_CASE("command: a command ends with any status, and the device continues") {
    Commands c;

    for (unsigned status = 0; status <= 255; status++) {
        const int error = commands_run(*c, COMMANDS_STATUS, static_cast<uint8_t>(status));
        CHECK((error == 0) == (status == 0));
    }
    CHECK(commands_run(*c, COMMANDS_STATUS, 255) == -EIO);
    CHECK(commands_failures(*c) == 0);
    CHECK(commands_room(*c) == slots);
}

TEST_CASE("command: a command without an answer ends with a reset, and so do later commands") {
    const auto answer = GENERATE(COMMANDS_NOTHING, COMMANDS_FAIL);
    Commands c;

    CHECK(commands_run(*c, answer, 0) == -EIO);
    CHECK(commands_failures(*c) == 1);
    CHECK(commands_room(*c) == slots);
    CHECK(commands_run(*c, COMMANDS_STATUS, 0) == -EIO);
    CHECK(commands_failures(*c) == 1);
    CHECK(commands_room(*c) == slots);
}

TEST_CASE("command: a refusal to give memory back fails the device") {
    Commands c;

    commands_revoke(*c, 0);
    CHECK(commands_failures(*c) == 0);
    commands_revoke(*c, 1);
    CHECK(commands_failures(*c) == 1);
    commands_revoke(*c, 0);
    CHECK(commands_failures(*c) == 1);
    CHECK(commands_room(*c) == slots);
}
