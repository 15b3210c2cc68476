// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/reply.hpp"
#include "message.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <linux/genetlink.h>
#include <linux/netlink.h>

using Catch::Matchers::ContainsSubstring;
using test::Attrs;
using test::Octets;
using xiw::Malformed;
using xiw::nl::Attributes;
using xiw::nl::Refused;
using xiw::nl::Reply;

namespace {

constexpr test::Header header{.type = 0x2a, .flags = 0, .sequence = 9, .port = 100};

// The number of objects in a datagram, whether the datagram ends the answer, and whether it reports
// an interrupted dump.
struct Taken {
    int messages = 0;
    bool complete = false;
    bool interrupted = false;
};

Taken take(const Octets &datagram) {
    Reply reply(header.sequence, header.port);
    Taken taken;
    taken.complete =
        reply.take(datagram, [&taken](uint16_t, uint8_t, const Attributes &) { taken.messages++; });
    taken.interrupted = reply.interrupted();
    return taken;
}

Octets object() {
    return test::generic(header, 1, Attrs().u32(1, 5));
}

// Return the refusal in a datagram, if the datagram contains one.
std::optional<Refused> refusal(const Octets &datagram) {
    try {
        take(datagram);
    } catch (const Refused &refused) {
        return refused;
    }
    return std::nullopt;
}

} // namespace

TEST_CASE("messages of one datagram arrive in order, up to the end of the dump") {
    const Taken taken = take(test::join({object(), object(), test::done(header, 0, {})}));
    CHECK(taken.messages == 2);
    CHECK(taken.complete);
    CHECK_FALSE(taken.interrupted);
}

TEST_CASE("an answer without its end is incomplete") {
    CHECK_FALSE(take(object()).complete);
    CHECK_FALSE(take({}).complete);
}

TEST_CASE("an acknowledgement completes the answer") {
    const Taken taken = take(test::join({object(), test::error(header, 0, {})}));
    CHECK(taken.messages == 1);
    CHECK(taken.complete);
}

TEST_CASE("answers to other requests and other sockets are skipped") {
    auto other_sequence = header;
    other_sequence.sequence = 8;
    auto other_port = header;
    other_port.port = 101;

    CHECK(take(test::generic(other_sequence, 1, {})).messages == 0);
    CHECK(take(test::generic(other_port, 1, {})).messages == 0);
    CHECK_FALSE(take(test::error(other_sequence, EPERM, {})).complete);
}

TEST_CASE("an interrupted dump is reported") {
    auto interrupted = header;
    interrupted.flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
    CHECK(take(test::join({test::generic(interrupted, 1, {}), test::done(header, 0, {})}))
              .interrupted);
}

TEST_CASE("a refusal carries an errno and a message") {
    const auto refused = refusal(test::error(
        header, EINVAL,
        Attrs().text(NLMSGERR_ATTR_MSG, "needs MPA revision 2").u32(NLMSGERR_ATTR_OFFS, 28)));

    REQUIRE(refused);
    CHECK(refused->error() == EINVAL);
    CHECK(refused->exit() == xiw::Exit::failed);
    CHECK(refused->ack().offset == 28U);
    CHECK_THAT(refused->what(), ContainsSubstring("needs MPA revision 2"));
    CHECK_THAT(refused->what(), ContainsSubstring("Invalid argument"));
}

TEST_CASE("a refusal without a message still describes its errno") {
    const auto refused = refusal(test::error(header, ENODEV, {}));
    REQUIRE(refused);
    CHECK_THAT(refused->what(), ContainsSubstring("No such device"));
}

TEST_CASE("a refusal for lack of privilege has its own exit status") {
    CHECK(refusal(test::error(header, EPERM, {}))->exit() == xiw::Exit::denied);
    CHECK(refusal(test::error(header, EACCES, {}))->exit() == xiw::Exit::denied);
}

TEST_CASE("a refusal reports the valid range and the missing attribute") {
    const auto refused = refusal(
        test::error(header, ERANGE,
                    Attrs()
                        .nest(NLMSGERR_ATTR_POLICY, Attrs()
                                                        .u64(NL_POLICY_TYPE_ATTR_MIN_VALUE_U, 1)
                                                        .u64(NL_POLICY_TYPE_ATTR_MAX_VALUE_U, 2))
                        .u32(NLMSGERR_ATTR_MISS_TYPE, 4)));
    REQUIRE(refused);
    CHECK(refused->ack().least == 1U);
    CHECK(refused->ack().most == 2U);
    CHECK(refused->ack().missing == 4U);
}

TEST_CASE("a refusal may quote the whole request before its message") {
    const Octets request = object();
    nlmsgerr quoted{.error = -EINVAL, .msg = {}};
    quoted.msg.nlmsg_len = static_cast<uint32_t>(request.size());

    const auto *bytes = reinterpret_cast<const std::byte *>(&quoted);
    const Octets body = test::join({Octets(bytes, bytes + sizeof(quoted)),
                                    Octets(request.begin() + NLMSG_HDRLEN, request.end()),
                                    Attrs().text(NLMSGERR_ATTR_MSG, "why").octets()});
    auto head = header;
    head.type = NLMSG_ERROR;
    head.flags = NLM_F_ACK_TLVS;

    const auto refused = refusal(test::message(head, body));
    REQUIRE(refused);
    CHECK(refused->ack().message == "why");
}

TEST_CASE("a dump that fails halfway is refused") {
    const auto refused = refusal(
        test::join({object(), test::done(header, ENOMEM, Attrs().text(NLMSGERR_ATTR_MSG, "why"))}));
    REQUIRE(refused);
    CHECK(refused->error() == ENOMEM);
    CHECK(refused->ack().message == "why");
}

TEST_CASE("broken messages are malformed") {
    SECTION("shorter than its header says") {
        Octets datagram = object();
        datagram.resize(datagram.size() - 4);
        CHECK_THROWS_AS(take(datagram), Malformed);
    }
    SECTION("length smaller than the header") {
        Octets datagram = object();
        datagram[0] = std::byte{15};
        CHECK_THROWS_AS(take(datagram), Malformed);
    }
    SECTION("octets after the last message") {
        Octets datagram = object();
        datagram.resize(datagram.size() + 4);
        CHECK_THROWS_AS(take(datagram), Malformed);
    }
    SECTION("no room for the generic header") {
        CHECK_THROWS_AS(take(test::message(header, {})), Malformed);
    }
    SECTION("no room for an errno") {
        auto head = header;
        head.type = NLMSG_ERROR;
        CHECK_THROWS_AS(take(test::message(head, {})), Malformed);
    }
    SECTION("errno with the wrong sign") {
        CHECK_THROWS_AS(take(test::error(header, -5, {})), Malformed);
    }
    SECTION("overrun") {
        auto head = header;
        head.type = NLMSG_OVERRUN;
        CHECK_THROWS_AS(take(test::message(head, {})), Malformed);
    }
    SECTION("refusal that quotes more octets than it holds") {
        auto head = header;
        Octets datagram = test::error(head, EINVAL, Attrs().text(NLMSGERR_ATTR_MSG, "why"));
        // The datagram claims to quote the whole request, and the request claims 64 KiB.
        reinterpret_cast<nlmsghdr *>(datagram.data())->nlmsg_flags = NLM_F_ACK_TLVS;
        reinterpret_cast<nlmsghdr *>(&datagram[NLMSG_HDRLEN + 4])->nlmsg_len |= 1 << 16;
        CHECK_THROWS_AS(take(datagram), Malformed);
    }
}
