/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The software RNIC: the rings of xiw_rnic.h over kernel TCP sockets.
 *
 * Locks of the data path, outermost first:
 *   socket lock     the data path of a stream; stream.h describes this lock
 *   state_lock      the state of a stream, as reported to the driver
 *   chunk->lock     writes to the entries of a chunk of the STag table
 *   shared->lock    a shared receive ring, and the streams that wait for its receives
 *   vector->lock    an event ring, its notices, and the streams that wait for room in the ring
 *   admin.lock      the consumer index of the admin ring, and the free notices
 * All of them except the socket lock are taken with interrupts disabled, so each doorbell except
 * XIW_DB_ADMIN may be rung in any context. Only the socket lock is held during calls into TCP.
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
	XIW_SOFT_STAGING_MAX = 64 << 20, /* staged octets of all streams beyond stage_floor() */
};

struct xiw_soft;
struct xiw_soft_conn;
struct xiw_soft_listener;
struct xiw_soft_stream;
struct xiw_soft_cm;
struct xiw_soft_stag_chunk;

/* A control event, which waits for room in the event ring. Its poster owns the notice. */
struct xiw_soft_notice {
	struct list_head node;
	struct xiw_event ev;
	bool queued;		/* under vector->lock; while set, only the vector uses the notice */
	/* optional; called under vector->lock when ev is in the ring and the notice is free */
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

	spinlock_t lock;		/* protects prod, cons, armed, stalled, notices, backlog */
	struct xiw_event *ring;
	u32 mask;
	u32 prod, cons;
	bool armed;
	atomic_t room;			/* free entries that are not reserved */
	atomic_t claims;		/* entries kept for woken streams that have not run yet */
	struct list_head stalled;	/* streams that wait for room, longest wait first */
	struct list_head notices;

	struct llist_head work;		/* streams to run; any context may add a stream */
	/* Streams left by a poll. The next poll runs them before the streams in work. */
	struct xiw_soft_queue backlog;
	bool crowded;			/* more streams wait to run; accessed without a lock */
} ____cacheline_aligned_in_smp;

struct xiw_soft_shared_rx {
	spinlock_t lock;		/* protects head, the lists and their lengths */
	u8 *ring;
	struct xiw_shared_rx_ctx *ctx;
	u32 mask, head;
	u32 pd;				/* PD of the receives; the streams may have other PDs */
	u8 log2_slot;
	struct list_head parked;	/* streams that wait for a receive, longest wait first */
	struct list_head roused;	/* streams woken for a receive that have not run yet */
	u32 waiting;			/* streams in parked or roused; each claims one receive */
	u32 woken;			/* length of roused */
	struct rcu_head rcu;
};

struct xiw_soft_admin {
	spinlock_t lock;		/* protects all members */
	u32 cons, seen;			/* consumer index; newest producer index of a doorbell */
	u32 open;			/* consumed commands whose completion is not written */
	bool busy;			/* a context executes commands */
	struct xiw_soft_notice *done;	/* array of notices, one per entry of the admin ring */
	struct list_head spare;
};

struct xiw_soft {
	struct xiw_rnic *rnic;
	unsigned int nr_vectors;
	bool down;
	struct xiw_soft_vector *vector;
	struct xarray streams;
	struct xarray shared_rx;
	struct xarray conns;		/* connections, by slot (conn.h) */
	struct xarray listeners;	/* listeners, by index (listen.h) */
	struct xiw_soft_cm *cm;		/* command.h */
	struct workqueue_struct *wq;	/* WQ_MEM_RECLAIM: memory reclaim may wait for its work */
	struct xiw_soft_admin admin;
	struct xiw_match_row match[XIW_MATCH_ROWS];
	struct xiw_soft_stag_chunk **stags;	/* chunks of the STag table; none is removed */
	struct xiw_soft_pages __percpu *pages;	/* pages for FPDUs that are passed to TCP */
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

/* command.c; xiw_soft_conn_command() copies @cmd, and does not sleep */
void xiw_soft_conn_command(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd);
void xiw_soft_conn_dispatch(struct xiw_soft *soft);
void xiw_soft_conn_dispatch_later(struct xiw_soft *soft);
int xiw_soft_conns_start(struct xiw_soft *soft);
void xiw_soft_conns_stop(struct xiw_soft *soft);

#endif
