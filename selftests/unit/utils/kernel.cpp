// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "kernel.hpp"

#include "error.hpp"
#include "samples.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xiw.h>

namespace test {

namespace {

constexpr uint32_t own_port = 4711;

class Line final : public xiw::nl::Transport {
  public:
    explicit Line(Kernel &kernel) : kernel_(kernel) {}

    void send(xiw::nl::Bytes request) override {
        nlmsghdr nlh;
        genlmsghdr genl;
        std::memcpy(&nlh, request.data(), sizeof(nlh));
        std::memcpy(&genl, request.data() + NLMSG_HDRLEN, sizeof(genl));
        header_ = {.type = family, .flags = 0, .sequence = nlh.nlmsg_seq, .port = own_port};

        if (nlh.nlmsg_type == GENL_ID_CTRL) {
            get_family();
            return;
        }
        const auto body = request.subspan(NLMSG_HDRLEN + GENL_HDRLEN);
        kernel_.asked.push_back({genl.cmd, nlh.nlmsg_flags, {body.begin(), body.end()}});
        if (!kernel_.raw.empty()) {
            queue_ = kernel_.raw;
            return;
        }
        answer(genl.cmd, nlh.nlmsg_flags);
    }

    xiw::nl::Bytes receive() override {
        if (queue_.empty())
            throw xiw::Error(xiw::Exit::failed, "the test's kernel has no more to say");
        current_ = queue_.front();
        queue_.pop_front();
        return current_;
    }

    uint32_t port() const override { return own_port; }

    void join(uint32_t group) override { kernel_.joined.push_back(group); }

    std::optional<xiw::nl::Bytes> wait() override {
        if (kernel_.events.empty())
            return receive(); // throws, because no message is left
        const Event event = kernel_.events.front();
        kernel_.events.pop_front();
        if (event.attributes.octets().empty())
            return std::nullopt;
        const Header header{.type = event.type, .flags = 0, .sequence = 0, .port = 0};
        current_ = generic(header, event.command, event.attributes);
        return current_;
    }

  private:
    void get_family() {
        if (!kernel_.loaded) {
            queue_.push_back(error(header_, ENOENT, {}));
            return;
        }
        Header header = header_;
        header.type = GENL_ID_CTRL;
        Attrs attributes = Attrs().u16(CTRL_ATTR_FAMILY_ID, family);
        if (kernel_.groups)
            attributes.nest(CTRL_ATTR_MCAST_GROUPS,
                            Attrs()
                                .nest(1, Attrs()
                                             .text(CTRL_ATTR_MCAST_GRP_NAME, "other")
                                             .u32(CTRL_ATTR_MCAST_GRP_ID, 6))
                                .nest(2, Attrs()
                                             .text(CTRL_ATTR_MCAST_GRP_NAME, "notices")
                                             .u32(CTRL_ATTR_MCAST_GRP_ID, 9)));
        queue_.push_back(generic(header, CTRL_CMD_NEWFAMILY, attributes));
        queue_.push_back(error(header_, 0, {}));
    }

    void answer(uint8_t command, uint16_t flags) {
        Answer &answer = kernel_.answers[command];
        const bool dump = (flags & NLM_F_DUMP) == NLM_F_DUMP;
        Header header = header_;
        if (dump) {
            std::this_thread::sleep_for(answer.time);
            header.flags = NLM_F_MULTI;
            if (answer.interruptions > 0) {
                answer.interruptions--;
                header.flags |= NLM_F_DUMP_INTR;
            }
        } else if (answer.error != 0 && answer.accepted-- <= 0) {
            queue_.push_back(error(header, answer.error, answer.extended));
            return;
        }
        for (const Attrs &object : answer.objects) {
            queue_.push_back(generic(header, command, object));
            if (!dump)
                break;
        }
        queue_.push_back(dump ? done(header, answer.error, answer.extended)
                              : error(header_, 0, {}));
    }

    Kernel &kernel_;
    Header header_;
    std::deque<Octets> queue_;
    Octets current_;
};

} // namespace

std::unique_ptr<xiw::nl::Transport> Kernel::connect() {
    return std::make_unique<Line>(*this);
}

std::vector<Asked> Kernel::asked_for(uint8_t command) const {
    std::vector<Asked> found;
    for (const Asked &one : asked)
        if (one.command == command)
            found.push_back(one);
    return found;
}

Kernel busy_kernel() {
    Kernel kernel;
    kernel.answers[XIW_CMD_DEVICE_GET].objects = {device_reply()};
    kernel.answers[XIW_CMD_CAPABILITY_GET].objects = {capability_reply(false),
                                                      capability_reply(true)};
    kernel.answers[XIW_CMD_CONNECTION_GET].objects = {listener_reply(), connection_reply(),
                                                      dead_connection_reply()};
    kernel.answers[XIW_CMD_COUNTER_GET].objects = {counter_reply()};
    kernel.answers[XIW_CMD_CONFIG_GET].objects = {config_reply()};
    kernel.answers[XIW_CMD_LATENCY_GET].objects = {latency_reply()};
    kernel.answers[XIW_CMD_RING_GET].objects = {ring_reply(false), ring_reply(true)};
    kernel.answers[XIW_CMD_INJECT_GET].objects = {injection_reply()};
    // A capture continues until something ends it. Here, the removal of the device ends the
    // capture.
    kernel.answers[XIW_CMD_CAPTURE_GET] = {
        .objects = {capture_reply()}, .error = ENODEV, .accepted = 1};
    kernel.answers[XIW_CMD_NOTICE_GET].objects = {terminate_notice(), reject_notice()};
    return kernel;
}

} // namespace test
