// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Interface of the software RNIC to the driver: start, reset, doorbells and memory. */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "soft/congestion.h"
#include "soft/inject.h"
#include "soft/shared_rx.h"
#include "soft/stream.h"

static void caps(struct xiw_soft *soft, struct xiw_rnic_caps *c)
{
	*c = (struct xiw_rnic_caps){
		.abi = cpu_to_le32(XIW_RNIC_ABI),
		.caps = cpu_to_le32(XIW_CAP_ATOMIC | XIW_CAP_ATOMIC_GLOB | XIW_CAP_MARKERS |
				    XIW_CAP_SHARED_RX | XIW_CAP_WINDOW | XIW_CAP_CRC_OFF |
				    XIW_CAP_ENCRYPTION |
				    (IS_ENABLED(CONFIG_IPV6) ? XIW_CAP_IPV6 : 0)),
		.max_streams = cpu_to_le32(XIW_SOFT_MAX_STREAMS),
		.max_conns = cpu_to_le32(XIW_SOFT_MAX_CONNS),
		.max_listeners = cpu_to_le32(XIW_SOFT_MAX_LISTENERS),
		.max_shared_rx = cpu_to_le32(XIW_SOFT_MAX_SHARED_RX),
		.max_stags = cpu_to_le32(XIW_SOFT_MAX_STAGS),
		.max_vectors = cpu_to_le16(soft->nr_vectors),
		.max_ird = cpu_to_le16(XIW_SOFT_MAX_DEPTH),
		.max_ord = cpu_to_le16(XIW_SOFT_MAX_DEPTH),
		.max_gather = XIW_SOFT_MAX_GATHER,
		.max_message = cpu_to_le32(0x80000000),
		.max_inline = cpu_to_le16(XIW_SOFT_MAX_INLINE),
	};
}

static void vectors_init(struct xiw_soft *soft)
{
	unsigned int i;

	for (i = 0; i < soft->nr_vectors; i++) {
		struct xiw_soft_vector *vec = &soft->vector[i];

		vec->soft = soft;
		vec->index = i;
		spin_lock_init(&vec->lock);
		INIT_LIST_HEAD(&vec->stalled);
		INIT_LIST_HEAD(&vec->notices);
		init_llist_head(&vec->work);
	}
}

static void soft_free(struct xiw_soft *soft)
{
	if (soft->wq)
		destroy_workqueue(soft->wq);
	xiw_soft_admin_stop(soft);
	xiw_soft_stags_free(soft);
	xiw_soft_pages_free(soft->pages);
	free_percpu(soft->stats);
	xa_destroy(&soft->streams);
	xa_destroy(&soft->shared_rx);
	kfree(soft->vector);
	kfree(soft);
}

static int soft_start(struct xiw_rnic *rnic)
{
	struct xiw_soft *soft;
	int err = -ENOMEM;

	BUILD_BUG_ON(!IS_ENABLED(CONFIG_64BIT));
	soft = kzalloc(sizeof(*soft), GFP_KERNEL);
	if (!soft)
		return -ENOMEM;
	soft->rnic = rnic;
	soft->nr_vectors = min_t(unsigned int, num_online_cpus(), XIW_SOFT_MAX_VECTORS);
	xa_init_flags(&soft->streams, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&soft->shared_rx, XA_FLAGS_LOCK_IRQ);
	soft->vector = kcalloc(soft->nr_vectors, sizeof(*soft->vector), GFP_KERNEL);
	soft->stags = kvcalloc(XIW_SOFT_STAG_CHUNKS, sizeof(*soft->stags), GFP_KERNEL);
	soft->pages = xiw_soft_pages_alloc(rnic->netdev->ifindex);
	soft->stats = alloc_percpu(struct xiw_stats_block);
	soft->wq = alloc_workqueue("xiw-%s", WQ_MEM_RECLAIM | WQ_UNBOUND, 0,
				   netdev_name(rnic->netdev));
	if (!soft->vector || !soft->stags || !soft->pages || !soft->stats || !soft->wq)
		goto fail;
	vectors_init(soft);
	err = xiw_soft_admin_start(soft);
	if (err)
		goto fail;
	err = xiw_soft_conns_start(soft);
	if (err)
		goto fail;
	caps(soft, &rnic->caps);
	rnic->priv = soft;
	return 0;

fail:
	soft_free(soft);
	return err;
}

/*
 * Stop the streams first: each stream returns its socket to its connection. Then stop the
 * connections, which close the sockets and drop their references to the streams.
 */
static void soft_stop(struct xiw_rnic *rnic)
{
	struct xiw_soft *soft = rnic->priv;

	WRITE_ONCE(soft->down, true);
	/*
	 * Wait for doorbells that did not see @down, so that xiw_soft_streams_stop() finds all
	 * streams.
	 */
	synchronize_rcu();
	xiw_soft_streams_stop(soft);
	xiw_soft_conns_stop(soft);
	flush_workqueue(soft->wq);
	xiw_soft_streams_free(soft);
	xiw_soft_shared_rx_free(soft);
	WRITE_ONCE(rnic->priv, NULL);
	synchronize_rcu();
	soft_free(soft);
}

static void stream_doorbell(struct xiw_soft *soft, enum xiw_doorbell kind, u32 index, u32 value)
{
	struct xiw_soft_stream *s;

	s = xa_load(&soft->streams, index);
	if (!s)
		return;
	if (kind == XIW_DB_STREAM)
		xiw_soft_stream_order(s, value);
	else if (kind == XIW_DB_RX)
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	else
		xiw_soft_stream_rung(s);
}

static void soft_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	struct xiw_soft *soft;

	/* soft_stop() waits for RCU readers. */
	rcu_read_lock();
	soft = READ_ONCE(rnic->priv);
	if (!soft || READ_ONCE(soft->down))
		goto out;
	xiw_soft_count(soft, doorbells, 1);
	switch (kind) {
	case XIW_DB_ADMIN:
		xiw_soft_admin_rung(soft, value);
		break;
	case XIW_DB_EVENT:
	case XIW_DB_EVENT_ARM:
		xiw_soft_event_consumed(soft, index, value, kind == XIW_DB_EVENT_ARM);
		break;
	case XIW_DB_SHARED_RX:
		xiw_soft_shared_rx_rung(soft, index);
		break;
	default:
		stream_doorbell(soft, kind, index, value);
	}
out:
	rcu_read_unlock();
}

static int soft_poll(struct xiw_rnic *rnic, unsigned int vector, int budget)
{
	struct xiw_soft *soft;
	int done = 0;

	rcu_read_lock();
	soft = READ_ONCE(rnic->priv);
	if (soft)
		done = xiw_soft_streams_poll(&soft->vector[vector], budget);
	rcu_read_unlock();
	return done;
}

/* Slab memory and vmalloc memory are suitable, because TCP gets only copies of the data. */
static void *soft_alloc(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp)
{
	void *mem;

	if (size < PAGE_SIZE)
		mem = kzalloc(roundup_pow_of_two(size), gfp);
	else
		mem = kvzalloc(PAGE_ALIGN(size), gfp);
	*bus = (uintptr_t)mem;
	return mem;
}

static void soft_mem_free(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus)
{
	kvfree(mem);
}

static void soft_stats(struct xiw_rnic *rnic, struct xiw_stats_block *sum)
{
	__le64 *to = (__le64 *)sum;
	struct xiw_soft *soft;
	int cpu, i;

	BUILD_BUG_ON(sizeof(*sum) % sizeof(u64));
	memset(sum, 0, sizeof(*sum));
	rcu_read_lock();
	soft = READ_ONCE(rnic->priv);
	if (!soft)	/* before a start and after a stop, no counters exist */
		goto out;
	for_each_possible_cpu(cpu) {
		const u64 *from = (const u64 *)per_cpu_ptr(soft->stats, cpu);

		for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			le64_add_cpu(&to[i], READ_ONCE(from[i]));
	}
out:
	rcu_read_unlock();
}

static bool soft_tcp(struct xiw_rnic *rnic, u32 stream, struct xiw_rnic_tcp *tcp)
{
	struct xiw_soft *soft;
	bool told;

	rcu_read_lock();
	soft = READ_ONCE(rnic->priv);
	told = soft && xiw_soft_tcp(soft, stream, tcp);
	rcu_read_unlock();
	return told;
}

static void soft_recording(struct xiw_rnic *rnic, u32 stream, struct xiw_recording *recording)
{
	struct xiw_soft_stream *s;
	struct xiw_soft *soft;

	recording->count = 0;
	rcu_read_lock();
	soft = READ_ONCE(rnic->priv);
	s = soft ? xa_load(&soft->streams, stream) : NULL;
	if (s)
		xiw_recorder_read(&s->recorder, recording);
	rcu_read_unlock();
}

const struct xiw_rnic_ops xiw_soft_ops = {
	.name = "soft",
	.kind = XIW_NL_KIND_SOFT,
	.inject_kinds = XIW_SOFT_INJECT_KINDS,
	.tx_log2_units = 5,	/* the two TX rings of a QP fit into a page */
	.rx_log2_size = 31,	/* no limit, because the memory need not be contiguous */
	.start = soft_start,
	.stop = soft_stop,
	.ended = xiw_soft_congestion_end,
	.doorbell = soft_doorbell,
	.poll = soft_poll,
	.alloc = soft_alloc,
	.free = soft_mem_free,
	.stats = soft_stats,
	.tcp = soft_tcp,
	.congestion = xiw_soft_congestion_choose,
	.tls = XIW_HAVE_TLS,
	.recording = soft_recording,
};
