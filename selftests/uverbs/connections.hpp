// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <netinet/in.h>

#include "session.hpp"

namespace uverbs {

/**
 * Connections that use two descriptors of rdma_cm's device file. Threads share the descriptors. The
 * thread that reads an event also reacts to it. A command names a QP by its number, and the kernel
 * accepts the number of any QP.
 *
 * One descriptor has the ids that connect, and the other has the ids that answer. The kernel
 * accepts an id only on the descriptor that created the id. Commands that answer a connect request
 * are also sent for ids that connect.
 */
class Connections {
  public:
    /** @throws std::system_error if the file cannot be opened, or the listen fails */
    explicit Connections(in_addr address);
    /** Closes both descriptors, which destroys all ids. */
    ~Connections() = default;
    Connections(const Connections &) = delete;
    Connections &operator=(const Connections &) = delete;

    /** Connects, accepts, rejects, disconnects or destroys an id, or reads an event and reacts. */
    void step(Session &session, Random &random, Tally &tally);
    /** Get the address of the listener. */
    [[nodiscard]] const sockaddr_in &at() const { return at_; }

  private:
    struct Side {
        Side();
        ~Side();
        Side(const Side &) = delete;
        Side &operator=(const Side &) = delete;
        template <typename Command>
        bool send(uint32_t number, const Command &command, size_t answered = 0);
        std::optional<uint32_t> create();
        uint32_t some(Random &random);
        void add(uint32_t id);
        size_t size();
        void destroy(Random &random, Tally &tally, uint32_t id);

        int file;
        std::mutex lock; // protects the members below
        std::vector<uint32_t> ids;
    };

    void listen();
    void resolve(Random &random, Tally &tally);
    void connect(Session &session, Random &random, Tally &tally, uint32_t id);
    void accept(Side &side, Session &session, Random &random, Tally &tally, uint32_t id);
    void reject(Side &side, Random &random, Tally &tally, uint32_t id);
    bool event(Side &side, Session &session, Random &random, Tally &tally);

    Side calls_, answers_;
    sockaddr_in at_{};
};

/**
 * Acts as a peer without verbs. The peer connects, and in most calls sends an MPA Request, Sends
 * and Read Requests. It does not read the Read Responses. It may also send the beginning of another
 * FPDU. It ends the connection by a close or a reset.
 */
void stall(const sockaddr_in &at, Session &session, Random &random, Tally &tally);

} // namespace uverbs
