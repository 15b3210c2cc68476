// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A plugin of QEMU's TCG that counts instructions by translation block:
//   -plugin instructions.so,out=PREFIX
// Each time the guest executes a mark (mark.S), the plugin writes a file PREFIX.N. The file has one
// line for each block that was executed since the previous mark: address, instructions, executions.
// One line with address 0 contains the sums of all blocks of user mode.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// The part of QEMU's stable plugin interface that this plugin uses (docs/devel/tcg-plugins.rst).
// Debian has no package with the header.
extern "C" {
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_plugin_u64 {
    qemu_plugin_scoreboard *score;
    std::size_t offset;
};

qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(std::size_t element);
void *qemu_plugin_scoreboard_find(qemu_plugin_scoreboard *score, unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_trans_cb(std::uint64_t id,
                                           void (*cb)(std::uint64_t id, qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(qemu_plugin_tb *tb, int op,
                                                       qemu_plugin_u64 entry, std::uint64_t add);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn *insn,
                                            void (*cb)(unsigned int vcpu, void *data), int regs,
                                            void *data);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *tb);
std::uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb *tb);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *tb, std::size_t index);
std::size_t qemu_plugin_insn_data(const qemu_plugin_insn *insn, void *to, std::size_t size);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 4;
EXPORTED int qemu_plugin_install(std::uint64_t id, const void *info, int argc, char **argv);
}

namespace {

constexpr std::size_t BLOCKS = 1U << 20;
constexpr std::uint64_t KERNEL = std::uint64_t{1} << 63;
constexpr int ADD = 0;          // QEMU_PLUGIN_INLINE_ADD_U64
constexpr int NO_REGISTERS = 0; // QEMU_PLUGIN_CB_NO_REGS
// The code of the mark, as in mark.S: prefetchnta 0x4b52414d(%rax).
constexpr std::array<std::uint8_t, 7> MARK{0x0f, 0x18, 0x80, 'M', 'A', 'R', 'K'};

struct Counts {
    std::uint64_t instructions, executions;
};

struct Profile {
    std::string out;
    qemu_plugin_scoreboard *score = nullptr;
    std::map<std::uint64_t, std::size_t> slots; // the slot of each block, by address
    std::vector<Counts> before{BLOCKS};
    unsigned int marks = 0;
};

Profile profile;

// Write the counts since the previous mark. The guest has one virtual CPU, so the counts of this
// CPU are complete.
void marked(unsigned int vcpu, void *) {
    auto *now = static_cast<Counts *>(qemu_plugin_scoreboard_find(profile.score, vcpu));
    const std::string name = profile.out + "." + std::to_string(profile.marks++);
    std::FILE *file = std::fopen(name.c_str(), "w");

    for (const auto &[address, slot] : profile.slots) {
        const Counts &was = profile.before[slot];

        if (file && now[slot].executions != was.executions)
            std::fprintf(file, "%016llx %llu %llu\n", static_cast<unsigned long long>(address),
                         static_cast<unsigned long long>(now[slot].instructions - was.instructions),
                         static_cast<unsigned long long>(now[slot].executions - was.executions));
        profile.before[slot] = now[slot];
    }
    if (file)
        std::fclose(file);
}

void translated(std::uint64_t, qemu_plugin_tb *tb) {
    const std::size_t count = qemu_plugin_tb_n_insns(tb);
    std::uint64_t address = qemu_plugin_tb_vaddr(tb);

    if (address < KERNEL) {
        address = 0;
        for (std::size_t i = 0; i < count; i++) {
            qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
            std::array<std::uint8_t, MARK.size()> code{};

            qemu_plugin_insn_data(insn, code.data(), code.size());
            if (code == MARK)
                qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, NO_REGISTERS, nullptr);
        }
    }
    const std::size_t slot = profile.slots.try_emplace(address, profile.slots.size()).first->second;
    if (slot >= BLOCKS)
        return;
    qemu_plugin_u64 entry{profile.score, slot * sizeof(Counts)};
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, ADD, entry, count);
    entry.offset += offsetof(Counts, executions);
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, ADD, entry, 1);
}

} // namespace

int qemu_plugin_install(std::uint64_t id, const void *, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const std::string_view word = argv[i];

        if (word.starts_with("out="))
            profile.out = word.substr(4);
    }
    if (profile.out.empty()) {
        std::fputs("profile: out=PREFIX\n", stderr);
        return -1;
    }
    profile.score = qemu_plugin_scoreboard_new(BLOCKS * sizeof(Counts));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
