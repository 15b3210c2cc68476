// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Two connected queue pairs of one process, over two devices.
#pragma once

#include "traffic/verbs/handles.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace user {

// Failure of a case, with the reason.
class Failed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const std::string &why,
                       std::source_location where = std::source_location::current());
void check(bool good, const std::string &what,
           std::source_location where = std::source_location::current());
// works() checks that a call has succeeded: `err` is the result of the call, 0 or an errno.
// refused() checks that a call has failed with the errno `wanted`.
void works(int err, const std::string &what,
           std::source_location where = std::source_location::current());
void refused(int wanted, int err, const std::string &what,
             std::source_location where = std::source_location::current());

// Checks that a call of librdmacm has returned 0. If it has not, the failure contains errno.
void rdma(int result, const std::string &what,
          std::source_location where = std::source_location::current());

// Gets the factor for time limits from the environment variable PATIENCE. The default is 1.
int patience();

// Repeats the call until it returns true; fails after ten seconds times $PATIENCE.
void wait_until(const std::string &what, const std::function<bool()> &done,
                std::source_location where = std::source_location::current());

using xiw::traffic::Channel;
using xiw::traffic::CompChannel;
using xiw::traffic::Cq;
using xiw::traffic::Deleter;
using xiw::traffic::Id;
using xiw::traffic::Mr;
using xiw::traffic::Pd;
using xiw::traffic::Qp;
using xiw::traffic::Srq;

constexpr int all_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                           IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

struct Options {
    uint32_t depth = 16;
    uint32_t sges = 2;
    uint32_t inline_data = 64;
    int cqe = 64;
    uint64_t send_ops = 0;     // nonzero: the QPs are extended, for ibv_wr_*
    uint64_t wc_flags = 0;     // nonzero: the CQs are extended
    uint32_t srq = 0;          // nonzero: size of a shared receive queue
    bool srq_pd = false;       // true: the shared receive queue has its own PD
    bool events = false;       // true: the CQs have a channel
    ibv_pd *pd_of_b = nullptr; // not null: `b` uses this PD
    uint32_t connects = 0;     // nonzero: `a` creates no QP, and connects the QP of this number
    uint32_t accepts = 0;      // nonzero: `b` creates no QP, and accepts with the QP of this number
};

class End {
  public:
    void create(rdma_cm_id *id, const Options &options, ibv_pd *shared = nullptr);
    // Makes a signaled work request. Its SGE is the first `length` octets of `memory`.
    struct ibv_send_wr request(enum ibv_wr_opcode opcode, uint32_t length, uint64_t wr_id = 1);
    void post(struct ibv_send_wr &wr);
    void receive(uint32_t length, uint64_t wr_id, size_t offset = 0);
    struct ibv_wc completion(std::source_location where = std::source_location::current());
    // Gets the next completion, which must have `opcode` and `wr_id`.
    struct ibv_wc completes(enum ibv_wc_opcode opcode, uint64_t wr_id,
                            std::source_location where = std::source_location::current());
    void ends(enum ibv_wc_status status,
              std::source_location where = std::source_location::current());
    // Waits for an event `type` of the QP. Skips events of other QPs of the context.
    void hears(enum ibv_event_type type,
               std::source_location where = std::source_location::current());
    // Creates another QP with the same PD and CQ, without a connection.
    Qp another(uint32_t depth, std::source_location where = std::source_location::current());
    uint64_t address(size_t offset = 0) const {
        return reinterpret_cast<uintptr_t>(memory.get()) + offset;
    }
    uint64_t &word(size_t offset) { return *reinterpret_cast<uint64_t *>(memory.get() + offset); }
    ibv_qp_ex *ex() const { return ibv_qp_to_qp_ex(qp); }

    static constexpr size_t size = 256 * 1024;
    std::unique_ptr<uint8_t[]> memory;
    ibv_context *context = nullptr;
    // C++ destroys members in reverse order, so each object precedes the objects that use it.
    Pd pd, srq_pd;
    Mr mr;
    CompChannel events;
    Cq cq;
    ibv_cq_ex *cq_ex = nullptr;
    Srq srq;
    ibv_qp *qp = nullptr;
    struct ibv_sge sge = {};
};

// Gets the next event of rdma_cm, which must be `wanted`. Returns its status.
int expect(rdma_event_channel *channel, rdma_cm_event_type wanted, rdma_cm_id **id = nullptr);

// Creates a listener at the address of `b`, on a port that rdma_cm has chosen.
Id listen(rdma_event_channel *channel);

class Pair {
  public:
    explicit Pair(const Options &options = {});
    ~Pair();
    Pair(const Pair &) = delete;
    Pair &operator=(const Pair &) = delete;

    // Ends the connection and destroys the QPs. Keeps all other objects of `a` and `b`.
    void disconnect();

    End a, b; // `a` connects, `b` accepts

  private:
    void connect(const Options &options);

    Channel channel_a_, channel_b_;
    Id listener_, id_a_, id_b_;
};

// Addresses of the two devices, from the command line.
struct Addresses {
    std::string a, b;
};
extern Addresses addresses;

struct Case {
    const char *name;
    void (*run)();
};
std::vector<Case> answer_cases(), data_cases(), atomic_cases(), completion_cases(), memory_cases(),
    misuse_cases(), dmabuf_cases(), full_cases(), refused_cases(), reset_cases(), shared_cases(),
    stranger_cases(), window_cases();
// Tries to connect and to accept with QPs of another process, and prints the results.
void take(uint32_t qp_of_a, uint32_t qp_of_b);
// Only `hold` runs these cases. They end when the process is killed.
std::vector<Case> hold_cases();
// Only `bursts` runs these cases. They need a short park-time (burst() in shared.cpp).
std::vector<Case> burst_cases();
// Only `experiment` runs these cases.
std::vector<Case> experiment_cases();
// Only `numbers` runs these cases, with the setting connect-by-number.
std::vector<Case> number_cases();
// Only `charges` runs these cases. They need the setting connect-by-number, and a user without
// privileges in a memory cgroup.
std::vector<Case> charge_cases();
// Connects two QPs by number. Modifies two other QPs so that they wait for peers that do not exist.
// Then calls `stay`.
void named(void (*stay)());
// Only `longest` runs these cases.
std::vector<Case> longest_cases();

} // namespace user
