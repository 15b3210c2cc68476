// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A dma-buf MR. In practice, a dma-buf is memory of another device. Here, udmabuf makes the dma-buf
// from a memfd.
#include "pair.hpp"

#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace user {
namespace {

struct File {
    int number;
    explicit File(int file) : number(file) {}
    ~File() { close(number); }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
};

constexpr size_t octets = 65536;

// A memfd that this process has mapped.
class Memory {
  public:
    Memory() : file_(memfd_create("xiw-verbs", MFD_ALLOW_SEALING)) {
        check(file_.number >= 0 && !ftruncate(file_.number, octets) &&
                  !fcntl(file_.number, F_ADD_SEALS, F_SEAL_SHRINK),
              std::string("a memory file: ") + std::strerror(errno));
        void *at = mmap(nullptr, octets, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number, 0);
        check(at != MAP_FAILED, "mmap of it");
        at_ = static_cast<unsigned char *>(at);
    }
    ~Memory() { munmap(at_, octets); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    unsigned char operator[](size_t n) const { return at_[n]; }
    [[nodiscard]] int file() const { return file_.number; }

  private:
    File file_;
    unsigned char *at_ = nullptr;
};

void refused(int wanted, Pair &pair, uint64_t offset, size_t length, int file, const char *what) {
    errno = 0;
    const Mr mr(ibv_reg_dmabuf_mr(pair.b.pd.get(), offset, length, 0x10000, file, all_rights));
    check(!mr && errno == wanted,
          std::string(what) + ": " + (mr ? "accepted" : std::strerror(errno)));
}

void dmabuf() {
    Pair pair;
    const Memory memory;
    const File maker(open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
    if (maker.number < 0) {
        // The kernel does not have udmabuf, the only source of dma-bufs for this test.
        std::printf("note mr-dmabuf: no /dev/udmabuf\n");
        return;
    }
    udmabuf_create request{};
    request.memfd = static_cast<uint32_t>(memory.file());
    request.flags = UDMABUF_FLAGS_CLOEXEC;
    request.size = octets;
    const File buffer(ioctl(maker.number, UDMABUF_CREATE, &request));
    check(buffer.number >= 0, std::string("udmabuf: ") + std::strerror(errno));

    const std::string device = ibv_get_device_name(pair.b.context->device);
    if (!std::filesystem::exists("/sys/class/infiniband/" + device + "/device")) {
        // The software RNIC accesses memory by the CPU. The CPU may be unable to access a dma-buf,
        // so the software RNIC refuses it.
        refused(EOPNOTSUPP, pair, 0, octets, buffer.number, "on a software RNIC");
        return;
    }
    refused(EINVAL, pair, octets - 4096, 8192, buffer.number, "past the end of the buffer");
    refused(EINVAL, pair, 0, 4096, memory.file(), "a file that is no DMA buffer");

    // Register the middle of the dma-buf at the IOVA `named`.
    constexpr uint64_t offset = 8192, named = 0x123450000;
    const Mr mr(
        ibv_reg_dmabuf_mr(pair.b.pd.get(), offset, 16384, named, buffer.number, all_rights));
    check(mr != nullptr, std::string("reg_dmabuf_mr: ") + std::strerror(errno));
    std::memset(pair.a.memory.get(), 0x4d, 12000);
    auto wr = pair.a.request(IBV_WR_RDMA_WRITE, 12000, 1);
    wr.wr.rdma.remote_addr = named + 100;
    wr.wr.rdma.rkey = mr->rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_WRITE, 1);
    auto back = pair.a.request(IBV_WR_RDMA_READ, 12000, 2);
    pair.a.sge.addr = pair.a.address(65536);
    back.wr.rdma.remote_addr = named + 100;
    back.wr.rdma.rkey = mr->rkey;
    pair.a.post(back);
    pair.a.completes(IBV_WC_RDMA_READ, 2);
    check(!std::memcmp(pair.a.memory.get(), pair.a.memory.get() + 65536, 12000), "what was read");
    for (size_t n = 0; n < octets; ++n) {
        const bool inside = n >= offset + 100 && n < offset + 12100;
        check(memory[n] == (inside ? 0x4d : 0), "octet " + std::to_string(n));
    }
}

} // namespace

std::vector<Case> dmabuf_cases() {
    return {{"mr-dmabuf", dmabuf}};
}

} // namespace user
