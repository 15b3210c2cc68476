/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The PCIe RNIC (docs/rnic/function.md).
 *
 *	function.c  the function: probe to remove, reset, suspend, bus errors
 *	rnic.c      the RNIC: registers, reset, interrupts, doorbells, memory, health
 *	port.c      its network interface
 *	address.c   the addresses of the interface, passed to the RNIC
 *
 * Lifetimes: the function has its BAR and its network interface from probe to remove. During that
 * time, the device above the RNIC interface may be added and removed repeatedly: at probe and
 * remove, around a reset and a suspend, by `rdma link`, and when the interface changes its
 * namespace. The RNIC is started and stopped with the device, never twice at once.
 */
#ifndef XIW_PCI_H
#define XIW_PCI_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rnic/xiw_rnic_pci.h>

#include "ring/rnic.h"

#define XIW_PCI_ADDRESSES 64

struct xiw_pci;

struct xiw_pci_vector {
	struct xiw_pci *pci;
	unsigned int index;
	char name[32];			/* name of the interrupt in /proc/interrupts */
};

/* The addresses of the interface, each once. */
struct xiw_address_list {
	unsigned int count;
	unsigned int excess;		/* addresses that do not fit into the list */
	struct xiw_adm_addr list[XIW_PCI_ADDRESSES];
};

struct xiw_pci {
	struct pci_dev *pdev;
	u8 __iomem *bar;
	struct net_device *netdev;

	struct mutex lock;		/* serializes attach and detach; outside RTNL */
	bool away;			/* no device: during reset or suspend, or after remove */
	bool live;			/* probe is complete: handle changes of the namespace */
	atomic_t owed;			/* add a device when the previous one has ended */
	struct work_struct attach_work;
	struct work_struct port_work;	/* reads the port's registers after a change of the port */
	wait_queue_head_t ended;	/* woken when rnic becomes NULL */

	struct xiw_rnic *rnic;		/* set from start to the end of the device, or NULL */
	unsigned int num_vectors;
	struct xiw_pci_vector vectors[XIW_PCI_VECTORS_MAX];
	u64 resets;			/* number of resets in STATUS, at start */
	u64 heartbeat;			/* last value read from the heartbeat register */
	unsigned int silent;		/* number of successive reads without a change */
	struct delayed_work health;
	u32 moderation_us;		/* configured value, which also applies to the next start */

	struct mutex stats_lock;	/* serializes commands that read the statistics */

	struct work_struct address_work;
	struct mutex address_lock;	/* protects all members below while there is a device */
	/* Addresses of the interface. address_work compares them with those that the RNIC has. */
	struct xiw_address_list now;
	/* Addresses that the RNIC has, each once. */
	struct xiw_adm_addr addresses[XIW_PCI_ADDRESSES];
	unsigned int num_addresses;
	unsigned int excess_addresses;	/* number of excess addresses that was last logged */
};

static inline u64 xiw_pci_read(const struct xiw_pci *pci, unsigned int reg)
{
	return readq(pci->bar + XIW_PCI_REGISTERS + reg);
}

static inline void xiw_pci_write(struct xiw_pci *pci, unsigned int reg, u64 value)
{
	writeq(value, pci->bar + XIW_PCI_REGISTERS + reg);
}

/* rnic.c */
extern const struct xiw_rnic_ops xiw_pci_ops;
int xiw_pci_identify(struct xiw_pci *pci);
void xiw_pci_quiet(struct xiw_pci *pci);
void xiw_pci_moderate(struct xiw_pci *pci);
void xiw_pci_health(struct work_struct *work);

/* function.c */
void xiw_pci_attach_owed(struct xiw_pci *pci);

/* port.c */
struct net_device *xiw_port_new(struct xiw_pci *pci);
bool xiw_port_is(const struct net_device *netdev);
struct xiw_pci *xiw_port_function(const struct net_device *netdev);
void xiw_port_refresh(struct xiw_pci *pci);
void xiw_port_work(struct work_struct *work);
int xiw_port_init(void);
void xiw_port_exit(void);

/* address.c; xiw_pci_address_queue() in any context */
void xiw_address_work(struct work_struct *work);
void xiw_pci_address_queue(struct xiw_pci *pci);
int xiw_pci_address_init(void);
void xiw_pci_address_exit(void);

#endif
