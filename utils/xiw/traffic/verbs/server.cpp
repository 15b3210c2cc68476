// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The server of a ping. It returns the received data: a Send is answered by a Send, and a Write
// with Immediate by a Write with Immediate. Reads, Writes and atomics need no answer from the
// program.
#include "traffic/verbs/cm.hpp"
#include "traffic/verbs/end.hpp"
#include "traffic/verbs/ends.hpp"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

namespace xiw::traffic {

namespace {

constexpr size_t most_clients = 16;
// Handle events of rdma_cm at this interval, so that a busy client does not prevent other clients
// from connecting.
constexpr std::chrono::milliseconds look_time(10);
// Handle at most this number of completions of a client before those of the next client. Without
// this limit, one client could occupy the server, if its completions arrive as fast as the server
// handles them.
constexpr unsigned most_completions = 64;

class Server {
  public:
    Server(const ServeOrder &order, std::vector<Endpoint> addresses,
           const std::function<void(const std::string &)> &say)
        : order_(order), addresses_(std::move(addresses)), say_(say), cm_(interrupts_) {}

    void run() {
        listen();
        while (!done_) {
            const auto now = Clock::now();
            if (answer())
                answered_ = now;
            else if (now - answered_ >= poll_time)
                sleep();
            if (now - looked_ >= look_time)
                look(Deadline(Duration(0)));
        }
    }

  private:
    struct Client {
        // The caller sets `id` after construction. If construction fails, the caller needs the id
        // to reject the connection.
        Client(rdma_cm_id *raw, const Hello &its, uint32_t own_flags)
            : hello(its), layout(its.size), end(raw, layout.octets),
              whole((its.flags & own_flags & has_imm64) != 0),
              name(fmt::format("{} port {}", host_word(rdma_get_peer_addr(raw)),
                               ntohs(rdma_get_dst_port(raw)))) {}

        Part slot(size_t number) const {
            return {layout.slot + number * layout.slot_size, layout.slot_size};
        }

        Id id;
        Hello hello;
        Layout layout;
        End end;
        bool whole; // immediates have eight octets
        std::string name;
        uint64_t answers = 0;
        bool ended = false;
    };

    void listen() {
        std::optional<Error> error;
        for (const Endpoint &at : addresses_) {
            try {
                listeners_.push_back(cm_.listen(at));
            } catch (const Error &one) {
                if (!error)
                    error = one;
            }
        }
        if (listeners_.empty())
            throw error ? *error : Error(Exit::failed, "no address to listen on");
        say_(fmt::format("listening on port {}", order_.port));
    }

    // Handle completions, a limited number for each client, and answer received messages. Returns
    // false if there were no completions.
    bool answer() {
        bool some = false;
        for (Client &client : clients_)
            for (unsigned left = most_completions; left != 0; left--) {
                const auto completion = client.end.poll();
                if (!completion)
                    break;
                some = true;
                if (!completion->good())
                    client.ended = true; // told() removes the client when rdma_cm reports the end
                else if (!client.ended)
                    answer(client, *completion);
            }
        return some;
    }

    void answer(Client &client, const Completion &completion) {
        const ibv_wc &wc = completion.wc;
        const uint64_t slot = wc.wr_id;
        int err = 0;
        if ((wc.opcode & IBV_WC_RECV) == 0) {
            // The answer was sent, so the slot is free again.
            err = client.end.receive(client.slot(slot), slot);
        } else if (wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
            if (wc.byte_len > client.hello.size)
                err = EMSGSIZE;
            else
                err = give_back(client, completion);
        } else {
            spoil(client, slot);
            err = client.end.send({client.slot(slot).offset, wc.byte_len}, slot);
        }
        if (err != 0) {
            client.ended = true;
            rdma_disconnect(client.id.get());
        }
        if ((wc.opcode & IBV_WC_RECV) != 0)
            client.answers++;
    }

    int give_back(Client &client, const Completion &completion) {
        const Region &to = client.hello.region;
        Imm imm = completion.imm;
        spoil(client, completion.wc.wr_id);
        if (order_.corrupt)
            imm[0] ^= 1;
        return client.end.write_imm({client.layout.target, completion.wc.byte_len},
                                    {to.address + client.layout.target, to.rkey}, imm, client.whole,
                                    completion.wc.wr_id);
    }

    // Change the received data, if the option --corrupt requests this.
    void spoil(Client &client, size_t slot) {
        if (!order_.corrupt)
            return;
        const Layout &layout = client.layout;
        client.end.part(client.slot(slot))[0] ^= 1;
        for (uint8_t &octet : client.end.part({layout.target, layout.source - layout.target}))
            octet ^= 1;
    }

    // Sleep until there is a completion, an event of rdma_cm or a signal.
    void sleep() {
        std::vector<pollfd> wait = {{interrupts_.fd(), POLLIN, 0}, {cm_.fd(), POLLIN, 0}};
        for (Client &client : clients_) {
            client.end.arm();
            wait.push_back({client.end.fd(), POLLIN, 0});
        }
        if (answer())
            return;
        if (::poll(wait.data(), wait.size(), -1) < 0)
            return; // EINTR
        for (Client &client : clients_)
            client.end.disarm();
        look(Deadline(Duration(0)));
    }

    // Handle events of rdma_cm, and signals.
    void look(const Deadline &deadline) {
        looked_ = Clock::now();
        while (auto event = cm_.event(deadline)) {
            if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
                take(Id(event->id), *event);
            else
                told(*event);
        }
    }

    void take(Id id, const Event &event) {
        rdma_cm_id *const raw = id.get();
        const auto hello = decode_hello(event.data);
        if (!hello) {
            rdma_reject(raw, nullptr, 0);
            return;
        }
        if (clients_.size() >= most_clients)
            return refuse(raw, Refusal::busy);
        if (hello->size == 0 || hello->size > size_most)
            return refuse(raw, Refusal::too_long);
        const uint32_t flags = flags_of(raw->verbs);
        try {
            clients_.emplace_back(raw, *hello, flags);
        } catch (const Error &error) {
            say_(fmt::format("a client is refused: {}", error.what()));
            return refuse(raw, Refusal::no_memory);
        }
        Client &client = clients_.back();
        client.id = std::move(id);
        const Remote own = client.end.remote();
        try {
            prepare(client);
            Cm::accept(raw, encode(Welcome{flags, {own.address, own.rkey}}));
        } catch (const Error &error) {
            say_(fmt::format("{}: {}", client.name, error.what()));
            clients_.pop_back();
        }
    }

    void prepare(Client &client) {
        const Layout &layout = client.layout;
        fill(client.end.part({layout.source, layout.word - layout.source}),
             client.hello.key ^ (order_.corrupt ? 1 : 0));
        client.end.word(layout.word) = order_.corrupt ? 1 : 0;
        for (size_t slot = 0; slot < layout.slots; slot++)
            works(client.end.receive(client.slot(slot), slot), "receive");
    }

    static void refuse(rdma_cm_id *id, Refusal reason) {
        const auto data = encode(reason);
        rdma_reject(id, data.data(), static_cast<uint8_t>(data.size()));
    }

    void told(const Event &event) {
        const auto client = std::ranges::find_if(
            clients_, [&event](const Client &c) { return c.id.get() == event.id; });
        if (client == clients_.end()) {
            if (event.type == RDMA_CM_EVENT_DEVICE_REMOVAL)
                throw Error(Exit::failed, "the device was removed");
            return;
        }
        if (event.type == RDMA_CM_EVENT_ESTABLISHED) {
            say_(fmt::format("{}: connected, {} octets", client->name, client->hello.size));
            return;
        }
        // Any other event ends this connection.
        say_(fmt::format("{}: gone after {} answers", client->name, client->answers));
        rdma_disconnect(client->id.get());
        clients_.erase(client);
        done_ = order_.once;
    }

    const ServeOrder &order_;
    const std::vector<Endpoint> addresses_;
    const std::function<void(const std::string &)> &say_;
    Interrupts interrupts_;
    Cm cm_;
    std::vector<Id> listeners_;
    std::list<Client> clients_;
    Clock::time_point answered_ = Clock::now();
    Clock::time_point looked_ = Clock::now();
    bool done_ = false;
};

} // namespace

void serve(const ServeOrder &order, const std::function<void(const std::string &)> &say) {
    // Look up the name before the server takes the signals. See ping().
    Server server(order, resolve(order.address, order.port), say);
    try {
        server.run();
    } catch (const Interrupted &) {
        say("interrupted");
    }
}

} // namespace xiw::traffic
