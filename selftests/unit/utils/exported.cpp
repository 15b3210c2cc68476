// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Segments in a capture file of xiw: the tags of a segment, the file, and programs that read it.
#include "wire/exported.hpp"
#include "capture.hpp"
#include "tool.hpp"
#include "wire/decoder.hpp"
#include "wire/file.hpp"
#include "wire/pcapng.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace xiw::wire;

namespace {

const Endpoint one{.address = {10, 0, 0, 1}, .port = 4000, .v6 = false};
const Endpoint two{.address = {10, 0, 0, 2}, .port = 4420, .v6 = false};
const Endpoint six{
    .address = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, .port = 4420, .v6 = true};

Octets operator+(Octets front, const Octets &back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

Octets file_of_blocks(std::initializer_list<Octets> blocks) {
    Octets file;
    for (const Octets &block : blocks)
        file = file + block;
    return file;
}

} // namespace

TEST_CASE("the tags of a segment are parsed as they were written") {
    const Exported segment{.from = GENERATE(one, six),
                           .to = GENERATE(two, six),
                           .damaged = GENERATE(false, true),
                           .length = 100};
    const Octets tags = exported_tags(segment);
    CHECK(tags.size() % 4 == 0);
    const Octets packet = tags + Octets(30, 7);
    const auto read = parse_exported(packet, static_cast<uint32_t>(tags.size()) + 100);

    REQUIRE(read);
    CHECK(read->from == segment.from);
    CHECK(read->to == segment.to);
    CHECK(read->damaged == segment.damaged);
    CHECK(read->length == 100);
    CHECK(Octets(read->octets.begin(), read->octets.end()) == Octets(30, 7));
}

TEST_CASE("truncated tags and those of other protocols are refused") {
    const Octets tags = exported_tags({.from = one, .to = two});
    for (size_t cut = 0; cut < tags.size(); cut++)
        CHECK_FALSE(parse_exported(Span(tags).first(cut), 200));
    CHECK(parse_exported(tags, static_cast<uint32_t>(tags.size())));
    // The packet claims an original length that is less than the length of its tags.
    CHECK_FALSE(parse_exported(tags, static_cast<uint32_t>(tags.size()) - 1));

    Octets other = tags;
    other[4] = 'I';
    CHECK_FALSE(parse_exported(other, 200));
    // Test a name that is right only at its beginning, and an address of three octets.
    Octets longer = tags;
    longer[4 + 15] = 'x';
    CHECK_FALSE(parse_exported(longer, 200));
    Octets shorter = tags;
    shorter[20 + 3] = 3;
    CHECK_FALSE(parse_exported(shorter, 200));
    // Test tags without a name.
    CHECK_FALSE(parse_exported(Span(tags).subspan(20), 200));
    // The parser skips an unknown tag.
    CHECK(parse_exported(Octets{0x7f, 0xff, 0, 2, 1, 2} + tags, 200));
}

TEST_CASE("libpcap reads a file of segments") {
    const Octets tags = exported_tags({.from = one, .to = two});
    const Octets segment = test::untagged(3, 0, 1, test::Bytes(50));
    const auto tags_length = static_cast<uint32_t>(tags.size());
    const test::TemporaryFile path(file_of_blocks({
        pcapng::section("xiw"),
        pcapng::interface({.link = exported_link, .name = "xiw0", .description = "x"}),
        pcapng::packet({.interface = 0,
                        .time = 1'700'000'000'123'456'789,
                        .sent = true,
                        .length = tags_length + 68,
                        .head = tags,
                        .tail = Span(segment).first(41)}),
        pcapng::statistics({.interface = 0, .time = 5, .seen = 9, .lost = 8}),
    }));
    CaptureFile file(path.path());

    CHECK(file.link() == exported_link);
    const auto packet = file.next();
    REQUIRE(packet);
    CHECK(packet->time == 1'700'000'000'123'456'789);
    CHECK(packet->length == tags_length + 68);
    CHECK(packet->octets.size() == tags_length + 41);
    CHECK_FALSE(file.next());
}

TEST_CASE("a long capture forgets connections without segments, and shows all new ones") {
    std::vector<size_t> shown;
    Decoder decoder([&shown](const Item &item) { shown.push_back(item.connection->number); }, 2, 1);
    const auto put = [&decoder](uint16_t port) {
        Endpoint from = one;
        from.port = port;
        const Octets packet =
            exported_tags({.from = from, .to = two}) + test::untagged(3, 0, 1, test::Bytes(4));
        decoder.packet(exported_link, 7, packet, static_cast<uint32_t>(packet.size()));
    };
    // The decoder forgets a connection only if at least two other connections have had segments
    // since its last segment. It never forgets the first connection, because every second segment
    // belongs to the first connection. It forgets connection 2, so the last segment begins
    // connection 6.
    for (const uint16_t port : {1, 2, 1, 3, 1, 4, 1, 5, 1, 2})
        put(port);

    CHECK(shown == std::vector<size_t>{1, 2, 1, 3, 1, 4, 1, 5, 1, 6});
    CHECK(decoder.ignored() == 0);
    // The decoder remembers at most four connections, and keeps the record of one forgotten
    // connection.
    CHECK(decoder.recognised() == 6);
    CHECK(decoder.connections().size() <= 5);
    CHECK(decoder.connections().contains(1));
    CHECK_FALSE(decoder.connections().contains(2));
}

TEST_CASE("segments of both directions form one connection") {
    std::vector<Item> items;
    Decoder decoder([&items](const Item &item) { items.push_back(item); });
    const auto put = [&decoder](const Endpoint &from, const Endpoint &to, bool damaged,
                                const Octets &segment, uint32_t length) {
        const Octets tags = exported_tags({.from = from, .to = to, .damaged = damaged});
        decoder.packet(exported_link, 7, tags + segment,
                       static_cast<uint32_t>(tags.size()) + length);
    };
    put(two, one, false, test::untagged(8, 0, 2, {0xca, 0xfe, 0, 1, 0, 0, 0, 0}), 26);
    // This segment is longer than an FPDU can be. The capture contains only its beginning.
    put(one, two, false, test::untagged(3, 0, 1, test::Bytes(10)), 1'000'018);
    put(one, two, true, test::untagged(3, 0, 2, {}), 18);
    put(one, two, false, {0x41}, 18);
    decoder.packet(exported_link, 7, Octets(3), 3);
    decoder.finish();

    REQUIRE(items.size() == 4);
    CHECK(items[0].forward);
    CHECK(std::get<Immediate>(std::get<Fpdu>(items[0].what).body).value == 0xcafe000100000000);
    CHECK(std::get<Fpdu>(items[0].what).crc == Crc::unseen);
    CHECK_FALSE(items[1].forward);
    CHECK(std::get<Fpdu>(items[1].what).header->payload == 1'000'000);
    CHECK(std::get<Fpdu>(items[1].what).length == 1'000'018);
    CHECK(std::get<Fpdu>(items[2].what).crc == Crc::bad);
    CHECK_FALSE(std::get<Fpdu>(items[2].what).header);
    CHECK_FALSE(std::get<Fpdu>(items[3].what).header);
    REQUIRE(decoder.connections().size() == 1);
    const Connection &c = decoder.connections().at(1);
    CHECK(c.initiator == two);
    CHECK(c.sent.octets == 26);
    CHECK(c.answered.fpdus == 3);
    CHECK(c.answered.bad_crc == 1);
    CHECK(decoder.other() == 1);
    CHECK(decoder.packets() == 5);
}
