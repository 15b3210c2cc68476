/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Counters of the RDMA core, to which "rdma statistic qp" binds QPs.
 *
 * A stream always counts its messages (traffic.h). When a counter is read, the driver adds the new
 * messages of the counter's QPs to the counter. When a QP is unbound, the driver adds the new
 * messages of this QP. The driver subtracts all counters from the values of the port, because the
 * core adds the counters to these values.
 *
 * Locks: the core holds rdma_counter.lock when it binds or unbinds a QP, and when it updates a
 * counter. The device's counted_lock is taken under rdma_counter.lock, and the QP's locks are taken
 * under counted_lock. counted_lock protects the counts and the lists of QPs.
 */
#ifndef XIW_QP_COUNTER_H
#define XIW_QP_COUNTER_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

struct xiw_device;
struct xiw_messages;
struct xiw_qp;

struct xiw_rdma_counter {
	struct rdma_counter base;
};

struct rdma_hw_stats *xiw_counter_alloc_stats(struct rdma_counter *counter);
int xiw_counter_update_stats(struct rdma_counter *counter);
int xiw_counter_dealloc(struct rdma_counter *counter);

struct rdma_hw_stats *xiw_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int xiw_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

/*
 * Call xiw_qp_counter_settle() before, and xiw_qp_counter_restart() after, the reset of a QP. The
 * reset sets the counts of the QP to zero. The caller holds the device's counted_lock during the
 * reset and the restart, so that no reader uses the new counts of the QP before the restart.
 * Process context.
 */
void xiw_qp_counter_settle(struct xiw_qp *qp);
void xiw_qp_counter_restart(struct xiw_qp *qp);

#endif
