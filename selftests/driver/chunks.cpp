// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An allocation of memory for one user may take a long time, and other tasks must not wait for it.
// So the driver must not hold the lock of the STag table while it allocates a chunk, and must not
// take the lock for an index that the table already has. The program aborts if the driver allocates
// a chunk with the lock held, or takes the lock while the test holds it as another task.
#include "chunks.h"

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <memory>

namespace {

class Chunks {
  public:
    chunks *operator*() const { return chunks_.get(); }

  private:
    std::unique_ptr<chunks, decltype(&chunks_free)> chunks_{chunks_new(), chunks_free};
};

} // namespace

TEST_CASE("STag table: the table grows to include the index") {
    Chunks c;

    CHECK(chunks_give(*c, 1) == 0);
    CHECK(chunks_passed(*c) == 1);
    CHECK(chunks_give(*c, CHUNKS_ENTRIES - 1) == 0);
    CHECK(chunks_passed(*c) == 1);
    CHECK(chunks_give(*c, 3 * CHUNKS_ENTRIES) == 0);
    CHECK(chunks_passed(*c) == 4);
    CHECK(chunks_allocated(*c) == 4);
}

TEST_CASE("STag table: an index of the table does not wait while the table grows") {
    Chunks c;

    CHECK(chunks_give(*c, 1) == 0);
    chunks_extending(*c, true);
    CHECK(chunks_give(*c, 2) == 0);
    chunks_extending(*c, false);
}

TEST_CASE("STag table: another task adds the chunk first") {
    Chunks c;

    chunks_race(*c, 5);
    CHECK(chunks_give(*c, 1) == 0);
    CHECK(chunks_passed(*c) == 1);
    CHECK(chunks_allocated(*c) == 1);
}

TEST_CASE("STag table: another task adds some of the chunks first") {
    Chunks c;

    chunks_race(*c, CHUNKS_ENTRIES);
    CHECK(chunks_give(*c, 3 * CHUNKS_ENTRIES) == 0);
    CHECK(chunks_passed(*c) == 4);
    CHECK(chunks_allocated(*c) == 4);
}

TEST_CASE("STag table: a failed allocation changes nothing") {
    Chunks c;

    chunks_scarce(*c, true);
    CHECK(chunks_give(*c, 1) == -ENOMEM);
    CHECK(chunks_passed(*c) == 0);
    chunks_scarce(*c, false);
    CHECK(chunks_give(*c, 1) == 0);
    CHECK(chunks_passed(*c) == 1);
}
