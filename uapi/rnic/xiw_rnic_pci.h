/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The RNIC as a PCI Express function: ids, BAR 0 and registers. This file contains the layout and
 * no code. docs/rnic/function.md describes the function in prose. xiw_rnic.h defines the contents
 * of the rings, which are the same for every RNIC.
 *
 * Registers are 64 bits wide and little endian. A write must cover the whole register; a narrower
 * write does nothing. If a function is gone or in D3hot, or if its memory space is disabled, its
 * registers read as all ones. No register of a working function reads as all ones.
 */
#ifndef XIW_RNIC_PCI_H
#define XIW_RNIC_PCI_H

#include <rnic/xiw_rnic.h>

#define XIW_PCI_VENDOR 0x1234
#define XIW_PCI_DEVICE 0x7306
#define XIW_PCI_CLASS 0x028000		/* class code: other network controller */
#define XIW_PCI_REVISION 1

/* BAR 0: memory, 64 bits, not prefetchable; includes MSI-X. */
#define XIW_PCI_BAR 0
#define XIW_PCI_BAR_SIZE 0x10000

enum xiw_pci_map {
	XIW_PCI_REGISTERS = 0x0000,	/* enum xiw_pci_register */
	XIW_PCI_MSIX_TABLE = 0x2000,
	XIW_PCI_MSIX_PBA = 0x3000,
	XIW_PCI_DOORBELL = 0x8000,	/* identical pages of doorbells; a CPU may use any page */
};

#define XIW_PCI_PAGE 0x1000
#define XIW_PCI_DOORBELL_PAGES 8
#define XIW_PCI_VECTORS_MAX 64		/* max number of moderation registers */

enum xiw_pci_register {
	XIW_REG_ID = 0x00,		/* RO: see below; read it first */
	XIW_REG_STATUS = 0x08,		/* RO: see below */
	XIW_REG_CONTROL = 0x10,		/* RW: enum xiw_pci_control */
	XIW_REG_RESET_MS = 0x18,	/* RO: time limit of each change of state, in ms */
	XIW_REG_HEARTBEAT = 0x20,	/* RO: counter, increases while the RNIC works; see below */
	XIW_REG_FATAL = 0x28,		/* RO: enum xiw_pci_fatal in 31-0, detail in 63-32 */
	XIW_REG_MAC = 0x30,		/* RO: first octet in bits 7-0 */
	XIW_REG_MTU = 0x38,		/* RO: octets of an IP packet */
	XIW_REG_LINK = 0x40,		/* RO: bit 0: up; 63-32: Mbit/s, 0 if unknown */
	XIW_REG_ADMIN_BASE = 0x48,	/* RW while IDLE: bus address of the admin ring */
	XIW_REG_ADMIN_LOG2 = 0x50,	/* RW while IDLE: log2 of the size of the ring in entries */
	XIW_REG_CAPS = 0x100,		/* RO: struct xiw_rnic_caps, eight registers */
	XIW_REG_MODERATION = 0x200,	/* RW: vector n: this offset + 8 * n; see below */
};

/* XIW_REG_ID: magic in 31-0, version in 47-32, XIW_RNIC_ABI in 63-48. */
#define XIW_PCI_MAGIC 0x52574958ULL	/* "XIWR" */
#define XIW_PCI_VERSION 1
#define XIW_PCI_ID_VERSION_SHIFT 32
#define XIW_PCI_ID_ABI_SHIFT 48

/*
 * XIW_REG_STATUS: enum xiw_pci_state in 7-0, number of resets since power on in 63-32; other bits
 * are zero.
 */
enum xiw_pci_state {
	XIW_PCI_RESETTING = 1,	/* the RNIC may still access memory; wait */
	XIW_PCI_IDLE = 2,	/* as after power on: the RNIC accesses no memory */
	XIW_PCI_READY = 3,	/* enabled: the RNIC accepts doorbells */
	XIW_PCI_FAILED = 4,	/* accesses nothing and needs a reset; XIW_REG_FATAL: reason */
};

#define XIW_PCI_STATE_MASK 0xffULL
#define XIW_PCI_RESETS_SHIFT 32

enum xiw_pci_control {
	XIW_CTL_ENABLE = 1 << 0,	/* changes IDLE to READY; sets the admin indexes to 0 */
	XIW_CTL_RESET = 1 << 1,		/* changes any state to RESETTING, then IDLE; reads as 0 */
};

enum xiw_pci_fatal {
	XIW_FATAL_NONE = 0,
	XIW_FATAL_INTERNAL = 1,		/* internal error of the RNIC */
	XIW_FATAL_ADMIN = 2,		/* base or size of the admin ring is not usable */
	XIW_FATAL_DMA = 3,		/* access failed: ring, context, table, command's buffer */
	XIW_FATAL_DOORBELL = 4,		/* an invalid doorbell; detail: enum xiw_doorbell */
};

/*
 * Maximum time between two increments of the heartbeat while the RNIC is READY. If the heartbeat
 * does not change for many of these periods, the RNIC has stopped working.
 */
#define XIW_PCI_HEARTBEAT_MS 100

/* XIW_REG_MODERATION: minimum time between two interrupts of the vector, in microseconds. */
#define XIW_PCI_MODERATION_MAX 1000000

#define XIW_PCI_ALL_ONES 0xffffffffffffffffULL

#endif
