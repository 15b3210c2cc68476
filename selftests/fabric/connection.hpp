// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace xiw::fabric {

/** Thrown if a libfabric call fails. */
class Failure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/** Throws a Failure if a libfabric call has failed.
 *  @param result return value of the call; a negative value is a negated errno of libfabric
 *  @param call name of the call, for the text of the Failure */
void check(ssize_t result, const char *call);

struct Close {
    template <typename Object>
    void operator()(Object *object) const {
        fi_close(&object->fid);
    }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Close>;

struct FreeInfo {
    void operator()(fi_info *info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/** A completion: the context of the operation, and the errors if the operation has failed. */
struct Completion {
    void *context = nullptr;
    int error = 0;    ///< errno of libfabric, 0 on success
    int provider = 0; ///< error code of the provider: the status of the work completion
};

/** One end of a connection: a message endpoint, with a memory region that the peer may access. */
class End {
  public:
    /**
     * Creates the endpoint and its memory region.
     * @param info description of the endpoint; the caller still owns it
     * @param fabric fabric of the description; it outlives the End
     * @param events queue for the events of the endpoint; it outlives the End
     * @param octets length of the memory region
     */
    End(fi_info *info, fid_fabric *fabric, fid_eq *events, size_t octets);

    [[nodiscard]] fid_ep *endpoint() const { return endpoint_.get(); }
    [[nodiscard]] fid_domain *domain() const { return domain_.get(); }
    [[nodiscard]] uint8_t *memory() { return memory_.data(); }
    /** Returns the descriptor of the memory region for operations of this end. */
    [[nodiscard]] void *local() const { return fi_mr_desc(region_.get()); }
    /** Returns the key with which the peer accesses the memory region. */
    [[nodiscard]] uint64_t key() const { return fi_mr_key(region_.get()); }
    /** Returns the address with which the peer accesses the memory region. */
    [[nodiscard]] uint64_t address() const { return reinterpret_cast<uint64_t>(memory_.data()); }

    /** Waits for the next completion; throws a Failure if none comes in time. */
    Completion completion();

  private:
    std::vector<uint8_t> memory_;
    Owned<fid_domain> domain_;
    Owned<fid_cq> completions_;
    Owned<fid_mr> region_;
    Owned<fid_ep> endpoint_;
};

/** Two ends in one process: end b listens, and end a connects to it. */
class Connection {
  public:
    /**
     * Creates both ends and connects them; throws a Failure if this fails.
     * @param address IPv4 address of an RDMA device; end b listens at this address
     * @param port TCP port of end b
     * @param octets length of the memory region of each end
     */
    Connection(const std::string &address, const std::string &port, size_t octets);

    End &a() { return *a_; }
    End &b() { return *b_; }
    /** Returns the provider's description of end a. */
    [[nodiscard]] const fi_info &info() const { return *from_; }

  private:
    Info from_, to_;
    Owned<fid_fabric> fabric_;
    Owned<fid_eq> events_a_, events_b_;
    Owned<fid_pep> listener_;
    Info request_;
    std::unique_ptr<End> a_, b_;
};

} // namespace xiw::fabric
