// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A plugin of QEMU's TCG that counts instructions by translation block:
//   -plugin instructions.so,out=PREFIX
// Each time the guest executes a mark (mark.S), the plugin writes a file PREFIX.N. The file has one
// line for each block of the kernel that was executed since the previous mark. The columns are the
// address of the block, the number of executed instructions, and the number of executions. One line
// with address 0 contains the sums of all blocks of user mode.
#include "plugin.hpp"

#include <map>
#include <vector>

namespace {

constexpr std::size_t BLOCKS = 1U << 20;
constexpr int ADD = 0; // QEMU_PLUGIN_INLINE_ADD_U64

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

    if (address < plugin::KERNEL) {
        address = 0;
        for (std::size_t i = 0; i < count; i++)
            plugin::on_mark(qemu_plugin_tb_get_insn(tb, i), marked);
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
    profile.out = plugin::out_of("instructions", argc, argv);
    if (profile.out.empty())
        return -1;
    profile.score = qemu_plugin_scoreboard_new(BLOCKS * sizeof(Counts));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
