/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The software RNIC: the rings of xiw_rnic.h over kernel TCP sockets.
 *
 * Locks, outermost first:
 *   socket lock     the data path of a stream (stream.h); never lock_sock()
 *   chunk->lock     slow path of STag invalidation
 *   shared->lock    head and parked list of a shared receive ring
 *   vector->lock    event ring producer, stalled list, control notices, poll's backlog
 *   admin.lock      admin ring consumer, spare completions
 * The last four are taken with interrupts disabled, so a doorbell may come from any
 * context. Only the socket lock is held during calls into TCP.
 */
#ifndef XIW_SOFT_H
#define XIW_SOFT_H

#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "ring/rnic.h"
#include "soft/pages.h"

enum xiw_soft_limit {
	XIW_SOFT_MAX_VECTORS = 8,
	XIW_SOFT_MAX_STREAMS = 65536,
	XIW_SOFT_MAX_CONNS = 65536,
	XIW_SOFT_MAX_LISTENERS = 4096,
	XIW_SOFT_MAX_SHARED_RX = 65536,
	XIW_SOFT_MAX_STAGS = 1 << 20,
	XIW_SOFT_STAG_CHUNKS = XIW_SOFT_MAX_STAGS / XIW_STAG_CHUNK,
	XIW_SOFT_MAX_GATHER = 16,
	XIW_SOFT_MAX_INLINE = 256,
	XIW_SOFT_MAX_DEPTH = 128,	/* IRD, ORD */
	XIW_SOFT_STAGING_MAX = 64 << 20, /* staged octets beyond each stream's floor */
};

struct xiw_soft;
struct xiw_soft_conn;
struct xiw_soft_listener;
struct xiw_soft_stream;
struct xiw_soft_cm;
struct xiw_soft_stag_chunk;

/* A control event that waits for room in the ring. The poster owns the notice. */
struct xiw_soft_notice {
	struct list_head node;
	struct xiw_event ev;
	bool queued;		/* vector->lock; if set, only the vector accesses the notice */
	/* optional; called under vector->lock when the ring has ev and the notice is free */
	void (*written)(struct xiw_soft *soft, struct xiw_soft_notice *notice);
};

/* A queue of streams to run, oldest first. */
struct xiw_soft_queue {
	struct llist_node *first, *last;
};

/* An interrupt vector: its event ring, and the streams that have work to do. */
struct xiw_soft_vector {
	struct xiw_soft *soft;
	u16 index;

	spinlock_t lock;		/* protects producer, stalled, notices, backlog */
	struct xiw_event *ring;
	u32 mask;
	u32 prod, cons;
	bool armed;
	atomic_t room;			/* entries that are neither written nor reserved */
	atomic_t claims;		/* room reserved for woken streams that have not run */
	struct list_head stalled;	/* streams that found no room, oldest first */
	struct list_head notices;

	struct llist_head work;		/* streams; any context may add one */
	struct xiw_soft_queue backlog;	/* streams that a poll has left; run these before work */
	bool crowded;			/* other streams wait for their turn; without a lock */
} ____cacheline_aligned_in_smp;

struct xiw_soft_shared_rx {
	spinlock_t lock;		/* protects head, parked and waiting */
	u8 *ring;
	struct xiw_shared_rx_ctx *ctx;
	u32 mask, head;
	u32 pd;				/* PD of the receives; streams may have other PDs */
	u8 log2_slot;
	struct list_head parked;	/* streams that wait for a receive, oldest first */
	u32 waiting;			/* length of parked; each stream has a claim on a receive */
	struct rcu_head rcu;
};

struct xiw_soft_admin {
	spinlock_t lock;		/* protects all members */
	u32 cons, seen;			/* consumer index; producer index of the last doorbell */
	u32 open;			/* consumed commands whose completion is not in the ring */
	bool busy;			/* a consumer is running */
	struct xiw_soft_notice *done;	/* one notice per ring entry */
	struct list_head spare;
};

struct xiw_soft {
	struct xiw_rnic *rnic;
	unsigned int nr_vectors;
	bool down;
	struct xiw_soft_vector *vector;
	struct xarray streams;
	struct xarray shared_rx;
	struct xarray conns;		/* conn.c */
	struct xarray listeners;	/* listen.c */
	struct xiw_soft_cm *cm;		/* conn.c */
	struct workqueue_struct *wq;	/* WQ_MEM_RECLAIM, because a disk may depend on it */
	struct xiw_soft_admin admin;
	struct xiw_match_row match[XIW_MATCH_ROWS];
	struct xiw_soft_stag_chunk **stags;	/* only grows */
	struct xiw_soft_pages __percpu *pages;	/* TX octets */
	struct xiw_stats_block __percpu *stats;	/* in host byte order */
	atomic_long_t staging;
	atomic_t nr_streams;		/* streams that are not freed yet */
};

#define xiw_soft_count(soft, field, n)					\
do {									\
	if (!IS_ENABLED(CONFIG_XIW_UNCOUNTED))				\
		this_cpu_add(*(u64 __force __percpu *)&(soft)->stats->field, n); \
} while (0)

static inline void *xiw_soft_va(__le64 bus)
{
	return (void *)(uintptr_t)le64_to_cpu(bus);
}

/* event.c */
int xiw_soft_event_create(struct xiw_soft *soft, u32 vector, const struct xiw_adm_ring *ring);
void xiw_soft_event_destroy(struct xiw_soft *soft, u32 vector);
void xiw_soft_event_consumed(struct xiw_soft *soft, u32 vector, u32 cons, bool arm);
bool xiw_soft_event_reserve(struct xiw_soft_vector *vec, unsigned int n);
void xiw_soft_event_cancel(struct xiw_soft_vector *vec, unsigned int n);
void xiw_soft_event_commit(struct xiw_soft_vector *vec, const struct xiw_event *ev, size_t size);
void xiw_soft_event_stall(struct xiw_soft_vector *vec, struct xiw_soft_stream *s, unsigned int n);
void xiw_soft_event_unstall(struct xiw_soft_vector *vec, struct xiw_soft_stream *s);
void xiw_soft_event_claimed(struct xiw_soft_vector *vec, struct xiw_soft_stream *s);
void xiw_soft_event_wake(struct xiw_soft_vector *vec);
void xiw_soft_notify(struct xiw_soft *soft, struct xiw_soft_notice *notice);
void xiw_soft_notice_cancel(struct xiw_soft *soft, struct xiw_soft_notice *notice);

/* admin.c */
int xiw_soft_admin_start(struct xiw_soft *soft);
void xiw_soft_admin_stop(struct xiw_soft *soft);
void xiw_soft_admin_rung(struct xiw_soft *soft, u32 producer);
void xiw_soft_admin_resume(struct xiw_soft *soft);
void xiw_soft_admin_done(struct xiw_soft *soft, u32 tag, enum xiw_status status);

/* conn.c: handles XIW_ADM_LISTEN to XIW_ADM_CONN_FREE; must not sleep, must copy cmd */
void xiw_soft_conn_command(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd);
int xiw_soft_conns_start(struct xiw_soft *soft);
void xiw_soft_conns_stop(struct xiw_soft *soft);

#endif
