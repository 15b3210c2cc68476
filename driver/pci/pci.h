/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The PCIe RNIC (docs/rnic/function.md).
 *
 *	function.c  the function: probe to remove, reset, suspend, bus errors
 *	rnic.c      the RNIC: registers, reset, interrupts, doorbells, memory, health
 *	port.c      the network interface of the RNIC
 *	address.c   the IP addresses that the RNIC gets from the network interface
 *
 * Lifetimes: the BAR and the network interface exist from probe to remove. In this time, the RDMA
 * device may be added and removed several times: at probe and remove, around a reset, a suspend or
 * a fatal bus error, by `rdma link`, and when the network interface moves to another namespace. The
 * RNIC starts when the RDMA device is added, and stops when the RDMA device fails or is removed.
 * There is at most one RDMA device at a time.
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

/* IP addresses of the network interface, without duplicates. */
struct xiw_address_list {
	/* false: the list takes no address that the RNIC does not have yet */
	bool more;
	unsigned int count;
	unsigned int excess;		/* number of addresses that do not fit into the list */
	struct xiw_adm_addr list[XIW_PCI_ADDRESSES];
};

struct xiw_pci {
	struct pci_dev *pdev;
	u8 __iomem *bar;
	struct net_device *netdev;

	struct mutex lock;		/* held while a device is added; taken before RTNL */
	bool away;			/* add no device, from xiw_pci_leave() to xiw_pci_back() */
	bool asleep;			/* wake must replace the device; under the lock of pdev */
	struct delayed_work wake;	/* replaces the device after a sleep of the machine */
	bool live;			/* probe is complete: a change of namespace adds a device */
	atomic_t owed;			/* add a device when the previous device has ended */
	struct work_struct attach_work;
	struct work_struct port_work;	/* reads the port's registers after a change of the port */
	wait_queue_head_t ended;	/* woken when rnic becomes NULL, or away becomes true */

	struct xiw_rnic *rnic;		/* NULL before the start and after the end of the device */
	unsigned int num_vectors;
	struct xiw_pci_vector vectors[XIW_PCI_VECTORS_MAX];
	u64 resets;			/* number of resets in STATUS when the RNIC started */
	u64 heartbeat;			/* last value read from the heartbeat register */
	unsigned int silent;		/* successive reads that found the heartbeat unchanged */
	struct delayed_work health;
	u32 moderation_us;		/* set by ethtool, and applied again at each start */

	struct mutex stats_lock;	/* serializes commands that read the statistics */
	struct xiw_stats_block stats;	/* last statistics of the device; under stats_lock */

	struct work_struct address_work;
	struct mutex address_lock;	/* protects all members below while there is a device */
	/* Addresses of the network interface. address_work compares them with @addresses. */
	struct xiw_address_list now;
	/* Addresses that the RNIC has, without duplicates. */
	struct xiw_adm_addr addresses[XIW_PCI_ADDRESSES];
	unsigned int num_addresses;
	unsigned int excess_addresses;	/* now.excess of the previous run of address_work */
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

/* address.c; xiw_pci_address_queue() may be called in any context */
void xiw_address_work(struct work_struct *work);
void xiw_pci_address_queue(struct xiw_pci *pci);
int xiw_pci_address_init(void);
void xiw_pci_address_exit(void);

#endif
