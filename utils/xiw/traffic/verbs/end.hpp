// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// One end of a connection: memory, queues, and work requests on them.
#ifndef XIW_TRAFFIC_VERBS_END_HPP
#define XIW_TRAFFIC_VERBS_END_HPP

#include "traffic/greeting.hpp"
#include "traffic/pattern.hpp"
#include "traffic/verbs/direct.hpp"
#include "traffic/verbs/handles.hpp"
#include "traffic/verbs/wait.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace xiw::traffic {

using Imm = std::array<uint8_t, 8>; // wire format; libibverbs supports only the first four octets

struct Completion {
    ibv_wc wc{};
    Imm imm{};
    bool good() const { return wc.status == IBV_WC_SUCCESS; }
};
// Features of a device, as flags of the greeting.
uint32_t flags_of(ibv_context *context);

// Time for which a wait polls before it sleeps. It is longer than an answer usually takes on an
// idle local network, and too short to delay other processes on the same CPU noticeably.
constexpr std::chrono::microseconds poll_time(50);

constexpr int all_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                           IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

// A part of the memory of an endpoint, identified by its offset.
struct Part {
    size_t offset;
    size_t length;
};
// A location in the memory of the peer.
struct Remote {
    uint64_t address;
    uint32_t rkey;
    Remote at(size_t offset) const { return {address + offset, rkey}; }
};

class End {
  public:
    static constexpr uint32_t depth = 32;

    // Create the queue pair of the id, with `octets` of registered memory. The destructor destroys
    // the queue pair. Throws Error.
    End(rdma_cm_id *id, size_t octets);
    ~End();
    End(const End &) = delete;
    End(End &&) = delete;
    End &operator=(const End &) = delete;
    End &operator=(End &&) = delete;

    Octets part(Part part) { return {memory_ + part.offset, part.length}; }
    uint64_t &word(size_t offset);
    Remote remote(size_t offset = 0) const;
    uint32_t qpn() const { return id_->qp->qp_num; }
    bool is_direct() const { return direct_ != nullptr; }
    int fd() const { return events_->fd; }
    // Register a part of the memory under another key. The result is null, and errno is set, if the
    // provider refuses.
    Mr region(Part part, int rights);

    // `number` becomes the id of the work request and of its completion. Return: 0 or an errno.
    int receive(Part to, uint64_t number);
    int send(Part from, uint64_t number);
    int write(Part from, Remote to, uint64_t number);
    int read(Part to, Remote from, uint64_t number);
    // The eight original octets are placed at `result`.
    int fetch_add(size_t result, Remote to, uint64_t add, uint64_t number);
    int cmp_swap(size_t result, Remote to, uint64_t compare, uint64_t swap, uint64_t number);
    // The masked atomics work only if is_direct() is true.
    int masked_fetch_add(size_t result, Remote to, uint64_t add, uint64_t mask, uint64_t number);
    int masked_cmp_swap(size_t result, Remote to, uint64_t compare, uint64_t compare_mask,
                        uint64_t swap, uint64_t swap_mask, uint64_t number);
    // Send all eight octets of the immediate if `whole` and is_direct() are true, otherwise four.
    int write_imm(Part from, Remote to, const Imm &imm, bool whole, uint64_t number);
    // Post a Write and a Send in one call.
    int write_and_send(Part from, Remote to, Part message, uint64_t number);
    // Gather a Send from two pieces.
    int send_pieces(Part first, Part second, uint64_t number);
    int send_invalidate(Part from, uint32_t rkey, uint64_t number);

    // Get the next completion, if there is one. Throws Error.
    std::optional<Completion> poll();
    // Format the status of a completion, for example "REM_OP_ERR", and the Terminate code that the
    // driver reports with the status.
    std::string told(const ibv_wc &wc) const;
    // Get the Terminate code of a completion: layer << 12 | type << 8 | code. Empty if there is
    // none.
    std::optional<uint16_t> terminate(const ibv_wc &wc) const;
    // Poll for a while, then sleep, until there is a completion. The result is empty at the time
    // limit. Throws Interrupted.
    std::optional<Completion> next(const Deadline &deadline, const Interrupts &interrupts);
    // Make fd() readable at the next completion. Call poll() afterwards, because a completion may
    // already have arrived.
    void arm();
    void disarm(); // consumes the event that made fd() readable

  private:
    int post(ibv_send_wr &wr);
    ibv_sge sge(Part part) const;
    template <typename Build>
    int extended(Part result, uint64_t number, const Build &build);

    rdma_cm_id *id_;
    const Direct *direct_;
    uint32_t flags_; // result of flags_of()
    std::vector<uint8_t> storage_;
    uint8_t *memory_; // memory of the MR: begins at the first page boundary in storage_
    // The members below are destroyed in reverse order: an MR before its PD, a CQ before its
    // channel.
    Pd pd_;
    Mr mr_;
    CompChannel events_;
    Cq cq_;
    unsigned unacknowledged_ = 0;
};

// Check the result of a call, 0 or an errno. Throws Error if it is not 0. `what` names the call.
void works(int err, const char *what);

} // namespace xiw::traffic

#endif
