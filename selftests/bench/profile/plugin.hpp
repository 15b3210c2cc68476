// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What the plugins for QEMU's TCG in this folder share: the part of QEMU's stable plugin interface
// that they use (docs/devel/tcg-plugins.rst), the mark, and the option. Debian has no package with
// QEMU's header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

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
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *insn,
                                      void (*cb)(unsigned int vcpu, std::uint32_t info,
                                                 std::uint64_t address, void *data),
                                      int regs, int rw, void *data);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *tb);
std::uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb *tb);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *tb, std::size_t index);
std::size_t qemu_plugin_insn_data(const qemu_plugin_insn *insn, void *to, std::size_t size);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *insn);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 4;
EXPORTED int qemu_plugin_install(std::uint64_t id, const void *info, int argc, char **argv);
}

namespace plugin {

constexpr std::uint64_t KERNEL = std::uint64_t{1} << 63; // lowest address of the guest's kernel
constexpr int NO_REGISTERS = 0;                          // QEMU_PLUGIN_CB_NO_REGS

// Call `marked` each time the guest executes insn, if insn is the mark of mark.S: prefetchnta
// 0x4b52414d(%rax).
inline void on_mark(qemu_plugin_insn *insn, void (*marked)(unsigned int vcpu, void *data)) {
    constexpr std::array<std::uint8_t, 7> mark{0x0f, 0x18, 0x80, 'M', 'A', 'R', 'K'};
    std::array<std::uint8_t, mark.size()> code{};

    qemu_plugin_insn_data(insn, code.data(), code.size());
    if (code == mark)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, NO_REGISTERS, nullptr);
}

// Get PREFIX from the option out=PREFIX of the plugin `name`. Print the usage and return an empty
// string if the option is missing.
inline std::string out_of(const char *name, int argc, char **argv) {
    std::string out;

    for (int i = 0; i < argc; i++) {
        const std::string_view word = argv[i];

        if (word.starts_with("out="))
            out = word.substr(4);
    }
    if (out.empty())
        std::fprintf(stderr, "%s: out=PREFIX\n", name);
    return out;
}

} // namespace plugin
