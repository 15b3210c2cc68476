// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The table of DMA mappings.
#include "bus/dma.hpp"
#include "bus/message.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <sys/eventfd.h>
#include <sys/mman.h>

using namespace xiw::rnic::bus;
using xiw::rnic::Descriptor;

namespace {

struct File {
    explicit File(size_t octets) : fd(memfd_create("test", MFD_CLOEXEC)), size(octets) {
        REQUIRE(ftruncate(fd.get(), static_cast<off_t>(size)) == 0);
        memory = static_cast<uint8_t *>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0));
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    File(File &&) = delete;
    File &operator=(File &&) = delete;
    ~File() { munmap(memory, size); }

    Descriptor fd;
    size_t size;
    uint8_t *memory;
};

constexpr uint64_t top = ~uint64_t{0};

} // namespace

TEST_CASE("dma: an access may span mappings, but not gaps or missing rights") {
    File file(0x8000);
    Dma dma;
    std::array<uint8_t, 0x3000> data{};
    data.fill(0x11);

    CHECK(dma.map({32, 3, 0x4000, 0x10000, 0x1000}, file.fd) == 0);
    CHECK(dma.map({32, 3, 0x1000, 0x11000, 0x1000}, file.fd) == 0);
    CHECK(dma.map({32, 1, 0x2000, 0x12000, 0x1000}, file.fd) == 0); // read-only
    CHECK(dma.map({32, 3, 0, 0x13000, 0x1000}, Descriptor()) == 0); // no access without a file
    CHECK_FALSE(dma.write(0x10000, data.data(), 1));                // bus master is disabled
    dma.enable(true);
    CHECK(dma.write(0x10ff0, data.data(), 0x20));
    CHECK(file.memory[0x4fff] == 0x11);
    CHECK(file.memory[0x100f] == 0x11);
    CHECK(file.memory[0x1010] == 0);
    CHECK(dma.read(0x10000, data.data(), 0x3000));
    CHECK_FALSE(dma.write(0x11ff8, data.data(), 0x10));
    CHECK_FALSE(dma.read(0x12ff8, data.data(), 0x10));
    CHECK_FALSE(dma.read(0x14000, data.data(), 1));
    CHECK_FALSE(dma.read(0xffff, data.data(), 2));
    CHECK_FALSE(dma.read(top, data.data(), 2));
    dma.enable(false);
    CHECK_FALSE(dma.read(0x10000, data.data(), 1));
}

TEST_CASE("dma: invalid mappings are refused") {
    File file(0x4000);
    Dma dma;
    dma.enable(true);

    CHECK(dma.map({32, 3, 0, 0x1000, 0}, file.fd) == EINVAL);
    CHECK(dma.map({32, 3, 0, top - 0xfff, 0x2000}, file.fd) == EINVAL);
    CHECK(dma.map({32, 3, 0x3001, 0x1000, 0x1000}, file.fd) == EINVAL); // beyond the file's end
    CHECK(dma.map({32, 3, top, 0x1000, 0x1000}, file.fd) == EINVAL);
    CHECK(dma.map({32, 3, 0, 0x1000, top - 0x1000}, file.fd) == EINVAL);
    const Descriptor no_file(eventfd(0, EFD_CLOEXEC));
    CHECK(dma.map({32, 3, 0, 0x1000, 0x1000}, no_file) == EINVAL);
    CHECK(dma.map({32, 3, 0, 0x1000, 0x2000}, file.fd) == 0);
    CHECK(dma.map({32, 3, 0, 0x1000, 0x2000}, file.fd) == EEXIST);
    CHECK(dma.map({32, 3, 0, 0x2fff, 0x1000}, file.fd) == EEXIST);
    CHECK(dma.map({32, 3, 0, 0, 0x1001}, file.fd) == EEXIST);
    CHECK(dma.map({32, 3, 0, top - 0xfff, 0x1000}, file.fd) == 0);
    uint8_t octet = 0;
    CHECK(dma.read(top, &octet, 1));
}

TEST_CASE("dma: an unmap removes everything in its range, up to the last octet") {
    File file(0x4000);
    Dma dma;
    uint8_t octet = 0;
    dma.enable(true);
    const auto there = [&](uint64_t at) { return dma.read(at, &octet, 1); };

    for (uint64_t at = 0x1000; at < 0x5000; at += 0x1000)
        CHECK(dma.map({32, 3, at - 0x1000, at, 0x1000}, file.fd) == 0);
    file.memory[0x2800] = 9;
    dma.unmap(0x2000, 0);
    dma.unmap(0x8000, 0x1000);
    CHECK(there(0x2000));
    dma.unmap(0x2000, 0x1800); // the second mapping, and the first half of the third mapping
    CHECK(there(0x1fff));
    CHECK_FALSE(there(0x2000));
    CHECK_FALSE(there(0x37ff));
    CHECK(there(0x3800));
    CHECK(octet == 9);
    dma.unmap(0x3900, 0x100);
    CHECK(there(0x38ff));
    CHECK_FALSE(there(0x3900));
    CHECK(there(0x3a00));
    dma.unmap(0x3000, top - 0x2fff);
    CHECK_FALSE(there(0x4fff));
    CHECK(there(0x1000));
    dma.unmap_all();
    CHECK_FALSE(there(0x1000));
}

TEST_CASE("dma: a file counts against the limit while part of it is mapped") {
    constexpr size_t most = 64;
    std::vector<std::unique_ptr<File>> files;
    Dma dma;

    // Map and unmap more files than the maximum, one at a time.
    for (size_t i = 0; i < 2 * most; i++) {
        File file(0x1000);
        CHECK(dma.map({32, 3, 0, 0x1000, 0x1000}, file.fd) == 0);
        dma.unmap(0x1000, 0x1000);
    }
    for (size_t i = 0; i < most; i++) {
        files.push_back(std::make_unique<File>(0x2000));
        CHECK(dma.map({32, 3, 0, 0x10000 * i, 0x1000}, files.back()->fd) == 0);
    }
    const File another(0x1000);
    CHECK(dma.map({32, 3, 0, top - 0xffff, 0x1000}, another.fd) == ENOSPC);
    // Another range of a file that is already mapped does not count against the limit.
    CHECK(dma.map({32, 3, 0x1000, 0x1000, 0x1000}, files[0]->fd) == 0);
    dma.unmap(0, 0x1000);
    CHECK(dma.map({32, 3, 0, top - 0xffff, 0x1000}, another.fd) == ENOSPC);
    dma.unmap(0x1000, 0x1000);
    CHECK(dma.map({32, 3, 0, top - 0xffff, 0x1000}, another.fd) == 0);
}

TEST_CASE("dma: a truncated file fails accesses beyond its end, and no other accesses") {
    File file(0x4000);
    Dma dma;
    std::array<uint8_t, 0x2000> data{};
    uint32_t value = 0;
    uint64_t original = 0;
    dma.enable(true);
    CHECK(dma.map({32, 3, 0, 0x1000, 0x4000}, file.fd) == 0);
    CHECK(dma.store(0x1000, uint32_t{7}));
    REQUIRE(ftruncate(file.fd.get(), 0x1000) == 0);

    CHECK_FALSE(dma.read(0x1800, data.data(), 0x1000)); // across the file's end
    CHECK_FALSE(dma.write(0x3000, data.data(), 1));
    CHECK_FALSE(dma.load(0x4000, value));
    CHECK_FALSE(dma.map({32, 3, 0, 0x8000, 0x4000}, file.fd) == 0);
    CHECK(dma.read(0x1000, data.data(), 0x1000));
    CHECK(dma.load(0x1000, value));
    CHECK(value == 7);
    CHECK(dma.modify(0x1000, original, [](uint64_t, uint64_t &) { return false; }));
    CHECK(original == 7);
}

TEST_CASE("dma: words must be aligned and are modified in one step") {
    File file(0x1000);
    Dma dma;
    uint32_t value = 0;
    uint64_t original = 0;
    dma.enable(true);
    CHECK(dma.map({32, 3, 0, 0x1000, 0x1000}, file.fd) == 0);

    CHECK(dma.store(0x1004, uint32_t{77}));
    CHECK(dma.load(0x1004, value));
    CHECK(value == 77);
    CHECK_FALSE(dma.load(0x1002, value));
    CHECK_FALSE(dma.store(0x2000, uint32_t{1}));
    CHECK(dma.store(0x1fff, uint8_t{5}));
    const auto add = [](uint64_t old, uint64_t &result) {
        result = old + 3;
        return true;
    };
    CHECK(dma.modify(0x1000, original, add));
    CHECK(original == uint64_t{77} << 32);
    CHECK(dma.modify(0x1000, original, [](uint64_t, uint64_t &) { return false; }));
    CHECK(original == (uint64_t{77} << 32) + 3);
    CHECK_FALSE(dma.modify(0x1004, original, add));
}
