/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The RNIC as a PCI Express function: ids, BAR 0, registers. Layout only, no code;
 * docs/rnic/function.md is the prose of it. What crosses the rings stands in
 * xiw_rnic.h and is the same for every RNIC.
 *
 * Registers are 64 bits wide, little endian, and written whole: a narrower write
 * does nothing. A function that is gone reads all ones, which no register of a
 * function that is there does.
 */
#ifndef XIW_RNIC_PCI_H
#define XIW_RNIC_PCI_H

#include <rnic/xiw_rnic.h>

#define XIW_PCI_VENDOR 0x1234
#define XIW_PCI_DEVICE 0x7306
#define XIW_PCI_CLASS 0x028000		/* network controller, other */
#define XIW_PCI_REVISION 1

/* BAR 0: memory, 64 bits, not prefetchable. It holds all, MSI-X too. */
#define XIW_PCI_BAR 0
#define XIW_PCI_BAR_SIZE 0x10000

enum xiw_pci_map {
	XIW_PCI_REGISTERS = 0x0000,	/* enum xiw_pci_register */
	XIW_PCI_MSIX_TABLE = 0x2000,
	XIW_PCI_MSIX_PBA = 0x3000,
	XIW_PCI_DOORBELL = 0x8000,	/* pages of doorbells, all equal: one for each CPU */
};

#define XIW_PCI_PAGE 0x1000
#define XIW_PCI_DOORBELL_PAGES 8
#define XIW_PCI_VECTORS_MAX 64		/* moderation registers there is room for */

enum xiw_pci_register {
	XIW_REG_ID = 0x00,		/* RO: see below; the first to be read */
	XIW_REG_STATUS = 0x08,		/* RO: see below */
	XIW_REG_CONTROL = 0x10,		/* RW: enum xiw_pci_control */
	XIW_REG_RESET_MS = 0x18,	/* RO: bound for each change of state */
	XIW_REG_HEARTBEAT = 0x20,	/* RO: counts up while the RNIC works, see below */
	XIW_REG_FATAL = 0x28,		/* RO: enum xiw_pci_fatal in 31-0, detail in 63-32 */
	XIW_REG_MAC = 0x30,		/* RO: first octet in bits 7-0 */
	XIW_REG_MTU = 0x38,		/* RO: octets of an IP packet */
	XIW_REG_LINK = 0x40,		/* RO: bit 0 up; 63-32 Mbit/s, 0 unknown */
	XIW_REG_ADMIN_BASE = 0x48,	/* RW while IDLE: bus address of the admin ring */
	XIW_REG_ADMIN_LOG2 = 0x50,	/* RW while IDLE: log2 of its entries */
	XIW_REG_CAPS = 0x100,		/* RO: struct xiw_rnic_caps, eight registers */
	XIW_REG_MODERATION = 0x200,	/* RW: vector n's is at + 8 * n; see below */
};

/* XIW_REG_ID: magic in 31-0, version in 47-32, XIW_RNIC_ABI in 63-48. */
#define XIW_PCI_MAGIC 0x52574958ULL	/* "XIWR" */
#define XIW_PCI_VERSION 1
#define XIW_PCI_ID_VERSION_SHIFT 32
#define XIW_PCI_ID_ABI_SHIFT 48

/*
 * XIW_REG_STATUS: enum xiw_pci_state in 7-0, resets completed since power on in
 * 63-32, the rest zero.
 */
enum xiw_pci_state {
	XIW_PCI_RESETTING = 1,	/* memory and vectors may still be used; wait */
	XIW_PCI_IDLE = 2,	/* as after power on: touches nothing */
	XIW_PCI_READY = 3,	/* enabled: takes doorbells */
	XIW_PCI_FAILED = 4,	/* touches nothing any more; XIW_REG_FATAL says why; reset */
};

#define XIW_PCI_STATE_MASK 0xffULL
#define XIW_PCI_RESETS_SHIFT 32

enum xiw_pci_control {
	XIW_CTL_ENABLE = 1 << 0,	/* IDLE to READY; the admin ring's indexes are 0 */
	XIW_CTL_RESET = 1 << 1,		/* any state to RESETTING to IDLE; reads as 0 */
};

enum xiw_pci_fatal {
	XIW_FATAL_NONE = 0,
	XIW_FATAL_INTERNAL = 1,		/* the RNIC's own */
	XIW_FATAL_ADMIN = 2,		/* admin ring: base or size unusable */
	XIW_FATAL_DMA = 3,		/* a ring, context or table could not be accessed */
	XIW_FATAL_DOORBELL = 4,		/* an index that no driver may give; detail: its kind */
};

/* Counts at least this often while the RNIC is READY: a driver that sees it stand
 * still for many of them has an RNIC that is there but does not work.
 */
#define XIW_PCI_HEARTBEAT_MS 100

/* XIW_REG_MODERATION: least microseconds between two interrupts of the vector. */
#define XIW_PCI_MODERATION_MAX 1000000

#define XIW_PCI_ALL_ONES 0xffffffffffffffffULL

#endif
