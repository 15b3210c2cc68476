// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The vfio-user server with a client that sends arbitrary messages.
#include "bus/interrupts.hpp"
#include "file_limit.hpp"
#include "hangup.hpp"
#include "machine.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <map>
#include <optional>
#include <random>

#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace xiw::test;
using bus::Command;

namespace {

// A device with a BAR of 64 octets. It records the requests.
class Toy final : public bus::Device {
  public:
    uint64_t region_size(uint32_t region) const override { return region == 0 ? 64 : 0; }
    void read(uint32_t, uint64_t offset, std::span<uint8_t> data) override {
        std::copy_n(memory.begin() + static_cast<ptrdiff_t>(offset), data.size(), data.begin());
    }
    void write(uint32_t, uint64_t offset, bus::Octets data) override {
        std::copy(data.begin(), data.end(), memory.begin() + static_cast<ptrdiff_t>(offset));
    }
    uint32_t irq_count(uint32_t index) const override {
        return index == VFIO_PCI_MSIX_IRQ_INDEX ? 4 : 0;
    }
    void irq_assign(uint32_t, uint32_t number, Descriptor event) override {
        assigned[number] = static_cast<bool>(event);
    }
    void irq_trigger(uint32_t, uint32_t) override { triggered++; }
    int dma_map(const bus::DmaMap &, Descriptor file) override {
        maps++;
        files += file ? 1 : 0;
        return 0;
    }
    void dma_unmap(uint64_t, uint64_t) override { unmaps++; }
    void dma_unmap_all() override { unmaps += 100; }
    void reset() override { resets++; }

    std::array<uint8_t, 64> memory{};
    std::map<uint32_t, bool> assigned;
    std::atomic<int> triggered = 0, maps = 0, files = 0, unmaps = 0, resets = 0;
};

std::vector<uint8_t> irqs(uint32_t flags, uint32_t start, uint32_t count) {
    return octets(uint32_t{20}, flags, uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, start, count);
}

std::vector<uint8_t> header(uint16_t command, uint32_t size, uint32_t flags = 0) {
    return octets(bus::Header{1, command, size, flags, 0});
}

} // namespace

TEST_CASE("vfio-user: the server negotiates the version and describes its device") {
    Toy toy;
    Client client(toy);
    const Reply hello = client.greet();

    CHECK(hello.error() == 0);
    CHECK(hello.payload.size() > 4);
    CHECK(hello.payload.back() == 0);
    const auto info =
        client.call(Command::get_info, octets(uint32_t{16}, uint32_t{0}, uint64_t{0}));
    CHECK(info.as<uint32_t>(4) == (VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI));
    CHECK(info.as<uint32_t>(8) == VFIO_PCI_NUM_REGIONS);
    vfio_region_info region{};
    region.argsz = sizeof(region);
    CHECK(client.call(Command::get_region_info, octets(region)).as<vfio_region_info>().size == 64);
    region.index = VFIO_PCI_NUM_REGIONS;
    CHECK(client.call(Command::get_region_info, octets(region)).error() == EINVAL);
    vfio_irq_info irq{};
    irq.index = VFIO_PCI_MSIX_IRQ_INDEX;
    const auto told = client.call(Command::get_irq_info, octets(irq)).as<vfio_irq_info>();
    CHECK(told.count == 4);
    CHECK((told.flags & VFIO_IRQ_INFO_NORESIZE) == 0);
}

TEST_CASE("vfio-user: regions are accessible only within their bounds") {
    Toy toy;
    Client client(toy);
    client.greet();

    CHECK(
        client.call(Command::region_write, octets(bus::RegionAccess{8, 0, 4}, uint32_t{0xabcdef01}))
            .error() == 0);
    // The server does not answer a posted write. It answers the next messages.
    client.post(Command::region_write, octets(bus::RegionAccess{12, 0, 4}, uint32_t{7}));
    const Reply read = client.call(Command::region_read, octets(bus::RegionAccess{8, 0, 8}));
    CHECK(read.payload.size() == 16 + 8);
    CHECK(read.as<uint64_t>(16) == 0x7abcdef01);

    const bus::RegionAccess outside[] = {
        {61, 0, 4}, {64, 0, 1}, {0, 0, 65},         {~uint64_t{0}, 0, 2},
        {0, 1, 1},  {0, 9, 1},  {0, 0xffffffff, 1}, {0, 0, 0xffffffff},
    };
    for (const auto &access : outside) {
        CHECK(client.call(Command::region_read, octets(access)).error() == EINVAL);
        CHECK(client.call(Command::region_write, octets(access, uint64_t{0})).error() == EINVAL);
    }
    // The request announces eight octets of data, but contains four.
    CHECK(client.call(Command::region_write, octets(bus::RegionAccess{0, 0, 8}, uint32_t{1}))
              .error() == EINVAL);
}

TEST_CASE("vfio-user: commands that are too short, too early or unknown are refused") {
    Toy toy;
    Client client(toy);

    CHECK(client.call(Command::region_read, octets(bus::RegionAccess{0, 0, 4})).error() == EINVAL);
    CHECK(client.call(Command::version, octets(uint16_t{1}, uint16_t{0}, uint8_t{0})).error() ==
          EINVAL);
    CHECK(client.call(Command::version, octets(uint16_t{0}, uint16_t{0}, uint8_t{'x'})).error() ==
          EINVAL);
    CHECK(client.greet().error() == 0);
    CHECK(client.greet().error() == EINVAL);
    for (uint16_t command = 0; command < 20; command++) {
        const auto known = static_cast<Command>(command);
        if (known == Command::reset)
            continue;
        CHECK(client.call(known, octets(uint16_t{0})).error() != 0);
    }
    CHECK(client.call(static_cast<Command>(0xffff), {}).error() == ENOSYS);
    CHECK(toy.maps == 0);
    CHECK(client.call(Command::reset, {}).error() == 0);
    CHECK(toy.resets == 1);
}

TEST_CASE("vfio-user: a framing error ends the connection") {
    const std::vector<uint8_t> streams[] = {
        header(9, 15), // a length shorter than the header
        header(9, 0),
        header(10, 16 + bus::payload_max + 1), // a length that exceeds the maximum
        header(10, 0xffffffff),
    };

    for (const auto &stream : streams) {
        Toy toy;
        Client client(toy);
        client.greet();
        client.raw(stream);
        CHECK_FALSE(client.receive());
    }
    // The server also reads the data after the error. Otherwise its close would reset the socket,
    // and QEMU aborts after a reset.
    for (const auto &stream : streams) {
        Toy toy;
        Client client(toy);
        client.greet();
        auto more = stream;
        more.resize(more.size() + 9000);
        client.raw(more);
        CHECK(client.ended());
    }
    // The client closes the socket inside a header or inside a payload.
    for (const size_t size : {7, 20}) {
        Toy toy;
        Client client(toy);
        client.greet();
        auto part = header(9, 32);
        part.resize(size);
        client.raw(part);
        client.hang_up();
        CHECK(toy.unmaps == 100);
    }
}

TEST_CASE("vfio-user: file descriptors reach their commands, and none is leaked") {
    Toy toy;
    Client client(toy);
    const Descriptor event(eventfd(0, EFD_CLOEXEC));
    const std::vector<int> many(40, event.get());
    const std::span<const int> fds(many);
    const uint32_t eventfds = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    client.greet();
    const auto count = [] {
        int n = 0;
        for (int fd = 0; fd < 1024; fd++)
            n += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
        return n;
    };
    const int before = count();

    CHECK(client.call(Command::set_irqs, irqs(eventfds, 1, 2), fds.first(2)).error() == 0);
    CHECK(toy.assigned == std::map<uint32_t, bool>{{1, true}, {2, true}});
    CHECK(client.call(Command::set_irqs, irqs(eventfds, 1, 1)).error() == 0);
    CHECK_FALSE(toy.assigned[1]);
    CHECK(client.call(Command::set_irqs, irqs(eventfds, 0, 3), fds.first(2)).error() == EINVAL);
    CHECK(client.call(Command::set_irqs, irqs(eventfds, 3, 2), fds.first(2)).error() == EINVAL);
    CHECK(client.call(Command::set_irqs, irqs(eventfds, 0xffffffff, 2), fds.first(2)).error() ==
          EINVAL);
    CHECK(client.call(Command::set_irqs, irqs(0x21, 0, 4)).error() == 0);
    CHECK(toy.triggered == 4);
    CHECK(client.call(Command::set_irqs, irqs(0x22, 0, 4)).error() == EINVAL); // data is missing
    CHECK(client.call(Command::set_irqs, irqs(0x27, 0, 4)).error() == EINVAL);
    CHECK(client.call(Command::set_irqs, irqs(0x21, 0, 0)).error() == 0);
    CHECK_FALSE(toy.assigned[2]);

    // Send more descriptors than a command accepts. The server refuses the command and closes the
    // descriptors.
    CHECK(client.call(Command::reset, {}, fds.first(1)).error() == EINVAL);
    const bus::DmaMap map{32, 3, 0, 0x1000, 0x1000};
    CHECK(client.call(Command::dma_map, octets(map), fds.first(2)).error() == EINVAL);
    CHECK(client.call(Command::dma_map, octets(map), fds.first(1)).error() == 0);
    CHECK(toy.files == 1);
    CHECK(client.call(Command::set_irqs, irqs(eventfds, 0, 4), fds).error() == EINVAL);
    CHECK(client.call(Command::get_info, octets(uint32_t{16})).error() == 0);
    CHECK(count() == before);
}

TEST_CASE("vfio-user: the eventfds of a client are removed when it disconnects") {
    Toy toy;
    Client client(toy);
    const Descriptor event(eventfd(0, EFD_CLOEXEC));
    const std::vector<int> fds(4, event.get());
    client.greet();

    CHECK(client
              .call(Command::set_irqs,
                    irqs(VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 4), fds)
              .error() == 0);
    client.hang_up();
    CHECK(toy.assigned == std::map<uint32_t, bool>{{0, false}, {1, false}, {2, false}, {3, false}});
}

TEST_CASE("vfio-user: a message sent as a reply is not executed") {
    Toy toy;
    Client client(toy);
    client.greet();
    auto message = header(static_cast<uint16_t>(Command::reset), 16, bus::flag_reply);

    client.raw(message);
    const auto reply = client.receive();
    REQUIRE(reply);
    CHECK(reply->error() == EINVAL);
    CHECK(toy.resets == 0);
}

TEST_CASE("vfio-user: random messages do no harm") {
    std::minstd_rand random(20261121);

    for (int round = 0; round < 200; round++) {
        Toy toy;
        Client client(toy);
        client.greet();
        for (int i = 0; i < 20; i++) {
            std::vector<uint8_t> payload(random() % 48);
            for (uint8_t &octet : payload)
                octet = random() % 3 != 0 ? 0 : static_cast<uint8_t>(random());
            auto message = header(static_cast<uint16_t>(1 + random() % 16),
                                  static_cast<uint32_t>(16 + payload.size()));
            message.insert(message.end(), payload.begin(), payload.end());
            client.raw(message);
            CHECK(client.receive());
        }
        client.hang_up();
    }
}

TEST_CASE("interrupts: an eventfd with a full counter does not block") {
    bus::Interrupts interrupts(1);
    const Descriptor event(eventfd(0, EFD_CLOEXEC));
    std::atomic<bool> done = false;
    uint64_t count = 0;

    REQUIRE(eventfd_write(event.get(), ~uint64_t{0} - 1) == 0);
    interrupts.silence(false);
    interrupts.raise(0); // the vector stays pending until it has an eventfd
    std::thread thread([&] {
        interrupts.assign(0, Descriptor(dup(event.get())));
        interrupts.raise(0);
        interrupts.trigger(0);
        done = true;
    });
    CHECK(eventually([&] { return done.load(); }));
    // If the thread is blocked in a write to the eventfd, a read lets the thread continue.
    while (!done)
        CHECK(eventfd_read(event.get(), &count) == 0);
    thread.join();
    // The full counter already signals the first interrupts. After a read, the eventfd counts the
    // next interrupt.
    CHECK(eventfd_read(event.get(), &count) == 0);
    interrupts.raise(0);
    CHECK(eventfd_read(event.get(), &count) == 0);
    CHECK(count == 1);
}

TEST_CASE("transport: a client waits while the process has no descriptor") {
    const Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Descriptor peer(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    socklen_t size = sizeof(name);
    Descriptor client;
    std::atomic<bool> failed = false;

    // Let the kernel choose an abstract socket name.
    name.sun_family = AF_UNIX;
    REQUIRE(bind(listener.get(), reinterpret_cast<sockaddr *>(&name), sizeof(sa_family_t)) == 0);
    REQUIRE(listen(listener.get(), 1) == 0);
    REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr *>(&name), &size) == 0);
    REQUIRE(connect(peer.get(), reinterpret_cast<sockaddr *>(&name), size) == 0);
    std::optional<FileLimit> none(std::in_place, 0);
    REQUIRE(none->reached());
    std::thread thread([&] {
        try {
            client = xiw::rnic::next_client(listener);
        } catch (const std::exception &) {
            failed = true;
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    none.reset();
    thread.join();
    CHECK_FALSE(failed);
    CHECK(client);
}

TEST_CASE("transport: a signal after the connection has ended shuts down no other socket") {
    using xiw::rnic::Hangup;
    std::array<int, 2> ends{};

    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const Descriptor here(ends[0]), there(ends[1]);
    { // after this block, another socket may have the same descriptor number
        const Hangup hangup(here.get());
    }
    std::raise(SIGTERM);
    CHECK(Hangup::asked());
    CHECK(send(here.get(), "x", 1, MSG_NOSIGNAL) == 1);
}
