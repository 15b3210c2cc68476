/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The device: one ib_device over one RNIC.
 *
 * Lifetime: xiw_device_add() creates the device. When the device is unregistered, ib_core waits
 * until all QPs, CQs, MRs and listeners are destroyed, and then calls dealloc_driver(), which stops
 * the device. The RNIC is started before registration and stopped after all objects are destroyed.
 * So the driver may call the operations of the RNIC while any verbs object exists.
 *
 * Mutexes, outermost first (spinlocks are taken inside mutexes):
 *  CQ.walk -> QP.reset
 *  QP.reset -> counted_lock; rdma_counter.lock of the core -> counted_lock
 *  QP.reset -> peer_lock
 *  QP.reset -> PD.window_lock
 *  the lock of links (link.c) -> stag_lock, if a client of ib_core gets an MR during registration
 *  stag_lock and config_lock: no mutex of this list is taken inside
 * QP.reset, peer_lock, PD.window_lock, stag_lock and the lock of links are held across admin
 * commands.
 *
 * Spinlocks, outermost first:
 *  QP.lock -> PEER.lock (peer.h)
 *  iw_cm's lock of a connection -> xa_lock(qps), for the look-up of a QP
 *  xa_lock(qps) -> CONN.lock and the locks of a QP, for walks over the QPs
 *  xa_lock(conns) -> CONN.lock and the locks of a QP, for walks over the connections
 *  QP.lock -> QP.sq_lock -> CQ.lock
 *  QP.lock -> QP.rq_lock -> CQ.lock
 *  SRQ.lock -> CQ.lock
 *  QP.sq_lock -> xa_lock(QP.bound)
 *  vector.lookup, listener.lock, admin.lock, gid_lock, xa_lock(QP.bound), xa_lock(PD.windows),
 *  xa_lock(shares.users): no lock is taken inside
 * Exception: the lock of the events (notice.h) may be taken inside any of these locks.
 *
 * The locks of a QP, CQ, SRQ, connection and listener disable interrupts, because verbs may be
 * called in any context. xa_lock(QP.bound) also disables interrupts. The locks of other arrays and
 * the admin ring disable bottom halves, except xa_lock(PD.windows) and xa_lock(shares.users), which
 * disable nothing. No spinlock is held when a doorbell of the software RNIC is rung, because the
 * software RNIC may transmit inside the doorbell. The poll of a CQ's vector calls the handler of
 * the CQ, with no lock held.
 */
#ifndef XIW_H
#define XIW_H

#include <linux/completion.h>
#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "config.h"
#include "diag/traffic.h"
#include "ring/admin.h"
#include "ring/rnic.h"
#include "ring/share.h"

struct xiw_vector;
struct xiw_counters;
struct xiw_latency;
struct xiw_notices;

/*
 * The kernel has no id for this driver yet. The private id is "xiw0" in ASCII. It is too large to
 * collide with the sequential ids of enum rdma_driver_id.
 */
#define XIW_DRIVER_ID ((enum rdma_driver_id)0x78697730)
#define XIW_UVERBS_ABI 1

#define XIW_MAX_QP_WR 16384
#define XIW_MAX_CQE 262144
/*
 * CQs and PDs have no table in the RNIC, so only memory limits their number. The driver reports
 * limits far below INT_MAX, so that a program can add to a limit without an overflow.
 */
#define XIW_MAX_CQ 0x100000
#define XIW_MAX_PD 0x100000
#define XIW_MAX_STAGS 0x1000000	/* an STag contains a 24-bit index */
#define XIW_MAX_INDEXES 0x1000000	/* a doorbell contains a 24-bit index */
#define XIW_MAX_PAGE_LIST 1024	/* max pages of one fast registration */
#define XIW_GID_ADDRESSES 30	/* max GIDs that are IP addresses of the interface, gid.h */

/* Types of objects that a device counts, for leak checks and the device dump. */
enum xiw_object {
	XIW_OBJ_PD,
	XIW_OBJ_CQ,
	XIW_OBJ_QP,
	XIW_OBJ_SRQ,
	XIW_OBJ_MR,
	XIW_OBJ_MW,
	XIW_OBJ_CONN,
	XIW_OBJ_LISTENER,
	XIW_OBJ_COUNT,
};

struct xiw_device {
	struct ib_device ibdev;
	struct xiw_rnic rnic;
	struct net_device *netdev;	/* with a reference, which netdev_tracker tracks */
	netdevice_tracker netdev_tracker;
	struct net_device *poll_dev;	/* has the NAPI instances; carries no packets */
	struct xiw_vector *vectors;
	unsigned int num_vectors;
	struct workqueue_struct *wakers;	/* schedules polls on behalf of tasks, vector.h */
	struct xiw_admin admin;
	struct xiw_match_row *match;
	u64 match_bus;

	struct xarray qps;		/* stream index -> struct xiw_qp */
	struct xarray srqs;		/* index of a shared RX ring -> struct xiw_srq */
	struct xarray conns;		/* connection slot -> struct xiw_conn */
	struct xarray listeners;	/* listener index -> struct xiw_listener */
	u32 next_qp, next_srq, next_conn, next_listener, next_pd;	/* next index to try */
	atomic_t next_generation;	/* generation of the newest connection */
	struct xiw_shares shares;	/* shares of users in the tables of the RNIC */

	struct xarray pds;		/* id of a PD (as in STags and streams) -> struct xiw_pd */
	struct ida stags;		/* STag indexes in use */
	struct mutex stag_lock;		/* held while the STag table grows */
	struct xiw_stag_entry **stag_chunks;
	u64 *stag_chunk_bus;
	u32 stag_chunk_count;		/* chunks that the RNIC has; read by smp_load_acquire() */

	struct mutex peer_lock;		/* protects peer_ports, peer.h */
	struct list_head peer_ports;	/* list of struct xiw_peer_port */

	spinlock_t gid_lock;		/* protects gids; no lock is taken inside */
	union ib_gid gids[XIW_GID_ADDRESSES];	/* a free entry is zero */
	struct work_struct gid_work;	/* updates gids, and reports GID changes */

	struct mutex config_lock;	/* serializes writers of config */
	struct xiw_config config;
	struct xiw_counters __percpu *counters;
	struct mutex counted_lock;	/* qp_counter.h */
	struct xiw_messages counted;	/* minus the messages moved to counters of QPs */
	struct xarray counted_qps;	/* id of a counter -> list of its QPs, qp_counter.c */
	struct xiw_notices *notices;
	struct xiw_latency __percpu *latency;	/* NULL until the first measurement */
	atomic_t objects[XIW_OBJ_COUNT];
	atomic_t failed;		/* 1: the RNIC has failed, or the device is being stopped */
	struct workqueue_struct *wq;	/* work that waits for the RNIC; overruns of kernel CQs */
	struct workqueue_struct *user_wq; /* work that waits for a user or for memory of a user */
	struct work_struct fail_work;	/* resets the RNIC and ends its streams and connections */
	struct completion reset;	/* done when the RNIC no longer accesses memory */
	struct list_head link;		/* entry in xiw_devices, device.c */
	struct task_struct *registering; /* NULL or task in ib_register_device(); only compared */
};

static inline struct xiw_device *to_xiw_device(struct ib_device *ibdev)
{
	return container_of(ibdev, struct xiw_device, ibdev);
}

static inline struct xiw_device *xiw_device_of(struct xiw_rnic *rnic)
{
	return container_of(rnic, struct xiw_device, rnic);
}

static inline u32 xiw_cap(const struct xiw_device *dev)
{
	return le32_to_cpu(dev->rnic.caps.caps);
}

/**
 * xiw_device_enabling - check whether the current task is registering a device
 * @dev: device
 *
 * ib_register_device() calls the clients of ib_core in the same task, so a client may call the
 * driver before the registration is complete.
 *
 * Context: process.
 *
 * Return: true if the caller runs in ib_register_device().
 */
static inline bool xiw_device_enabling(struct xiw_device *dev)
{
	return READ_ONCE(dev->registering) == current;
}

int xiw_device_add(const char *name, struct net_device *netdev,
		   const struct xiw_rnic_ops *ops, struct device *dma_device, u32 max_vectors);
void xiw_device_remove(struct net_device *netdev);
void xiw_device_halt(struct net_device *netdev, const char *why);
void xiw_device_fail(struct xiw_device *dev, const char *why);
struct xiw_device *xiw_device_next(struct net *net, u32 *cursor);
void xiw_device_put(struct xiw_device *dev);
int xiw_recovery_init(void);
void xiw_recovery_exit(void);
int xiw_netdev_init(void);
void xiw_netdev_exit(void);

extern const struct ib_device_ops xiw_device_ops;

#endif
