// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The RNIC behind BAR 0: start and reset, doorbells, memory, interrupts and health.
 *
 * Registers are untrusted. A start fails if the RNIC does not reach the required state in time.
 * After the start, the driver checks the RNIC once a second. The driver fails the device if the
 * heartbeat does not change, or if STATUS reads as all ones, reports a fatal error or counts an
 * unexpected reset.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/sched/mm.h>
#include <linux/smp.h>

#include "pci/pci.h"
#include "ring/admin.h"
#include "xiw.h"

#define XIW_PCI_POLL_US 1000
#define XIW_PCI_BOUND_MS 10000		/* upper limit of RESET_MS */
#define XIW_PCI_HEALTH (HZ)
/*
 * The driver fails the device after this number of successive reads that find the heartbeat
 * unchanged. The driver reads the heartbeat once a second. A working RNIC changes the heartbeat at
 * least ten times a second.
 */
#define XIW_PCI_SILENCE 5

/**
 * xiw_pci_identify - check that the driver supports this RNIC
 * @pci: function
 *
 * Return: 0; -ENODEV if the function is gone; -EPROTONOSUPPORT if the function is another device,
 * has another ABI, or has a version before XIW_PCI_VERSION.
 */
int xiw_pci_identify(struct xiw_pci *pci)
{
	u64 id = xiw_pci_read(pci, XIW_REG_ID);

	if (id == XIW_PCI_ALL_ONES)
		return -ENODEV;
	if ((u32)id != XIW_PCI_MAGIC || id >> XIW_PCI_ID_ABI_SHIFT != XIW_RNIC_ABI ||
	    ((id >> XIW_PCI_ID_VERSION_SHIFT) & 0xffff) < XIW_PCI_VERSION)
		return -EPROTONOSUPPORT;
	return 0;
}

/*
 * Wait for a state, up to the limit in RESET_MS.
 * Return: 0; -ENODEV if the function is gone; -ETIMEDOUT after the limit.
 */
static int xiw_pci_wait(struct xiw_pci *pci, enum xiw_pci_state state)
{
	u64 bound = clamp_t(u64, xiw_pci_read(pci, XIW_REG_RESET_MS), 100, XIW_PCI_BOUND_MS);
	u64 status;
	int err;

	err = read_poll_timeout(xiw_pci_read, status,
				status == XIW_PCI_ALL_ONES ||
				(status & XIW_PCI_STATE_MASK) == state,
				XIW_PCI_POLL_US, bound * USEC_PER_MSEC, false, pci, XIW_REG_STATUS);
	return !err && status == XIW_PCI_ALL_ONES ? -ENODEV : err;
}

static int xiw_pci_reset(struct xiw_pci *pci)
{
	int err;

	xiw_pci_write(pci, XIW_REG_CONTROL, XIW_CTL_RESET);
	err = xiw_pci_wait(pci, XIW_PCI_IDLE);
	if (err != -ETIMEDOUT)
		return err;
	pci_warn(pci->pdev, "reset timed out, issuing FLR\n");
	err = pcie_reset_flr(pci->pdev, PCI_RESET_DO_RESET);
	pci_restore_state(pci->pdev);
	pci_save_state(pci->pdev);
	return err ?: xiw_pci_wait(pci, XIW_PCI_IDLE);
}

/**
 * xiw_pci_quiet - stop all accesses of the RNIC to memory
 * @pci: function
 *
 * Resets the RNIC, and disables bus mastering even if the reset fails.
 *
 * Context: process; the time is bounded.
 */
void xiw_pci_quiet(struct xiw_pci *pci)
{
	if (pci_device_is_present(pci->pdev) && xiw_pci_reset(pci))
		pci_err(pci->pdev, "reset failed, bus mastering disabled\n");
	pci_clear_master(pci->pdev);
}

/* ----------------------------------------------------------------- interrupts */

static irqreturn_t xiw_pci_interrupt(int irq, void *data)
{
	struct xiw_pci_vector *vec = data;

	xiw_rnic_interrupt(vec->pci->rnic, vec->index);
	return IRQ_HANDLED;
}

static void xiw_pci_free_vectors(struct xiw_pci *pci, unsigned int requested)
{
	while (requested--) {
		int irq = pci_irq_vector(pci->pdev, requested);

		irq_update_affinity_hint(irq, NULL);
		free_irq(irq, &pci->vectors[requested]);
	}
	pci_free_irq_vectors(pci->pdev);
	pci->num_vectors = 0;
}

/*
 * Request the interrupt of a vector. Initially, each vector has its own CPU, near the function. Do
 * not use PCI_IRQ_AFFINITY: the kernel would shut down an interrupt when its CPU goes offline, and
 * an administrator could not move the interrupt.
 */
static int xiw_pci_request_vector(struct xiw_pci *pci, unsigned int index)
{
	struct xiw_pci_vector *vec = &pci->vectors[index];
	int irq = pci_irq_vector(pci->pdev, index), err;
	unsigned int cpu;

	vec->pci = pci;
	vec->index = index;
	snprintf(vec->name, sizeof(vec->name), "xiw-%u@pci:%s", index, pci_name(pci->pdev));
	err = request_irq(irq, xiw_pci_interrupt, 0, vec->name, vec);
	if (err)
		return err;
	cpu = cpumask_local_spread(index, dev_to_node(&pci->pdev->dev));
	/* If the CPU has gone offline, the interrupt stays on its current CPU. */
	irq_set_affinity_and_hint(irq, cpumask_of(cpu));
	return 0;
}

/* Request a vector for each CPU, within the limits of the RNIC and of the driver. */
static int xiw_pci_alloc_vectors(struct xiw_pci *pci, unsigned int max)
{
	int count, err, i;

	max = min3(max, num_online_cpus(), (unsigned int)XIW_PCI_VECTORS_MAX);
	count = pci_alloc_irq_vectors(pci->pdev, 1, max, PCI_IRQ_MSIX);
	if (count < 0)
		return count;
	for (i = 0; i < count; i++) {
		err = xiw_pci_request_vector(pci, i);
		if (err) {
			xiw_pci_free_vectors(pci, i);
			return err;
		}
	}
	pci->num_vectors = count;
	return 0;
}

/* Apply the moderation of `ethtool -C` to all vectors. */
void xiw_pci_moderate(struct xiw_pci *pci)
{
	unsigned int i;

	for (i = 0; i < pci->num_vectors; i++)
		xiw_pci_write(pci, XIW_REG_MODERATION + 8 * i, pci->moderation_us);
}

/* --------------------------------------------------------------------- health */

/* Return: the reason to fail the device; NULL if there is none. */
static const char *xiw_pci_complaint(struct xiw_pci *pci)
{
	u64 status = xiw_pci_read(pci, XIW_REG_STATUS), beat;

	if (status == XIW_PCI_ALL_ONES)
		return "the function is gone";
	if (status >> XIW_PCI_RESETS_SHIFT != pci->resets)
		return "unexpected reset of the function";
	if ((status & XIW_PCI_STATE_MASK) == XIW_PCI_FAILED) {
		beat = xiw_pci_read(pci, XIW_REG_FATAL);
		pci_err(pci->pdev, "fatal error %u, detail %u\n", (u32)beat, (u32)(beat >> 32));
		return "RNIC reported a fatal error";
	}
	beat = xiw_pci_read(pci, XIW_REG_HEARTBEAT);
	pci->silent = beat == pci->heartbeat ? pci->silent + 1 : 0;
	pci->heartbeat = beat;
	return pci->silent < XIW_PCI_SILENCE ? NULL : "heartbeat stopped";
}

void xiw_pci_health(struct work_struct *work)
{
	struct xiw_pci *pci = container_of(to_delayed_work(work), struct xiw_pci, health);
	const char *complaint = xiw_pci_complaint(pci);
	unsigned int i;

	/*
	 * Only a broken RNIC, or the reset or removal of its function, is a reason to fail the
	 * device. After the failure, queue no other check.
	 */
	if (complaint) {
		xiw_device_fail(xiw_device_of(pci->rnic), complaint);
		return;
	}
	/* Poll all vectors, because an MSI-X message may have been lost. */
	for (i = 0; i < pci->num_vectors; i++)
		xiw_rnic_interrupt(pci->rnic, i);
	queue_delayed_work(system_percpu_wq, &pci->health, XIW_PCI_HEALTH);
}

/* ------------------------------------------------------------- start and stop */

static void xiw_pci_read_caps(struct xiw_pci *pci, struct xiw_rnic_caps *caps)
{
	__le64 *to = (__le64 *)caps;
	unsigned int i;

	for (i = 0; i < sizeof(*caps) / sizeof(*to); i++)
		to[i] = cpu_to_le64(xiw_pci_read(pci, XIW_REG_CAPS + 8 * i));
}

static int xiw_pci_enable(struct xiw_pci *pci, struct xiw_rnic *rnic)
{
	int err;

	xiw_pci_write(pci, XIW_REG_ADMIN_BASE, rnic->admin_bus);
	xiw_pci_write(pci, XIW_REG_ADMIN_LOG2, rnic->admin_log2);
	xiw_pci_write(pci, XIW_REG_CONTROL, XIW_CTL_ENABLE);
	err = xiw_pci_wait(pci, XIW_PCI_READY);
	if (err)
		return err;
	pci->resets = xiw_pci_read(pci, XIW_REG_STATUS) >> XIW_PCI_RESETS_SHIFT;
	pci->heartbeat = xiw_pci_read(pci, XIW_REG_HEARTBEAT);
	pci->silent = 0;
	return 0;
}

/* Reset the RNIC, so that it raises no more interrupts. Then free the vectors. */
static void xiw_pci_halt(struct xiw_pci *pci)
{
	xiw_pci_quiet(pci);
	xiw_pci_free_vectors(pci, pci->num_vectors);
}

static int xiw_pci_start(struct xiw_rnic *rnic)
{
	struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);
	int err;

	err = xiw_pci_identify(pci);
	if (err)
		return err;
	err = xiw_pci_reset(pci);
	if (err)
		goto quiet;
	pci_set_master(pci->pdev);
	xiw_pci_read_caps(pci, &rnic->caps);
	xiw_port_refresh(pci);
	pci->num_addresses = 0;
	memset(&pci->stats, 0, sizeof(pci->stats));
	/*
	 * From now on, xiw_pci_settled() and xiw_pci_await() wait until xiw_pci_ended() clears
	 * pci->rnic.
	 */
	WRITE_ONCE(pci->rnic, rnic);
	err = xiw_pci_alloc_vectors(pci, le16_to_cpu(rnic->caps.max_vectors));
	if (err)
		goto quiet;
	rnic->caps.max_vectors = cpu_to_le16(pci->num_vectors);
	xiw_pci_moderate(pci);
	err = xiw_pci_enable(pci, rnic);
	if (err)
		goto quiet;
	rnic->priv = pci;
	queue_delayed_work(system_percpu_wq, &pci->health, XIW_PCI_HEALTH);
	return 0;

quiet:
	xiw_pci_halt(pci);
	pci_err(pci->pdev, "RNIC start failed: %d\n", err);
	return err;
}

static void xiw_pci_stop(struct xiw_rnic *rnic)
{
	struct xiw_pci *pci = rnic->priv;

	cancel_delayed_work_sync(&pci->health);
	xiw_pci_halt(pci);
	WRITE_ONCE(rnic->priv, NULL);
}

static void xiw_pci_ended(struct xiw_rnic *rnic)
{
	struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);

	WRITE_ONCE(pci->rnic, NULL);
	wake_up_all(&pci->ended);
	/*
	 * atomic_xchg() in xiw_pci_attach_owed() orders the write of rnic before the read of owed;
	 * pairs with xiw_pci_attach().
	 */
	xiw_pci_attach_owed(pci);
}

/* ----------------------------------------------- doorbells, memory, statistics */

/*
 * Write the doorbell in one transaction. writeq() orders the doorbell after earlier writes to
 * memory, but not after earlier reads. A doorbell for events needs dma_mb(), because this doorbell
 * permits the RNIC to overwrite events that this CPU has read. Any doorbell page works. The CPU
 * number selects the page, so that CPUs do not wait for each other. After a stop, priv is NULL, and
 * the doorbell does nothing.
 */
static void xiw_pci_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	struct xiw_pci *pci = READ_ONCE(rnic->priv);
	unsigned int page = raw_smp_processor_id() % XIW_PCI_DOORBELL_PAGES;

	if (unlikely(!pci))
		return;
	if (kind == XIW_DB_EVENT || kind == XIW_DB_EVENT_ARM)
		dma_mb();
	writeq((u64)kind << XIW_DB_KIND_SHIFT | (u64)index << XIW_DB_INDEX_SHIFT | value,
	       pci->bar + XIW_PCI_DOORBELL + page * XIW_PCI_PAGE);
}

static void *xiw_pci_mem_alloc(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp)
{
	bool noio = !(gfp & __GFP_IO);
	unsigned int flags = 0;
	dma_addr_t dma;
	void *mem;

	/* dma_alloc_coherent() may allocate page tables without regard to @gfp. */
	if (noio)
		flags = memalloc_noio_save();
	/* Users choose the length of their queues, so do not warn if there is no memory. */
	mem = dma_alloc_coherent(rnic->dma_device, size, &dma, gfp | __GFP_NOWARN);
	if (noio)
		memalloc_noio_restore(flags);

	*bus = mem ? dma : 0;
	return mem;
}

static void xiw_pci_mem_free(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus)
{
	dma_free_coherent(rnic->dma_device, size, mem, bus);
}

/*
 * Read the statistics with XIW_ADM_STATS. The RNIC may write to the block until it answers the
 * command or is reset. xiw_admin_exec() returns only afterwards, so the block can then be freed.
 * Any user may read the statistics, so stats_lock allows only one such command in the admin ring.
 * If the statistics cannot be read, return those of the last successful command: a monitoring
 * system interprets a lower value as a restart of the counter.
 */
static void xiw_pci_stats(struct xiw_rnic *rnic, struct xiw_stats_block *sum)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_STATS,
		.count = cpu_to_le32(sizeof(struct xiw_stats_block)),
	};
	struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);
	struct xiw_stats_block *block;
	u64 bus;

	mutex_lock(&pci->stats_lock);
	/* A stop sets priv to NULL. It also resets the RNIC, which loses its totals. */
	block = READ_ONCE(rnic->priv) ?
		xiw_pci_mem_alloc(rnic, sizeof(*block), &bus, GFP_KERNEL) : NULL;
	if (block) {
		cmd.addr = cpu_to_le64(bus);
		if (!xiw_admin_exec(xiw_device_of(rnic), &cmd))
			pci->stats = *block;
		xiw_pci_mem_free(rnic, sizeof(*block), block, bus);
	}
	*sum = pci->stats;
	mutex_unlock(&pci->stats_lock);
}

/*
 * Read the registers that describe the state of the RNIC. If the function is gone, all registers
 * read as all ones. Return: number of registers in @list, at most @max.
 */
static unsigned int xiw_pci_registers(struct xiw_rnic *rnic, struct xiw_register *list,
				      unsigned int max)
{
	static const struct {
		const char *name;
		unsigned int reg;
	} told[] = {
		{ "id", XIW_REG_ID },
		{ "status", XIW_REG_STATUS },
		{ "control", XIW_REG_CONTROL },
		{ "reset-ms", XIW_REG_RESET_MS },
		{ "heartbeat", XIW_REG_HEARTBEAT },
		{ "fatal", XIW_REG_FATAL },
		{ "mac", XIW_REG_MAC },
		{ "mtu", XIW_REG_MTU },
		{ "link", XIW_REG_LINK },
		{ "admin-log2", XIW_REG_ADMIN_LOG2 },
		{ "moderation", XIW_REG_MODERATION },
	};
	const struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);
	unsigned int i, count = min_t(unsigned int, max, ARRAY_SIZE(told));

	for (i = 0; i < count; i++) {
		list[i].name = told[i].name;
		list[i].value = xiw_pci_read(pci, told[i].reg);
	}
	return count;
}

/* Queue a work item, because the event may report a new MTU, and setting the MTU sleeps. */
static void xiw_pci_link_changed(struct xiw_rnic *rnic, bool up)
{
	struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);

	queue_work(system_dfl_wq, &pci->port_work);
}

static void xiw_pci_addresses_changed(struct xiw_rnic *rnic)
{
	xiw_pci_address_queue(dev_get_drvdata(rnic->dma_device));
}

static void xiw_pci_settle(struct xiw_rnic *rnic)
{
	struct xiw_pci *pci = dev_get_drvdata(rnic->dma_device);

	flush_work(&pci->address_work);
}

const struct xiw_rnic_ops xiw_pci_ops = {
	.name = "pci",
	.kind = XIW_NL_KIND_PCI,
	.tx_log2_units = 6,	/* 4 KiB, because DMA memory is allocated in pages */
	.rx_log2_size = 19,	/* DMA memory is contiguous; 512 KiB are usually available */
	.admin_seconds = 30,
	.start = xiw_pci_start,
	.stop = xiw_pci_stop,
	.ended = xiw_pci_ended,
	.doorbell = xiw_pci_doorbell,
	.alloc = xiw_pci_mem_alloc,
	.free = xiw_pci_mem_free,
	.stats = xiw_pci_stats,
	.registers = xiw_pci_registers,
	.link = xiw_pci_link_changed,
	.addresses_changed = xiw_pci_addresses_changed,
	.settle = xiw_pci_settle,
};
