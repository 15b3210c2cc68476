/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The operations of an RNIC, called from above the RNIC interface. All other communication passes
 * through the rings of uapi/rnic/xiw_rnic.h.
 *
 * Ownership: the driver owns all ring, context and table memory. The driver frees this memory only
 * after the RNIC has stopped, or after the admin command that revokes the memory has completed. The
 * RNIC owns its sockets, its timers and all memory that it allocates itself.
 */
#ifndef XIW_RNIC_OPS_H
#define XIW_RNIC_OPS_H

#include <linux/bottom_half.h>
#include <linux/types.h>
#include <rnic/xiw_rnic.h>

#include "diag/inject.h"
#include "ring/order.h"

struct device;
struct net;
struct net_device;
struct socket;
struct xiw_capture;
struct xiw_recording;
struct xiw_rnic;

/* State of the TCP connection of a stream. */
struct xiw_rnic_tcp {
	u32 rtt_us, rtt_var_us;
	u32 mss;		/* octets */
	u32 cwnd;		/* segments */
	u32 peer_window;	/* receive window of the peer, in octets */
	u32 retransmits;	/* retransmitted segments since the connection was created */
	u32 tx_queue;		/* octets that the peer has not acknowledged */
	u32 rx_queue;		/* octets that the RNIC has not read */
	u8 cipher;		/* TLS: enum xiw_nl_tls_cipher + 1; 0: no TLS */
	char congestion[16];	/* name of the congestion control */
};

/* A register of an RNIC, for display only. */
struct xiw_register {
	const char *name;
	u64 value;
};

/*
 * Begin and end a section in which the RNIC raises vectors in a task. The polls of these vectors
 * run in xiw_raise_end(), and need no switch to another task (ring/vector.h). So the task must hold
 * no lock that a poll or a handler takes. A task that has already disabled BH may hold these locks
 * in the section, because the polls run later, when the task enables BH. On PREEMPT_RT, these
 * functions do nothing, because the polls would run with the priority of the task.
 */
static inline void xiw_raise_begin(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_bh_disable();
}

static inline void xiw_raise_end(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		local_bh_enable();
}

struct xiw_rnic_ops {
	const char *name;	/* "soft" or "pci" */
	u8 kind;		/* enum xiw_nl_kind */
	u32 inject_kinds;	/* set of BIT(enum xiw_nl_inject) that the RNIC supports */
	u8 tx_log2_units;	/* log2 of the units of each TX ring, 4 or more */
	u8 rx_log2_size;	/* log2 of the max octets of a user's RX ring, 12 to 31 */
	/*
	 * Time limit in seconds. An admin command must complete within this time. A stream must
	 * stop within this time after XIW_ORDER_TERMINATE or XIW_ORDER_ABORT. A connect or accept
	 * must have an outcome within this time plus startup_ms. When a limit expires, the driver
	 * fails the device. 0: no time limit, for an RNIC that runs on the CPUs of the host,
	 * because a busy host also delays this RNIC.
	 */
	u16 admin_seconds;

	/*
	 * Start the RNIC. In: rnic->admin_ring (XIW_ADMIN_SIZE << admin_log2 octets, zeroed).
	 * Out: rnic->caps. Process context, may sleep.
	 */
	int (*start)(struct xiw_rnic *rnic);

	/*
	 * Reset the RNIC. On return, the RNIC accesses no memory of the driver and raises no
	 * vector. Process context, may sleep, bounded.
	 */
	void (*stop)(struct xiw_rnic *rnic);

	/*
	 * Handle the end of the device. Called even if start() was never called. The driver no
	 * longer uses the RNIC. start() may follow for another device. Process context. NULL if
	 * there is nothing to do.
	 */
	void (*ended)(struct xiw_rnic *rnic);

	/*
	 * Ring a doorbell. Any context, with any lock held except those of the RNIC. The software
	 * RNIC may transmit before the call returns, and the poll of a vector may run at the end of
	 * this transmission (ring/vector.h).
	 *
	 * Ring XIW_DB_ADMIN only in process context, with interrupts enabled and no spinlock held,
	 * between xiw_raise_begin() and xiw_raise_end(). In this doorbell, the software RNIC
	 * executes commands, including those of other tasks, and must not be preempted.
	 */
	void (*doorbell)(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value);

	/*
	 * Do deferred work of the RNIC, in the poll of a vector (softirq). Returns the amount of
	 * work, less than @budget if no work is left. NULL if the RNIC has no deferred work.
	 */
	int (*poll)(struct xiw_rnic *rnic, unsigned int vector, int budget);

	/*
	 * Allocate memory that the RNIC can access: zeroed, and aligned to its size or to a page,
	 * whichever is less. Process context; gfp is GFP_NOIO on I/O paths.
	 */
	void *(*alloc)(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp);
	void (*free)(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus);

	/* Read the statistics; all are zero before the first start(). Process context. */
	void (*stats)(struct xiw_rnic *rnic, struct xiw_stats_block *stats);

	/*
	 * Read the TCP state of a stream. Returns false if the stream has no connection. Any
	 * context, with any lock held except those of the RNIC. NULL if the driver has no access to
	 * the TCP of the RNIC.
	 */
	bool (*tcp)(struct xiw_rnic *rnic, u32 stream, struct xiw_rnic_tcp *tcp);

	/*
	 * Choose the congestion control of new connections, before or after start(). "" chooses
	 * TCP's default. Returns 0, -ENOENT for an unknown name, or another error. After any error,
	 * the earlier choice stays. Process context, may sleep; calls do not overlap. NULL if the
	 * driver has no access to the TCP of the RNIC.
	 */
	int (*congestion)(struct xiw_rnic *rnic, char *name);

	/* True if the RNIC supports TLS. The RNIC reads rnic->tls when a connection begins. */
	bool tls;

	/*
	 * Copy the flight recorder of a stream; the copy is empty if the stream does not exist. Any
	 * context, with any lock held except those of the RNIC. NULL if the RNIC records no
	 * segments; the driver then records descriptors and events.
	 */
	void (*recording)(struct xiw_rnic *rnic, u32 stream, struct xiw_recording *recording);

	/*
	 * Read up to @max registers. Returns the number of registers. Process context. NULL if the
	 * RNIC has no registers to display.
	 */
	unsigned int (*registers)(struct xiw_rnic *rnic, struct xiw_register *list,
				  unsigned int max);

	/* Handle a link event of the RNIC. Softirq. NULL if there is nothing to do. */
	void (*link)(struct xiw_rnic *rnic, bool up);

	/*
	 * Handle a change of the addresses of the interface. Any context. NULL if the RNIC does not
	 * need the addresses.
	 */
	void (*addresses_changed)(struct xiw_rnic *rnic);

	/*
	 * Wait until the RNIC has the addresses of its interface, before a connection or a
	 * listener is created. Process context. NULL if the RNIC always has the addresses.
	 */
	void (*settle)(struct xiw_rnic *rnic);
};

struct xiw_rnic {
	const struct xiw_rnic_ops *ops;
	struct net_device *netdev;	/* the driver's reference lasts until stop() returns */
	u64 net_cookie;			/* cookie of the namespace in which the RNIC was added */
	struct device *dma_device;	/* for DMA; NULL: bus addresses are kernel addresses */
	struct xiw_rnic_caps caps;
	struct xiw_admin_cmd *admin_ring;
	u64 admin_bus;
	u8 admin_log2;
	void *priv;			/* data of the RNIC; NULL while it is not started */
	struct xiw_capture __rcu *capture;	/* receives copies of segments, see capture.h */
	struct xiw_injector injector;
	/*
	 * Congestion control that ops->congestion() has chosen; "" is TCP's default.
	 * congestion_keeper holds a reference on the module of the congestion control. The lock in
	 * soft/congestion.c protects both members.
	 */
	char congestion[16];
	struct socket *congestion_keeper;
	u8 tls;				/* enum xiw_nl_tls; 0 unless ops->tls is set */
};

static inline void xiw_rnic_settle(struct xiw_rnic *rnic)
{
	if (rnic->ops->settle)
		rnic->ops->settle(rnic);
}

static inline void xiw_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index,
				u32 value)
{
	rnic->ops->doorbell(rnic, kind, index, value);
}

/**
 * xiw_rnic_interrupt - schedule the poll of a vector
 * @rnic: RNIC, which has events or deferred work for the vector
 * @vector: index of the vector; an index that does not exist is ignored
 *
 * Context: any, no lock needed. The call is cheap if the poll is scheduled already.
 */
void xiw_rnic_interrupt(struct xiw_rnic *rnic, unsigned int vector);

extern const struct xiw_rnic_ops xiw_soft_ops;

#endif
