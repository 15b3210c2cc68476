// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Self-test of requests that a peer must refuse. The peer's memory must not change. On xiw devices,
// the work request must complete with the right status, and the connection must end with the right
// Terminate. On other devices, a work request that has a response must not succeed, and on iWARP
// the connection must end.
#include "model/explain.hpp"
#include "model/words.hpp"
#include "traffic/verbs/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::traffic {

namespace {

// Operations on memory of the peer, and two kinds of Send.
enum class Kind : uint8_t { write, imm, read, fetch_add, cmp_swap, send_invalidate, send };

enum class Fault : uint8_t {
    stag,       // an STag that does not exist
    gone,       // a deregistered MR: its STag is invalid
    bounds,     // octets after the end of the MR
    access,     // an MR without the required right
    domain,     // an MR of another protection domain
    misaligned, // misaligned address of an atomic
    invalidate, // an MR that a Send must not invalidate
    length,     // a Send that is longer than its receive
};

constexpr size_t region = 4096; // octets of the peer's MR
constexpr uint8_t untouched = 0xaa;

struct Misuse {
    const char *name;
    Kind kind;
    Fault fault;
    ibv_wc_status status; // status of the request; SUCCESS if the request has no response
    uint16_t cause;       // code of the Terminate: layer << 12 | type << 8 | code
};

// The Terminate codes are those of RFC 5040 section 7, RFC 5041 section 7 and RFC 7306 section 8.
// DDP, not RDMAP, refuses a Write. DDP has no code for missing rights, so write-access has the code
// of an invalid STag.
constexpr Misuse misuses[] = {
    {"write-stag", Kind::write, Fault::stag, IBV_WC_SUCCESS, 0x1100},
    {"write-gone", Kind::write, Fault::gone, IBV_WC_SUCCESS, 0x1100},
    {"write-bounds", Kind::write, Fault::bounds, IBV_WC_SUCCESS, 0x1101},
    {"write-access", Kind::write, Fault::access, IBV_WC_SUCCESS, 0x1100},
    {"write-domain", Kind::write, Fault::domain, IBV_WC_SUCCESS, 0x1102},
    {"write-imm-stag", Kind::imm, Fault::stag, IBV_WC_SUCCESS, 0x1100},
    {"write-imm-bounds", Kind::imm, Fault::bounds, IBV_WC_SUCCESS, 0x1101},
    {"read-stag", Kind::read, Fault::stag, IBV_WC_REM_ACCESS_ERR, 0x0100},
    {"read-gone", Kind::read, Fault::gone, IBV_WC_REM_ACCESS_ERR, 0x0100},
    {"read-bounds", Kind::read, Fault::bounds, IBV_WC_REM_ACCESS_ERR, 0x0101},
    {"read-access", Kind::read, Fault::access, IBV_WC_REM_ACCESS_ERR, 0x0102},
    {"read-domain", Kind::read, Fault::domain, IBV_WC_REM_ACCESS_ERR, 0x0103},
    {"fetch-add-stag", Kind::fetch_add, Fault::stag, IBV_WC_REM_ACCESS_ERR, 0x0100},
    {"fetch-add-gone", Kind::fetch_add, Fault::gone, IBV_WC_REM_ACCESS_ERR, 0x0100},
    {"fetch-add-bounds", Kind::fetch_add, Fault::bounds, IBV_WC_REM_ACCESS_ERR, 0x0101},
    {"fetch-add-access", Kind::fetch_add, Fault::access, IBV_WC_REM_ACCESS_ERR, 0x0102},
    {"fetch-add-domain", Kind::fetch_add, Fault::domain, IBV_WC_REM_ACCESS_ERR, 0x0103},
    {"fetch-add-misaligned", Kind::fetch_add, Fault::misaligned, IBV_WC_REM_OP_ERR, 0x0207},
    {"cmp-swap-stag", Kind::cmp_swap, Fault::stag, IBV_WC_REM_ACCESS_ERR, 0x0100},
    {"cmp-swap-access", Kind::cmp_swap, Fault::access, IBV_WC_REM_ACCESS_ERR, 0x0102},
    {"cmp-swap-misaligned", Kind::cmp_swap, Fault::misaligned, IBV_WC_REM_OP_ERR, 0x0207},
    {"send-invalidate", Kind::send_invalidate, Fault::invalidate, IBV_WC_SUCCESS, 0x0109},
    {"send-length", Kind::send, Fault::length, IBV_WC_SUCCESS, 0x1205},
};

uint32_t needs(Kind kind) {
    switch (kind) {
    case Kind::fetch_add:
    case Kind::cmp_swap:
        return has_atomics;
    case Kind::imm:
        return has_imm;
    default:
        return 0;
    }
}

int right_of(Kind kind) {
    switch (kind) {
    case Kind::read:
        return IBV_ACCESS_REMOTE_READ;
    case Kind::fetch_add:
    case Kind::cmp_swap:
        return IBV_ACCESS_REMOTE_ATOMIC;
    default:
        return IBV_ACCESS_REMOTE_WRITE;
    }
}

// One test case, with its own connection.
class Trial {
  public:
    Trial(const Place &place, const Misuse &misuse)
        : place_(place), misuse_(misuse), loop_(place), before_(latest()) {}

    std::string run() {
        std::ranges::fill(loop_.b().part(memory_), untouched);
        std::ranges::fill(loop_.a().part({out_at, region}), uint8_t{0x11});
        aim();
        works(loop_.b().receive({in_at + 4 * region, 16}, 9), "receive");
        if (const int err = post(); err != 0) {
            if (place_.is_direct)
                throw Failed(std::string("posting failed: ") + std::strerror(err));
            return fmt::format("posting failed: {}", std::strerror(err));
        }
        // Check that a later request does not succeed. Posting it may already fail.
        const bool behind = loop_.a().read({in_at, 8}, loop_.b().remote(out_at + region), 2) == 0;
        const Completion first = loop_.completion(loop_.a());
        judge(first);
        if (behind && loop_.completion(loop_.a()).good())
            throw Failed("the connection has not ended");
        unchanged();
        if (place_.is_iwarp)
            loop_.ends();
        if (!place_.is_direct)
            return loop_.a().told(first.wc);
        terminated();
        return fmt::format("{}, Terminate {}", completion_word(first.wc.status),
                           terminate_word(misuse_.cause));
    }

  private:
    // Set the target of the request: the start of the MR, unless the case requires another target.
    void aim() {
        const Part part{in_at, region};
        const int rights =
            misuse_.fault == Fault::access ? all_rights & ~right_of(misuse_.kind) : all_rights;
        End &owner = misuse_.fault == Fault::domain ? other().b() : loop_.b();
        region_ = owner.region(part, rights);
        if (!region_)
            works(errno, "reg_mr");
        target_ = {owner.remote(in_at).address, region_->rkey};
        switch (misuse_.fault) {
        case Fault::stag:
            target_.rkey ^= 0x100000;
            break;
        case Fault::gone:
            region_.reset();
            break;
        case Fault::bounds:
            target_.address += region;
            break;
        case Fault::misaligned:
            target_.address += 4;
            break;
        default:
            break;
        }
    }
    Loop &other() {
        if (!other_)
            other_.emplace(place_);
        return *other_;
    }

    int post() {
        End &a = loop_.a();
        const Part data{out_at, 64};
        switch (misuse_.kind) {
        case Kind::write:
            return a.write(data, target_, 1);
        case Kind::imm:
            return a.write_imm(data, target_, {}, a.is_direct(), 1);
        case Kind::read:
            return a.read({in_at + region, 64}, target_, 1);
        case Kind::fetch_add:
            return a.fetch_add(in_at + region, target_, 1, 1);
        case Kind::cmp_swap:
            return a.cmp_swap(in_at + region, target_, 0xaaaaaaaaaaaaaaaa, 1, 1);
        case Kind::send_invalidate:
            return a.send_invalidate({out_at, 16}, target_.rkey, 1);
        case Kind::send:
            return a.send(data, 1);
        }
        return EINVAL;
    }

    // Check the status of the request. A request without a response is flushed, or completes
    // successfully when TCP has accepted it.
    void judge(const Completion &first) {
        const bool answered = misuse_.status != IBV_WC_SUCCESS;
        if (!place_.is_direct) {
            if (answered && first.good())
                throw Failed("the request succeeded");
            return;
        }
        if (!answered) {
            if (!first.good() && first.wc.status != IBV_WC_WR_FLUSH_ERR)
                throw Failed("completed with " + loop_.a().told(first.wc));
            return;
        }
        if (first.wc.status != misuse_.status)
            throw Failed(fmt::format("completed with {} instead of {}", loop_.a().told(first.wc),
                                     completion_word(misuse_.status)));
        if (loop_.a().terminate(first.wc) != misuse_.cause)
            throw Failed(fmt::format("completed with {} instead of Terminate {}",
                                     loop_.a().told(first.wc), terminate_word(misuse_.cause)));
    }

    void unchanged() {
        for (End *owner : {&loop_.b(), other_ ? &other_->b() : &loop_.b()})
            for (const uint8_t octet : owner->part(memory_))
                // The memory of the other connection was never filled, so it contains zeros.
                if (octet != (owner == &loop_.b() ? untouched : 0))
                    throw Failed("memory has changed");
    }

    // Check that the driver has reported the Terminate of this case: sent by b, and received by a.
    void terminated() {
        const Deadline deadline(place_.timeout);
        for (const auto &[qpn, origin, what] :
             {std::tuple(loop_.b().qpn(), uint64_t{XIW_NL_ORIGIN_LOCAL}, "sent"),
              std::tuple(loop_.a().qpn(), uint64_t{XIW_NL_ORIGIN_REMOTE}, "received")}) {
            std::optional<uint64_t> cause;
            while (!(cause = noted(qpn, origin)) && !deadline.over())
                place_.interrupts->readable(-1, Deadline(std::chrono::milliseconds(10)));
            if (!cause)
                throw Failed(fmt::format("no Terminate was {}", what));
            if (*cause != misuse_.cause)
                throw Failed(fmt::format("{} Terminate {} instead of {}", what,
                                         terminate_word(static_cast<uint16_t>(*cause)),
                                         terminate_word(misuse_.cause)));
        }
    }

    // Get the code of the Terminate that the QP has sent or received in this test case. `origin`
    // selects sent or received. Skip older Terminates: they belong to other QPs that had the same
    // number.
    std::optional<uint64_t> noted(uint32_t qpn, uint64_t origin) const {
        for (const Notice &notice : place_.notices())
            if (notice.qpn == qpn && notice.kind == uint64_t{XIW_NL_NOTICE_TERMINATE} &&
                notice.origin == origin && notice.device.name == place_.device &&
                notice.number > before_)
                return notice.terminate;
        return std::nullopt;
    }
    std::optional<uint64_t> latest() const {
        std::optional<uint64_t> number;
        if (place_.is_direct)
            for (const Notice &notice : place_.notices())
                if (notice.device.name == place_.device)
                    number = std::max(number, notice.number);
        return number;
    }

    static constexpr Part memory_{in_at, 2 * region};
    const Place &place_;
    const Misuse &misuse_;
    std::optional<Loop> other_; // for another protection domain
    Loop loop_;
    std::optional<uint64_t> before_; // number of the last event before this case
    Mr region_;
    Remote target_{};
};

} // namespace

std::vector<LoopCase> refusal_cases() {
    std::vector<LoopCase> list;
    for (const Misuse &misuse : misuses)
        // Test Send with Invalidate only on xiw devices, because the result differs between
        // drivers.
        list.push_back({misuse.name, needs(misuse.kind), misuse.kind == Kind::send_invalidate,
                        [&misuse](const Place &place) { return Trial(place, misuse).run(); }});
    return list;
}

} // namespace xiw::traffic
