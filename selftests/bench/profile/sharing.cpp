// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A plugin of QEMU's TCG that counts the stores of the guest's kernel to cache lines that several
// virtual CPUs write:
//   -plugin sharing.so,out=PREFIX
// Each time the guest executes a mark (mark.S), the plugin writes a file PREFIX.N. The file has one
// row for each executed instruction of the kernel that stored to a shared cache line or is atomic.
// The columns are the address of the instruction, its stores to shared lines, the number of these
// lines, and, if the instruction is atomic, its executions. All numbers count from the previous
// mark. A store of a CPU counts as a store to a shared line if another CPU has stored to the line
// at least as often within the same tenth of a second. So the stores of a CPU to its own data do
// not count if other CPUs rarely store to this data. The plugin does not count how often a line
// moves from one CPU to another: several virtual CPUs may share a CPU of the host, and then they
// take turns less often than real CPUs.
#include "plugin.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr unsigned int CPUS = 16;
constexpr std::size_t LINES = 1U << 21; // LINES and CELLS are powers of two
constexpr std::size_t CELLS = 1U << 18;
constexpr std::uint64_t LINE = 64; // octets
constexpr std::uint64_t NO_LINE = 0;
constexpr int WRITES = 2; // QEMU_PLUGIN_MEM_W

// The number of stores of each CPU to a line in one period. The threads of all virtual CPUs use the
// entries without a lock. If two threads reset the same entry for a new period at the same time,
// the first store of one CPU may be lost.
struct Writers {
    std::atomic<std::uint64_t> line;
    std::atomic<unsigned int> period;
    std::array<std::atomic<std::uint16_t>, CPUS> stores;
};

// The number of stores of the instruction at `pc` to one shared line. If `line` is NO_LINE, the
// instruction is atomic, and `stores` is the number of its executions.
struct Cell {
    std::uint64_t line, pc, stores;
};

// The cells of one virtual CPU, a hash table. Only the thread of this CPU writes the table, except
// in marked().
struct Cpu {
    std::vector<Cell> cells;
    std::size_t used = 0;
};

struct Sharing {
    std::string out;
    std::vector<Writers> writers{LINES}; // a hash table
    std::array<Cpu, CPUS> cpus;
    std::atomic<unsigned int> period = 1; // number of the current tenth of a second
    std::atomic<std::size_t> lines = 0;   // used entries of writers
    std::atomic<bool> full = false;       // a table is full, so counts are missing
    unsigned int marks = 0;
};

Sharing sharing;

std::size_t hash(std::uint64_t a, std::uint64_t b = 0) {
    return (a * 0x9e3779b97f4a7c15U ^ b * 0xc2b2ae3d27d4eb4fU) >> 32;
}

// Add a store of vcpu to line. Return true if another CPU has stored to line at least as often as
// vcpu in this period.
bool is_shared(unsigned int vcpu, std::uint64_t line) {
    const unsigned int period = sharing.period.load(std::memory_order_relaxed);
    std::size_t slot = hash(line);

    for (;; slot++) {
        std::uint64_t tag = sharing.writers[slot % LINES].line.load(std::memory_order_relaxed);

        if (tag == NO_LINE) {
            if (sharing.lines >= LINES / 4 * 3) {
                sharing.full = true;
                return false;
            }
            if (!sharing.writers[slot % LINES].line.compare_exchange_strong(tag, line) &&
                tag != line)
                continue;
            sharing.lines++;
            break;
        }
        if (tag == line)
            break;
    }
    Writers &entry = sharing.writers[slot % LINES];
    if (entry.period.load(std::memory_order_relaxed) != period) {
        entry.period.store(period, std::memory_order_relaxed);
        for (auto &stores : entry.stores)
            stores.store(0, std::memory_order_relaxed);
    }
    std::uint16_t own = entry.stores[vcpu].load(std::memory_order_relaxed);
    if (own < std::numeric_limits<std::uint16_t>::max())
        own++;
    entry.stores[vcpu].store(own, std::memory_order_relaxed);
    for (unsigned int cpu = 0; cpu < CPUS; cpu++)
        if (cpu != vcpu && entry.stores[cpu].load(std::memory_order_relaxed) >= own)
            return true;
    return false;
}

// Add one to the cell of line and pc.
void add(unsigned int vcpu, std::uint64_t line, std::uint64_t pc) {
    Cpu &cpu = sharing.cpus[vcpu];

    if (cpu.cells.empty())
        cpu.cells.resize(CELLS);
    for (std::size_t slot = hash(line, pc);; slot++) {
        Cell &cell = cpu.cells[slot % CELLS];

        if (cell.stores == 0) {
            if (cpu.used >= CELLS / 4 * 3) {
                sharing.full = true;
                return;
            }
            cpu.used++;
            cell = {line, pc, 0};
        }
        if (cell.line == line && cell.pc == pc) {
            cell.stores++;
            return;
        }
    }
}

void stored(unsigned int vcpu, std::uint32_t, std::uint64_t address, void *data) {
    const std::uint64_t line = address / LINE;

    if (address >= plugin::KERNEL && vcpu < CPUS && is_shared(vcpu, line))
        add(vcpu, line, reinterpret_cast<std::uint64_t>(data));
}

void executed(unsigned int vcpu, void *data) {
    if (vcpu < CPUS)
        add(vcpu, NO_LINE, reinterpret_cast<std::uint64_t>(data));
}

struct Counts {
    std::uint64_t stores = 0, lines = 0, atomic = 0;
};

// Write the counts since the previous mark, and start again. If counts are missing, write an empty
// file. Other CPUs may run at the same time, so a few of their stores may be lost.
void marked(unsigned int, void *) {
    const std::string name = sharing.out + "." + std::to_string(sharing.marks++);
    std::map<std::uint64_t, Counts> counts;                  // by address of the instruction
    std::set<std::pair<std::uint64_t, std::uint64_t>> lines; // address, line

    for (Cpu &cpu : sharing.cpus) {
        for (Cell &cell : cpu.cells) {
            if (cell.stores && cell.line == NO_LINE)
                counts[cell.pc].atomic += cell.stores;
            if (cell.stores && cell.line != NO_LINE) {
                counts[cell.pc].stores += cell.stores;
                counts[cell.pc].lines += lines.emplace(cell.pc, cell.line).second;
            }
            cell = {};
        }
        cpu.used = 0;
    }
    for (Writers &entry : sharing.writers)
        entry.line = NO_LINE;
    sharing.lines = 0;
    std::FILE *file = std::fopen(name.c_str(), "w");
    if (!file)
        return;
    if (!sharing.full.exchange(false))
        for (const auto &[pc, count] : counts)
            std::fprintf(file, "%016llx %llu %llu %llu\n", static_cast<unsigned long long>(pc),
                         static_cast<unsigned long long>(count.stores),
                         static_cast<unsigned long long>(count.lines),
                         static_cast<unsigned long long>(count.atomic));
    std::fclose(file);
}

// Check whether code is an instruction with a lock prefix, or xchg with memory, which locks the bus
// without a prefix.
bool is_atomic(const std::array<std::uint8_t, 15> &code) {
    std::size_t i = 0;

    for (; i < code.size(); i++) {
        if (code[i] == 0xf0)
            return true;
        // segment, size, repetition and REX prefixes
        const bool prefix = code[i] == 0x26 || code[i] == 0x2e || code[i] == 0x36 ||
                            code[i] == 0x3e || (code[i] >= 0x64 && code[i] <= 0x67) ||
                            code[i] == 0xf2 || code[i] == 0xf3 || (code[i] & 0xf0) == 0x40;
        if (!prefix)
            break;
    }
    return i + 1 < code.size() && (code[i] & 0xfe) == 0x86 && (code[i + 1] & 0xc0) != 0xc0;
}

void translated(std::uint64_t, qemu_plugin_tb *tb) {
    const std::size_t count = qemu_plugin_tb_n_insns(tb);

    for (std::size_t i = 0; i < count; i++) {
        qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const std::uint64_t pc = qemu_plugin_insn_vaddr(insn);
        std::array<std::uint8_t, 15> code{};

        if (pc < plugin::KERNEL) {
            plugin::on_mark(insn, marked);
            continue;
        }
        qemu_plugin_insn_data(insn, code.data(), code.size());
        if (is_atomic(code))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, plugin::NO_REGISTERS,
                                                   reinterpret_cast<void *>(pc));
        qemu_plugin_register_vcpu_mem_cb(insn, stored, plugin::NO_REGISTERS, WRITES,
                                         reinterpret_cast<void *>(pc));
    }
}

} // namespace

int qemu_plugin_install(std::uint64_t id, const void *, int argc, char **argv) {
    sharing.out = plugin::out_of("sharing", argc, argv);
    if (sharing.out.empty())
        return -1;
    std::thread{[] {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            sharing.period++;
        }
    }}.detach();
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
