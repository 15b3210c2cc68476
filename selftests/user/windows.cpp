// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Memory windows of type 2. Side `b` gives side `a` access to memory, and then revokes the access.
#include "pair.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace user {
namespace {

using Mw = std::unique_ptr<ibv_mw, Deleter<ibv_dealloc_mw>>;

constexpr size_t begins = 8192, spans = 4096;

// Two connected QPs, and a region and a window of `b`. The window is not bound yet.
struct Windowed {
    explicit Windowed(const Options &options = {},
                      int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)
        : pair(options) {
        region.reset(ibv_reg_mr(pair.b.pd.get(), pair.b.memory.get(), End::size, rights));
        check(region != nullptr, std::string("reg_mr: ") + std::strerror(errno));
        window.reset(ibv_alloc_mw(pair.b.pd.get(), IBV_MW_TYPE_2));
        check(window != nullptr, std::string("alloc_mw: ") + std::strerror(errno));
        rkey = window->rkey;
    }

    struct ibv_mw_bind_info info(unsigned int rights) const {
        return {region.get(), pair.b.address(begins), spans, rights};
    }

    // Returns a bind work request that gives the window the next key.
    struct ibv_send_wr bind(unsigned int rights) {
        rkey = ibv_inc_rkey(rkey);
        struct ibv_send_wr wr = {};
        wr.wr_id = 70;
        wr.opcode = IBV_WR_BIND_MW;
        wr.send_flags = IBV_SEND_SIGNALED;
        wr.bind_mw = {window.get(), rkey, info(rights)};
        return wr;
    }

    void opens(unsigned int rights) {
        auto wr = bind(rights);
        pair.b.post(wr);
        pair.b.completes(IBV_WC_BIND_MW, 70);
    }

    // Returns a work request that invalidates the window.
    struct ibv_send_wr invalidation() const {
        struct ibv_send_wr wr = {};
        wr.wr_id = 71;
        wr.opcode = IBV_WR_LOCAL_INV;
        wr.send_flags = IBV_SEND_SIGNALED;
        wr.invalidate_rkey = rkey;
        return wr;
    }

    void closes() {
        auto wr = invalidation();
        pair.b.post(wr);
        pair.b.completes(IBV_WC_LOCAL_INV, 71);
    }

    struct ibv_send_wr access(enum ibv_wr_opcode opcode, size_t at, uint32_t length) {
        auto wr = pair.a.request(opcode, length, 72);
        wr.wr.rdma.remote_addr = pair.b.address(at);
        wr.wr.rdma.rkey = rkey;
        return wr;
    }

    void reads(size_t at, uint32_t length) {
        auto wr = access(IBV_WR_RDMA_READ, at, length);
        pair.a.post(wr);
        pair.a.completes(IBV_WC_RDMA_READ, 72);
        check(!std::memcmp(pair.a.memory.get(), pair.b.memory.get() + at, length), "the octets");
    }

    // Checks that a Read with the rkey of the window is denied. The failure ends the connection.
    void denies(size_t at, uint32_t length,
                std::source_location where = std::source_location::current()) {
        auto wr = access(IBV_WR_RDMA_READ, at, length);
        pair.a.post(wr);
        pair.a.ends(IBV_WC_REM_ACCESS_ERR, where);
    }

    Pair pair;
    Mr region;
    Mw window;
    uint32_t rkey;
};

constexpr unsigned int read_write = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

void rounds() {
    Windowed open;
    for (int round = 0; round < 5; round++) {
        open.opens(read_write);
        std::memset(open.pair.a.memory.get(), 0x40 + round, spans);
        auto wr = open.access(IBV_WR_RDMA_WRITE, begins, spans);
        open.pair.a.post(wr);
        open.pair.a.completes(IBV_WC_RDMA_WRITE, 72);
        open.reads(begins, spans);
        check(open.pair.b.memory[begins + spans - 1] == 0x40 + round, "what was written");
        open.closes();
    }
    check(!open.pair.b.memory[begins - 1] && !open.pair.b.memory[begins + spans], "outside");
    open.denies(begins, 8);
}

void taken_back_by_peer() {
    Windowed open;
    for (uint64_t round = 0; round < 3; round++) {
        open.opens(IBV_ACCESS_REMOTE_READ);
        open.reads(begins, 64);
        open.pair.b.receive(64, round);
        auto wr = open.pair.a.request(IBV_WR_SEND_WITH_INV, 8, 73);
        wr.invalidate_rkey = open.rkey;
        open.pair.a.post(wr);
        open.pair.a.completes(IBV_WC_SEND, 73);
        auto wc = open.pair.b.completes(IBV_WC_RECV, round);
        check(wc.wc_flags & IBV_WC_WITH_INV && wc.invalidated_rkey == open.rkey, "what is over");
    }
    open.denies(begins, 8);
}

void adds(Windowed &open) {
    open.opens(IBV_ACCESS_REMOTE_ATOMIC);
    open.pair.b.word(begins) = 5;
    auto wr = open.pair.a.request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 74);
    wr.wr.atomic.remote_addr = open.pair.b.address(begins);
    wr.wr.atomic.rkey = open.rkey;
    wr.wr.atomic.compare_add = 7;
    open.pair.a.post(wr);
    open.pair.a.completes(IBV_WC_FETCH_ADD, 74);
    check(open.pair.a.word(0) == 5 && open.pair.b.word(begins) == 12, "the sum");
}

void atomics() {
    Windowed open;
    adds(open);
    open.denies(begins, 8);
}

// The target of the atomic is aligned to eight octets, but the first octet of the region is not.
void atomics_off_word() {
    Windowed open;
    open.region.reset(ibv_reg_mr(open.pair.b.pd.get(), open.pair.b.memory.get() + 4, End::size - 4,
                                 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
    check(open.region != nullptr, "reg_mr");
    adds(open);
}

void window_extended() {
    Options options;
    options.send_ops = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV;
    Windowed open(options);
    ibv_qp_ex *qp = open.pair.b.ex();
    auto info = open.info(IBV_ACCESS_REMOTE_READ);
    open.rkey = ibv_inc_rkey(open.rkey);
    ibv_wr_start(qp);
    qp->wr_id = 1, qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_bind_mw(qp, open.window.get(), open.rkey, &info);
    works(ibv_wr_complete(qp), "wr_complete");
    open.pair.b.completes(IBV_WC_BIND_MW, 1);
    open.reads(begins, spans);

    ibv_wr_start(qp);
    qp->wr_id = 2;
    ibv_wr_local_inv(qp, open.rkey);
    works(ibv_wr_complete(qp), "wr_complete");
    open.pair.b.completes(IBV_WC_LOCAL_INV, 2);

    info.length = 0;
    ibv_wr_start(qp);
    ibv_wr_bind_mw(qp, open.window.get(), open.rkey, &info);
    refused(EINVAL, ibv_wr_complete(qp), "a window of nothing");
}

void outside() {
    for (auto [at, length] : {std::pair<size_t, uint32_t>{begins - 1, 8},
                              {begins + spans - 7, 8},
                              {begins, spans + 1},
                              {0, 8}}) {
        Windowed open;
        open.opens(read_write);
        open.denies(at, length);
    }
}

void gone() {
    Windowed unbound;
    unbound.denies(begins, 8);

    Windowed freed;
    freed.opens(read_write);
    freed.window.reset();
    freed.denies(begins, 8);

    // A change of the region's rights keeps the STag of the region, but makes the window invalid.
    Windowed changed;
    changed.opens(IBV_ACCESS_REMOTE_READ);
    works(ibv_rereg_mr(changed.region.get(), IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0,
                       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND),
          "rereg below a window");
    changed.denies(begins, 8);

    // A window becomes invalid when its region is deregistered.
    Windowed without;
    without.opens(read_write);
    without.region.reset();
    without.denies(begins, 8);

    // A window cannot be used through another QP.
    Windowed mine, other;
    mine.opens(read_write);
    other.rkey = mine.rkey;
    other.denies(begins, 8);
}

void outlives_its_qp() {
    Windowed open;
    open.opens(read_write);
    Options options;
    options.pd_of_b = open.pair.b.pd.get();
    Pair early(options), late(options);
    const uint32_t bound = open.rkey;
    auto wr = open.bind(read_write);
    early.b.post(wr);
    struct ibv_wc wc = early.b.completion();
    check(wc.status == IBV_WC_MW_BIND_ERR, "while it is another's");
    early.disconnect();
    open.rkey = bound;
    open.reads(begins, spans);

    open.pair.disconnect();
    wr = open.bind(read_write);
    late.b.post(wr);
    late.b.completes(IBV_WC_BIND_MW, 70);
    wr = late.a.request(IBV_WR_RDMA_READ, spans, 72);
    wr.wr.rdma.remote_addr = open.pair.b.address(begins);
    wr.wr.rdma.rkey = open.rkey;
    open.pair.b.memory[begins] = 0x37;
    late.a.post(wr);
    late.a.completes(IBV_WC_RDMA_READ, 72);
    check(late.a.memory[0] == 0x37, "the octets");
}

// Sends a Send with Invalidate from `a`, which has no right to invalidate the STag `rkey`. Checks
// that `b` gets an error.
void keeps(Pair &pair, uint32_t rkey) {
    pair.b.receive(64, 75);
    auto wr = pair.a.request(IBV_WR_SEND_WITH_INV, 8, 76);
    wr.invalidate_rkey = rkey;
    pair.a.post(wr);
    pair.b.ends(IBV_WC_WR_FLUSH_ERR);
    pair.b.hears(IBV_EVENT_QP_REQ_ERR);
}

// An MW belongs to one QP. A peer cannot read, write or invalidate it through another QP of the
// same PD. For each attempt, that other QP gets an error event.
void of_one_qp() {
    Windowed open;
    open.opens(read_write);
    Options options;
    options.pd_of_b = open.pair.b.pd.get();
    Pair reader(options), writer(options), taker(options);
    auto wr = reader.a.request(IBV_WR_RDMA_READ, 8, 72);
    wr.wr.rdma.remote_addr = open.pair.b.address(begins);
    wr.wr.rdma.rkey = open.rkey;
    reader.a.post(wr);
    reader.a.ends(IBV_WC_REM_ACCESS_ERR);
    reader.b.hears(IBV_EVENT_QP_ACCESS_ERR);
    open.pair.b.memory[begins] = 0x11;
    writer.a.memory[0] = 0x22;
    writer.b.receive(64, 77);
    wr = writer.a.request(IBV_WR_RDMA_WRITE, 8, 78);
    wr.wr.rdma.remote_addr = open.pair.b.address(begins);
    wr.wr.rdma.rkey = open.rkey;
    writer.a.post(wr);
    writer.b.ends(IBV_WC_WR_FLUSH_ERR);
    writer.b.hears(IBV_EVENT_QP_ACCESS_ERR);
    check(open.pair.b.memory[begins] == 0x11, "written through another QP");
    keeps(taker, open.rkey);
    Pair stranger;
    keeps(stranger, open.rkey);
    // The process that has bound the MW cannot invalidate it through another QP either.
    Pair owned(options);
    wr = open.invalidation();
    owned.b.post(wr);
    owned.b.ends(IBV_WC_MW_BIND_ERR);
    open.reads(begins, spans);
}

// A region that a process has registered belongs to all QPs of its PD, so no peer can invalidate
// it.
void region_of_many_qps() {
    Pair pair;
    Options options;
    options.pd_of_b = pair.b.pd.get();
    Pair other(options);
    keeps(other, pair.b.mr->rkey);
    auto wr = pair.a.request(IBV_WR_RDMA_READ, 8, 72);
    wr.wr.rdma.remote_addr = pair.b.address(begins);
    wr.wr.rdma.rkey = pair.b.mr->rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_READ, 72);
    keeps(pair, pair.b.mr->rkey);
}

// Posts a bind request for an MR with `rights`, after `change` has modified the request. Checks
// that the RNIC refuses the request.
template <typename Change>
void refuses(const std::string &what, int rights, Change &&change) {
    Windowed open({}, rights);
    auto wr = open.bind(read_write);
    change(open, wr);
    open.pair.b.post(wr);
    struct ibv_wc wc = open.pair.b.completion();
    check(wc.status == IBV_WC_MW_BIND_ERR, what + ": " + ibv_wc_status_str(wc.status));
    check(wc.wr_id == 70, what + ": wr_id");
}

void binds() {
    const int bindable = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
    auto nothing = [](Windowed &, struct ibv_send_wr &) {};
    refuses("a region that may not be opened", IBV_ACCESS_LOCAL_WRITE, nothing);
    refuses("writing what the owner may not write", IBV_ACCESS_MW_BIND, nothing);
    refuses("beyond the region", bindable, [](Windowed &open, struct ibv_send_wr &wr) {
        wr.bind_mw.bind_info.addr = open.pair.b.address(End::size) - spans + 1;
    });
    refuses("a window that is bound", bindable, [](Windowed &open, struct ibv_send_wr &wr) {
        open.opens(read_write);
        wr.bind_mw.rkey = open.rkey;
    });
    struct ibv_mw other = {};
    refuses("a region in place of a window", bindable, [&](Windowed &open, struct ibv_send_wr &wr) {
        auto end = open.invalidation();
        end.invalidate_rkey = open.pair.b.mr->rkey;
        open.pair.b.post(end);
        open.pair.b.completes(IBV_WC_LOCAL_INV, 71);
        other = *open.window;
        other.rkey = open.pair.b.mr->rkey;
        wr.bind_mw.mw = &other;
    });
    Pd pd;
    Mr foreign;
    refuses("a region of another PD", bindable, [&](Windowed &open, struct ibv_send_wr &wr) {
        pd.reset(ibv_alloc_pd(open.pair.b.context));
        foreign.reset(ibv_reg_mr(pd.get(), open.pair.b.memory.get(), End::size, bindable));
        check(foreign != nullptr, "reg_mr");
        wr.bind_mw.bind_info.mr = foreign.get();
    });
    foreign.reset(), pd.reset();
    struct ibv_mw gone = {};
    refuses("a window that is gone", bindable, [&](Windowed &open, struct ibv_send_wr &wr) {
        gone = *open.window;
        wr.bind_mw.mw = &gone;
        open.window.reset();
    });
}

void requests() {
    Windowed open;
    struct ibv_send_wr *bad = nullptr;
    auto wr = open.bind(read_write);
    auto refuse = [&](const std::string &what) {
        refused(EINVAL, ibv_post_send(open.pair.b.qp, &wr, &bad), what);
        wr = open.bind(read_write);
    };
    wr.bind_mw.bind_info.length = 0;
    refuse("a window of nothing");
    wr.bind_mw.bind_info.length = ~uint64_t{0};
    refuse("a window to the end of all");
    wr.bind_mw.bind_info.mr = nullptr;
    refuse("no region");
    wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_MW_BIND;
    refuse("the right to windows over a window");
    wr.bind_mw.bind_info.mw_access_flags = read_write | IBV_ACCESS_ZERO_BASED;
    refuse("addresses from zero");
    // Other providers use only the key octet of this rkey, so programs may pass only the key.
    wr.bind_mw.rkey = open.rkey & 0xff;
    open.pair.b.post(wr);
    open.pair.b.completes(IBV_WC_BIND_MW, 70);
    check(open.window->rkey == open.rkey, "the rkey of the window");
    open.reads(begins, spans);

    check(!Mw(ibv_alloc_mw(open.pair.b.pd.get(), IBV_MW_TYPE_1)), "a window of type 1");
    check(errno == EOPNOTSUPP, std::string("type 1: ") + std::strerror(errno));
    ibv_device_attr attr = {};
    works(ibv_query_device(open.pair.b.context, &attr), "query_device");
    check(attr.max_mw > 0, "max_mw");
    check(attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B, "type 2B");
    check(!(attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW), "type 1");
}

// A QP cannot invalidate a window of another PD.
void of_one_pd() {
    Windowed mine, stranger;
    mine.opens(read_write);
    auto wr = mine.invalidation();
    stranger.pair.b.post(wr);
    stranger.pair.b.ends(IBV_WC_MW_BIND_ERR);
    mine.reads(begins, spans);
}

} // namespace

std::vector<Case> window_cases() {
    return {{"window", rounds},
            {"window-taken-back", taken_back_by_peer},
            {"window-atomics", atomics},
            {"window-atomics-off-word", atomics_off_word},
            {"window-wr-api", window_extended},
            {"window-bounds", outside},
            {"window-gone", gone},
            {"window-binds", binds},
            {"window-requests", requests},
            {"window-outlives-qp", outlives_its_qp},
            {"window-of-one-qp", of_one_qp},
            {"window-of-one-pd", of_one_pd},
            {"region-of-many-qps", region_of_many_qps}};
}

} // namespace user
