// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "connection.hpp"

namespace xiw::fabric {

namespace {

constexpr int patience_ms = 60'000;
constexpr int turn_ms = 10;
constexpr uint32_t version = FI_VERSION(1, 18);

Info offers(const std::string &address, const std::string &port, uint64_t flags) {
    const Info hints{fi_allocinfo()};
    hints->ep_attr->type = FI_EP_MSG;
    hints->caps = FI_MSG | FI_RMA | FI_ATOMIC;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup("verbs");
    fi_info *found = nullptr;
    check(fi_getinfo(version, address.c_str(), port.c_str(), flags, hints.get(), &found),
          "fi_getinfo");
    return Info{found};
}

Owned<fid_eq> events_of(fid_fabric *fabric) {
    fi_eq_attr attr{};
    attr.wait_obj = FI_WAIT_FD;
    fid_eq *events = nullptr;
    check(fi_eq_open(fabric, &attr, &events, nullptr), "fi_eq_open");
    return Owned<fid_eq>{events};
}

// Waits for the next event in the queue `events` of an end. If no event arrives in time, or the
// event is not `wanted`, throws a Failure whose text begins with `what`. Each end makes progress
// only while its queue is read, so this function also reads `other`, the queue of the other end.
fi_eq_cm_entry expect(fid_eq *events, fid_eq *other, uint32_t wanted, const char *what) {
    fi_eq_cm_entry entry{};
    uint32_t event = 0;
    ssize_t got = -FI_EAGAIN;
    for (int waited = 0; got == -FI_EAGAIN && waited < patience_ms; waited += turn_ms) {
        fi_eq_cm_entry seen{};
        uint32_t unread = 0;
        fi_eq_read(other, &unread, &seen, sizeof seen, FI_PEEK);
        got = fi_eq_sread(events, &event, &entry, sizeof entry, turn_ms, 0);
    }
    if (got == -FI_EAVAIL) {
        fi_eq_err_entry error{};
        fi_eq_readerr(events, &error, 0);
        throw Failure{std::string{what} + ": " + fi_strerror(error.err)};
    }
    check(got, what);
    if (event != wanted)
        throw Failure{std::string{what} + ": event " + std::to_string(event)};
    return entry;
}

} // namespace

void check(ssize_t result, const char *call) {
    if (result < 0)
        throw Failure{std::string{call} + ": " + fi_strerror(static_cast<int>(-result))};
}

End::End(fi_info *info, fid_fabric *fabric, fid_eq *events, size_t octets) : memory_(octets) {
    fid_domain *domain = nullptr;
    check(fi_domain(fabric, info, &domain, nullptr), "fi_domain");
    domain_.reset(domain);

    fi_cq_attr attr{};
    attr.format = FI_CQ_FORMAT_DATA;
    attr.wait_obj = FI_WAIT_FD;
    attr.size = 256;
    fid_cq *completions = nullptr;
    check(fi_cq_open(domain, &attr, &completions, nullptr), "fi_cq_open");
    completions_.reset(completions);

    fid_mr *region = nullptr;
    check(fi_mr_reg(domain, memory_.data(), octets,
                    FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0,
                    0, &region, nullptr),
          "fi_mr_reg");
    region_.reset(region);

    fid_ep *endpoint = nullptr;
    check(fi_endpoint(domain, info, &endpoint, nullptr), "fi_endpoint");
    endpoint_.reset(endpoint);
    check(fi_ep_bind(endpoint, &events->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint), "fi_enable");
}

Completion End::completion() {
    fi_cq_data_entry entry{};
    const auto got = fi_cq_sread(completions_.get(), &entry, 1, nullptr, patience_ms);
    if (got == -FI_EAVAIL) {
        fi_cq_err_entry error{};
        check(fi_cq_readerr(completions_.get(), &error, 0), "fi_cq_readerr");
        return {error.op_context, error.err, error.prov_errno};
    }
    check(got, "fi_cq_sread");
    return {.context = entry.op_context};
}

Connection::Connection(const std::string &address, const std::string &port, size_t octets)
    : from_{offers(address, port, 0)}, to_{offers(address, port, FI_SOURCE)} {
    fid_fabric *fabric = nullptr;
    check(fi_fabric(to_->fabric_attr, &fabric, nullptr), "fi_fabric");
    fabric_.reset(fabric);
    events_a_ = events_of(fabric);
    events_b_ = events_of(fabric);

    fid_pep *listener = nullptr;
    check(fi_passive_ep(fabric, to_.get(), &listener, nullptr), "fi_passive_ep");
    listener_.reset(listener);
    check(fi_pep_bind(listener, &events_b_->fid, 0), "fi_pep_bind");
    check(fi_listen(listener), "fi_listen");

    a_ = std::make_unique<End>(from_.get(), fabric, events_a_.get(), octets);
    check(fi_connect(a_->endpoint(), from_->dest_addr, nullptr, 0), "fi_connect");
    request_.reset(expect(events_b_.get(), events_a_.get(), FI_CONNREQ, "connection request").info);
    b_ = std::make_unique<End>(request_.get(), fabric, events_b_.get(), octets);
    check(fi_accept(b_->endpoint(), nullptr, 0), "fi_accept");
    expect(events_b_.get(), events_a_.get(), FI_CONNECTED, "connection of b");
    expect(events_a_.get(), events_b_.get(), FI_CONNECTED, "connection of a");
}

} // namespace xiw::fabric
