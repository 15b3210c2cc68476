/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The wall, seen from above: what the driver calls an RNIC for. Everything else
 * passes through the rings of uapi/rnic/xiw_rnic.h.
 *
 * Ownership: the driver owns all ring, context and table memory and keeps it
 * until the admin command that takes it from the RNIC has completed (or the
 * RNIC is stopped). The RNIC owns sockets, timers and its own shadows.
 */
#ifndef XIW_RNIC_OPS_H
#define XIW_RNIC_OPS_H

#include <linux/types.h>
#include <rnic/xiw_rnic.h>

#include "diag/inject.h"
#include "ring/order.h"

struct device;
struct net;
struct net_device;
struct xiw_capture;
struct xiw_recording;
struct xiw_rnic;

/* Free-running totals; the RNIC adds them up when asked. */
struct xiw_rnic_stats {
	u64 tx_fpdus, tx_octets, rx_fpdus, rx_octets;
	u64 tx_sends;		/* hand-overs to TCP; tx_fpdus / tx_sends = batch */
	u64 crc_errors, framing_errors;
	u64 rx_dropped;		/* FPDUs refused for an error in them, those two included */
	u64 rx_staged;		/* FPDUs that were split across buffers */
	u64 rx_parked;		/* times a stream waited for a receive */
	u64 event_stalls;	/* times an event ring was full */
	u64 startup_errors;	/* MPA startup frames that were refused */
	u64 startup_timeouts;	/* connection setups that took too long */
	u64 interrupts;		/* of a device; the software RNIC has none */
	u64 doorbells;
	u64 tx_messages[XIW_MATCH_ROWS];	/* by RDMAP opcode */
	u64 rx_messages[XIW_MATCH_ROWS];
};

/* What TCP says of a connection now. */
struct xiw_rnic_tcp {
	u32 rtt_us, rtt_var_us;
	u32 mss;		/* octets */
	u32 cwnd;		/* segments */
	u32 peer_window;	/* octets that the peer takes */
	u32 retransmits;	/* segments, since it was made */
	u32 tx_queue;		/* octets not acknowledged */
	u32 rx_queue;		/* octets that the RNIC has not taken */
};

/* What a device says of itself, for people. */
struct xiw_register {
	const char *name;
	u64 value;
};

struct xiw_rnic_ops {
	const char *name;	/* "soft", "pci" */
	u8 kind;		/* enum xiw_nl_kind */
	u32 faults;		/* BIT(enum xiw_nl_fault): it asks the injector for these */
	u8 tx_log2_units;	/* of each TX ring: what is worth its memory, 4 or more */
	/*
	 * An admin command that is not answered for so long fails the device. 0: no limit;
	 * the RNIC runs on the host's CPUs, and is late when the host is.
	 */
	u16 admin_seconds;

	/*
	 * Bring up. In: rnic->admin_ring (XIW_ADMIN_SIZE << admin_log2 octets,
	 * zeroed). Out: rnic->caps. Process context, may sleep.
	 */
	int (*start)(struct xiw_rnic *rnic);

	/*
	 * Reset: on return the RNIC touches no memory of the driver and raises
	 * no vector. Process context, may sleep, bounded.
	 */
	void (*stop)(struct xiw_rnic *rnic);

	/*
	 * A posted write. Any context, any lock but those of the RNIC; the
	 * software RNIC may run TX before it returns (never raises a CQ).
	 */
	void (*doorbell)(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value);

	/*
	 * Deferred work of the RNIC itself, from the vector's poll in softirq;
	 * NULL if it has none. Returns the work done, below budget when idle.
	 */
	int (*poll)(struct xiw_rnic *rnic, unsigned int vector, int budget);

	/*
	 * Memory the RNIC can master, zeroed, aligned to its size up to a page.
	 * Process context; gfp as given (NOIO on I/O paths).
	 */
	void *(*alloc)(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp);
	void (*free)(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus);

	/* Process context. */
	void (*stats)(struct xiw_rnic *rnic, struct xiw_rnic_stats *stats);

	/*
	 * Of a stream's connection; false: it has none. Any context, any lock but those
	 * of the RNIC. NULL: TCP is the device's own.
	 */
	bool (*tcp)(struct xiw_rnic *rnic, u32 stream, struct xiw_rnic_tcp *tcp);

	/*
	 * The last segments of a stream; none if it is not known. Context as above. NULL:
	 * nobody sees them, and the driver records what crosses the ring.
	 */
	void (*recording)(struct xiw_rnic *rnic, u32 stream, struct xiw_recording *recording);

	/* Up to max registers. Process context. Return: how many. NULL: it has none. */
	unsigned int (*registers)(struct xiw_rnic *rnic, struct xiw_register *list,
				  unsigned int max);

	/* Its link has changed, as it said itself; softirq. NULL: nobody need know. */
	void (*link)(struct xiw_rnic *rnic, bool up);

	/*
	 * Before a connection or a listener: wait until the RNIC knows the addresses of
	 * its interface. Process context. NULL: it always does.
	 */
	void (*settle)(struct xiw_rnic *rnic);
};

struct xiw_rnic {
	const struct xiw_rnic_ops *ops;
	struct net_device *netdev;	/* held by the driver until stop() returned */
	struct device *dma_device;	/* masters memory; NULL: bus address = kernel address */
	struct xiw_rnic_caps caps;
	struct xiw_admin_cmd *admin_ring;
	u64 admin_bus;
	u8 admin_log2;
	void *priv;			/* of the RNIC; NULL while it is not started */
	struct xiw_capture __rcu *capture;	/* who is shown what passes, capture.h */
	struct xiw_injector injector;
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
 * xiw_rnic_interrupt - an RNIC has events or deferred work for a vector
 * @rnic: the RNIC
 * @vector: 0 to number of vectors - 1; a device may raise others, they do nothing
 *
 * Schedules the vector's poll. Any context, no locks needed; cheap when the
 * poll is scheduled already.
 */
void xiw_rnic_interrupt(struct xiw_rnic *rnic, unsigned int vector);

extern const struct xiw_rnic_ops xiw_soft_ops;

#endif
