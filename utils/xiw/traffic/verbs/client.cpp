// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The client of a ping. The server only returns data (server.cpp). The client checks all data,
// outside the measured time.
#include "traffic/choose.hpp"
#include "traffic/verbs/cm.hpp"
#include "traffic/verbs/end.hpp"
#include "traffic/verbs/ends.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace xiw::traffic {

namespace {

constexpr uint64_t first_slot = 1; // id of the first receive; ids of other requests follow

class Client {
  public:
    Client(const PingOrder &order, const Endpoint &server, const Interrupts &interrupts,
           Ping &result)
        : order_(order), interrupts_(interrupts), result_(result),
          host_(fmt::format("{} port {}", order.host, order.port)), layout_(order.size),
          cm_(interrupts), id_(cm_.route(nullptr, server, order.timeout, order.host)),
          end_(id_.get(), layout_.octets) {
        result_.host = order.host;
        result_.address = host_word(server.address());
        result_.port = server.port();
        result_.device = ibv_get_device_name(id_->verbs->device);
        for (size_t slot = 0; slot < layout_.slots; slot++)
            receive(slot);
        connect();
        ops_ = choose(order.ops, flags_, peer_flags_, result_);
        for (const Op op : ops_)
            result_.operations.push_back(
                {std::string(op_word(op)), op == Op::atomic ? 8 : order.size, 0, {}});
    }
    ~Client() { rdma_disconnect(id_.get()); }
    Client(const Client &) = delete;
    Client(Client &&) = delete;
    Client &operator=(const Client &) = delete;
    Client &operator=(Client &&) = delete;

    void run(const std::function<void(const Round &)> &round,
             const std::function<void(const std::string &)> &wrong) {
        for (round_ = 0; order_.rounds == 0 || round_ < order_.rounds; round_++) {
            const Deadline next(order_.interval);
            Round took;
            for (size_t i = 0; i < ops_.size(); i++) {
                trouble_.clear();
                took.push_back(measure(ops_[i]));
                RoundTrips &trips = result_.operations[i];
                trips.nanoseconds.add(took.back());
                if (!trouble_.empty() && trips.wrong++ == 0)
                    wrong(fmt::format("{}, round {}: {}", trips.operation, round_ + 1, trouble_));
            }
            round(took);
            // Wait for the next round. Call readable() even if there is no interval, because
            // readable() also handles signals. The round itself handles no signals if each answer
            // arrives while End::next() polls.
            const bool last = round_ + 1 == order_.rounds;
            if (!last && interrupts_.readable(cm_.fd(), next))
                throw Error(Exit::failed, host_ + " has closed the connection");
        }
    }

  private:
    void receive(size_t slot) {
        works(end_.receive({layout_.slot + slot * layout_.slot_size, layout_.slot_size},
                           first_slot + slot),
              "receive");
    }

    void connect() {
        Hello hello;
        std::random_device random;
        flags_ = flags_of(id_->verbs);
        hello.size = order_.size;
        hello.flags = flags_;
        hello.key = key_ = uint64_t{random()} << 32 | random();
        const Remote own = end_.remote();
        hello.region = {own.address, own.rkey};
        Cm::connect(id_.get(), encode(hello));
        const Event event = cm_.expect(RDMA_CM_EVENT_ESTABLISHED, Deadline(order_.timeout), host_);
        const auto welcome = decode_welcome(event.data);
        if (!welcome)
            throw Error(Exit::failed,
                        host_ + " is not a server of xiw ping, or has another version",
                        "run on the other machine: xiw ping --serve");
        peer_flags_ = welcome->flags;
        peer_ = {welcome->region.address, welcome->region.rkey};
    }

    uint64_t measure(Op op) {
        switch (op) {
        case Op::send:
            return send();
        case Op::write:
            return write();
        case Op::read:
            return read();
        case Op::atomic:
            return atomic();
        case Op::imm:
            return imm();
        }
        return 0;
    }

    // Offset of the data in the source of each end. A Write uses the same offset in the target of
    // the peer. The offset changes with each round.
    size_t place() const { return round_ * 7 % layout_.slack; }
    Part outgoing() const { return {layout_.source + place(), order_.size}; }
    Part incoming() const { return {layout_.target, order_.size}; }
    Part note() const { return {layout_.word + 16, 16}; }
    // Get the key of the data of `op` in the current round. The data in the server's source has the
    // key key_ in all rounds.
    uint64_t key(Op op) const {
        return key_ + 1 + round_ * all_ops.size() + static_cast<uint64_t>(op);
    }
    void compare(Part part, uint64_t key, uint64_t at = 0) {
        if (const auto d = difference(end_.part(part), key, at))
            trouble_ = difference_word(*d, part.length);
    }

    [[noreturn]] void failed(Op op, const Completion &completion) {
        const auto status = completion.wc.status;
        const std::string what = fmt::format("{}: {}", op_word(op), end_.told(completion.wc));
        if (status == IBV_WC_REM_INV_REQ_ERR && (op == Op::atomic || op == Op::imm))
            throw Error(Exit::unsupported, what,
                        fmt::format("{} refuses it: is it disabled there?", order_.host));
        if (status == IBV_WC_WR_FLUSH_ERR)
            throw Error(Exit::failed,
                        fmt::format("{}: {} has ended the connection", op_word(op), host_),
                        "see xiw term on both machines");
        throw Error(Exit::failed, what);
    }

    // Wait for the completion of request `number`, or for the next receive if `number` is 0. Skip
    // other completions: an answer may arrive before the completion of its request.
    Completion wait(Op op, uint64_t number) {
        const Deadline deadline(order_.timeout);
        for (;;) {
            const auto completion = end_.next(deadline, interrupts_);
            if (!completion)
                throw Error(Exit::failed,
                            fmt::format("{}, round {}: timed out waiting for an answer",
                                        op_word(op), round_ + 1));
            if (!completion->good())
                failed(op, *completion);
            const bool received = (completion->wc.opcode & IBV_WC_RECV) != 0;
            if (number == 0 ? received : completion->wc.wr_id == number)
                return *completion;
        }
    }
    Completion wait_receive(Op op) { return wait(op, 0); }

    static uint64_t since(Clock::time_point start) {
        return static_cast<uint64_t>(
            std::chrono::duration_cast<Duration>(Clock::now() - start).count());
    }
    uint64_t number() { return ++number_; }

    // Check the length of a received message, and return its location.
    Part arrived(const Completion &completion, size_t length) {
        const size_t slot = completion.wc.wr_id - first_slot;
        if (completion.wc.byte_len != length)
            trouble_ =
                fmt::format("received {} octets instead of {}", completion.wc.byte_len, length);
        return {layout_.slot + slot * layout_.slot_size, length};
    }

    uint64_t send() {
        fill(end_.part(outgoing()), key(Op::send));
        const auto start = Clock::now();
        works(end_.send(outgoing(), number()), "send");
        const Completion answer = wait_receive(Op::send);
        const uint64_t took = since(start);
        compare(arrived(answer, order_.size), key(Op::send));
        receive(answer.wc.wr_id - first_slot);
        return took;
    }

    // Post a Write and a Send. The answer to the Send shows that the Write has arrived. Then read
    // the data back.
    uint64_t write() {
        const Remote to = peer_.at(layout_.target + place());
        fill(end_.part(outgoing()), key(Op::write));
        fill(end_.part(note()), ~key(Op::write));
        const auto start = Clock::now();
        works(end_.write_and_send(outgoing(), to, note(), number()), "write");
        const Completion answer = wait_receive(Op::write);
        const uint64_t took = since(start);
        compare(arrived(answer, note().length), ~key(Op::write));
        receive(answer.wc.wr_id - first_slot);
        works(end_.read(incoming(), to, number()), "read back");
        wait(Op::write, number_);
        compare(incoming(), key(Op::write));
        return took;
    }

    uint64_t read() {
        fill(end_.part(incoming()), ~key_, place());
        const auto start = Clock::now();
        works(end_.read(incoming(), peer_.at(layout_.source + place()), number()), "read");
        wait(Op::read, number_);
        const uint64_t took = since(start);
        compare(incoming(), key_, place());
        return took;
    }

    // Execute one atomic operation. Successive rounds use the operations in turn. The expected
    // value of the word follows from the earlier operations.
    uint64_t atomic() {
        const Remote to = peer_.at(layout_.word);
        const bool masks = (flags_ & peer_flags_ & has_imm64) != 0 && end_.is_direct();
        const uint64_t was = word_;
        const auto start = Clock::now();
        switch (round_ % (masks ? 4 : 2)) {
        case 0:
            works(end_.fetch_add(layout_.word, to, 1, number()), "FetchAdd");
            word_ = was + 1;
            break;
        case 1:
            works(end_.cmp_swap(layout_.word, to, was, was + 0x700000000, number()), "CmpSwap");
            word_ = was + 0x700000000;
            break;
        case 2: // two counters of 32 bits
            works(end_.masked_fetch_add(layout_.word, to, 0x300000005, 0x80000000, number()),
                  "masked FetchAdd");
            word_ = ((was >> 32) + 3) << 32 | static_cast<uint32_t>(was + 5);
            break;
        default: // compare the low half, replace the high half
            works(end_.masked_cmp_swap(layout_.word, to, was, 0xffffffff, ~was, 0xffffffff00000000,
                                       number()),
                  "masked CmpSwap");
            word_ = was ^ 0xffffffff00000000;
            break;
        }
        wait(Op::atomic, number_);
        const uint64_t took = since(start);
        if (const uint64_t is = end_.word(layout_.word); is != was) {
            trouble_ = fmt::format("the word was {:#018x} instead of {:#018x}", is, was);
            // Read the word again, so that an error does not affect the next round.
            works(end_.read({layout_.word, 8}, to, number()), "read back");
            wait(Op::atomic, number_);
            word_ = end_.word(layout_.word);
        }
        return took;
    }

    uint64_t imm() {
        const bool whole = (flags_ & peer_flags_ & has_imm64) != 0;
        Imm sent;
        fill(sent, ~key(Op::imm));
        fill(end_.part(outgoing()), key(Op::imm));
        fill(end_.part(incoming()), ~key_);
        const auto start = Clock::now();
        works(end_.write_imm(outgoing(), peer_.at(layout_.target), sent, whole, number()), "imm");
        const Completion answer = wait_receive(Op::imm);
        const uint64_t took = since(start);
        if (answer.wc.opcode != IBV_WC_RECV_RDMA_WITH_IMM)
            trouble_ = "the answer has no immediate";
        else if (!std::equal(sent.begin(), sent.begin() + (whole ? 8 : 4), answer.imm.begin()))
            trouble_ = "the answer has another immediate";
        compare(incoming(), key(Op::imm));
        receive(answer.wc.wr_id - first_slot);
        return took;
    }

    const PingOrder &order_;
    const Interrupts &interrupts_;
    Ping &result_;
    std::string host_;
    Layout layout_;
    Cm cm_;
    Id id_;
    End end_;
    uint32_t flags_ = 0;
    uint32_t peer_flags_ = 0;
    uint64_t key_ = 0;
    Remote peer_{};
    std::vector<Op> ops_;
    uint64_t round_ = 0;
    uint64_t number_ = first_slot + Layout::slots;
    uint64_t word_ = 0;
    std::string trouble_; // error in the last answer
};

} // namespace

void ping(const PingOrder &order, Ping &result, const std::function<void(const Round &)> &round,
          const std::function<void(const std::string &)> &wrong) {
    // Look up the name before `interrupts` takes the signals, because getaddrinfo() may wait long
    // for a DNS server, and during this wait, a signal must end the process.
    const auto servers = resolve(order.host, order.port);
    const Interrupts interrupts;
    try {
        for (size_t i = 0; i < servers.size(); i++) {
            std::optional<Client> client;
            try {
                client.emplace(order, servers[i], interrupts, result);
            } catch (const Error &) {
                // Try the next address of the host, because this address may have no RDMA device.
                if (i + 1 == servers.size())
                    throw;
                result = {};
                continue;
            }
            client->run(round, wrong);
            return;
        }
    } catch (const Interrupted &) {
        if (std::ranges::none_of(result.operations,
                                 [](const RoundTrips &t) { return t.nanoseconds.count() != 0; }))
            throw Error(Exit::failed, "interrupted before there was an answer");
    }
}

} // namespace xiw::traffic
