// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The ib_device: attributes, port, creation and removal. */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/jhash.h>
#include <linux/rtnetlink.h>
#include <linux/sched/mm.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>

#include "cm/cm.h"
#include "core/opcode.h"
#include "core/wire.h"
#include "diag/capture.h"
#include "diag/counters.h"
#include "diag/latency.h"
#include "diag/notice.h"
#include "queue/cq.h"
#include "queue/srq.h"
#include "queue/user.h"
#include "queue/wr.h"
#include "rdmap/stream.h"
#include "ring/namespace.h"
#include "ring/vector.h"
#include "verbs/gid.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "verbs/qp_counter.h"
#include "verbs/restrack.h"
#include "xiw.h"

#define XIW_VENDOR_ID 0x786977	/* the letters "xiw", not an assigned OUI */
#define XIW_VENDOR_PART_ID 0x7306
#define XIW_MATCH_SIZE (XIW_MATCH_ROWS * sizeof(struct xiw_match_row))
#define XIW_ADMIN_RING_SIZE ((size_t)XIW_ADMIN_SIZE << XIW_ADMIN_LOG2)

static LIST_HEAD(xiw_devices);
static DEFINE_SPINLOCK(xiw_devices_lock);

/*
 * Workqueue for the resets of failed devices. It runs nothing else, so that no reset waits behind a
 * work item that itself waits for a reset.
 */
static struct workqueue_struct *xiw_recovery_wq;

/* ------------------------------------------------------------------- queries */

static int xiw_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibdev);
	const struct xiw_rnic_caps *caps = &dev->rnic.caps;

	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = xiw_user_mr_size_max(dev);
	attr->page_size_cap = ~0ULL << PAGE_SHIFT;
	attr->vendor_id = XIW_VENDOR_ID;
	attr->vendor_part_id = XIW_VENDOR_PART_ID;
	attr->max_qp = le32_to_cpu(caps->max_streams) - 2;
	attr->max_qp_wr = XIW_MAX_QP_WR;
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG;
	attr->max_send_sge = caps->max_gather;
	attr->max_recv_sge = caps->max_gather;
	attr->max_sge_rd = 1;
	attr->max_cq = XIW_MAX_CQ;
	attr->max_cqe = XIW_MAX_CQE;
	attr->max_mr = le32_to_cpu(caps->max_stags) - 1;
	if (xiw_cap(dev) & XIW_CAP_WINDOW) {
		attr->device_cap_flags |= IB_DEVICE_MEM_WINDOW_TYPE_2B;
		attr->max_mw = attr->max_mr;
	}
	attr->max_pd = XIW_MAX_PD;
	attr->max_qp_rd_atom = min_t(int, le16_to_cpu(caps->max_ird), 255);
	attr->max_qp_init_rd_atom = min_t(int, le16_to_cpu(caps->max_ord), 255);
	attr->max_res_rd_atom = min_t(u64, (u64)attr->max_qp * attr->max_qp_rd_atom, INT_MAX);
	if (xiw_cap(dev) & XIW_CAP_ATOMIC) {
		attr->atomic_cap = xiw_cap(dev) & XIW_CAP_ATOMIC_GLOB ? IB_ATOMIC_GLOB :
									 IB_ATOMIC_HCA;
		attr->masked_atomic_cap = attr->atomic_cap;
	}
	if (xiw_cap(dev) & XIW_CAP_SHARED_RX) {
		attr->max_srq = le32_to_cpu(caps->max_shared_rx);
		attr->max_srq_wr = XIW_MAX_QP_WR;
		attr->max_srq_sge = caps->max_gather;
	}
	attr->max_fast_reg_page_list_len = XIW_MAX_PAGE_LIST;
	attr->max_pkeys = 1;
	/* Timestamps of completions are in nanoseconds. */
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = 1000000;
	return 0;
}

static int xiw_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct xiw_device *dev = to_xiw_device(ibdev);

	/* ib_core has zeroed attr. */
	attr->state = ib_get_curr_port_state(dev->netdev);
	attr->phys_state = attr->state == IB_PORT_ACTIVE ? IB_PORT_PHYS_STATE_LINK_UP :
							   IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = ib_mtu_int_to_enum(READ_ONCE(dev->netdev->mtu));
	attr->active_mtu = attr->max_mtu;
	attr->gid_tbl_len = XIW_GIDS;
	attr->pkey_tbl_len = 1;
	attr->port_cap_flags = IB_PORT_CM_SUP | IB_PORT_DEVICE_MGMT_SUP;
	attr->max_msg_sz = le32_to_cpu(dev->rnic.caps.max_message);
	return ib_get_eth_speed(ibdev, port, &attr->active_speed, &attr->active_width);
}

static int xiw_get_port_immutable(struct ib_device *ibdev, u32 port,
				  struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = XIW_GIDS;
	immutable->pkey_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	return 0;
}

static int xiw_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = 0xffff;
	return 0;
}

static void xiw_get_fw_str(struct ib_device *ibdev, char *str)
{
	struct xiw_device *dev = to_xiw_device(ibdev);

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%s-%s", dev->rnic.ops->name, XIW_VERSION);
}

/* ---------------------------------------------------------- stop and failure */

static void xiw_device_free_stags(struct xiw_device *dev)
{
	size_t size = XIW_STAG_CHUNK * sizeof(struct xiw_stag_entry);
	u32 i;

	for (i = 0; i < dev->stag_chunk_count; i++)
		dev->rnic.ops->free(&dev->rnic, size, dev->stag_chunks[i], dev->stag_chunk_bus[i]);
	kvfree(dev->stag_chunks);
	kvfree(dev->stag_chunk_bus);
}

/* Undo xiw_device_start(), even if xiw_device_start() has failed at one of its steps. */
static void xiw_device_stop(struct xiw_device *dev)
{
	struct xiw_rnic *rnic = &dev->rnic;
	int i;

	cancel_work_sync(&dev->gid_work);
	xiw_cm_device_stops(dev);
	if (dev->user_wq)
		destroy_workqueue(dev->user_wq);
	/*
	 * Wait until all connections have freed their slots. A flush alone is not sufficient,
	 * because the poll or a new work item may drop the last reference to a connection
	 * afterwards. After the wait, the work item that has dropped the last reference may still
	 * be running, so a flush is also necessary.
	 */
	wait_var_event(&dev->objects[XIW_OBJ_CONN], !atomic_read(&dev->objects[XIW_OBJ_CONN]));
	if (dev->wq)
		flush_workqueue(dev->wq);
	/* Set dev->failed, so that a later failure does not reset the RNIC. */
	if (atomic_xchg(&dev->failed, 1)) {
		/*
		 * The task that has set dev->failed may not have queued fail_work yet, so
		 * flush_work() alone is not sufficient.
		 */
		wait_for_completion(&dev->reset);
		flush_work(&dev->fail_work);
		if (dev->wq)
			flush_workqueue(dev->wq);
	}
	if (rnic->priv)
		rnic->ops->stop(rnic);
	complete_all(&dev->reset);
	xiw_vectors_remove(dev);
	if (dev->poll_dev)
		free_netdev(dev->poll_dev);
	if (dev->wq)
		destroy_workqueue(dev->wq);
	xiw_device_free_stags(dev);
	if (dev->match)
		rnic->ops->free(rnic, XIW_MATCH_SIZE, dev->match, dev->match_bus);
	if (rnic->admin_ring)
		rnic->ops->free(rnic, XIW_ADMIN_RING_SIZE, rnic->admin_ring, rnic->admin_bus);
	free_percpu(dev->counters);
	xiw_capture_remove(dev);
	xiw_notices_remove(dev);
	xiw_latency_remove(dev);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->conns);
	xa_destroy(&dev->listeners);
	xiw_shares_remove(&dev->shares);
	xa_destroy(&dev->pds);
	ida_destroy(&dev->stags);
	xa_destroy(&dev->counted_qps);
	for (i = 0; i < XIW_OBJ_COUNT; i++)
		WARN_ON(atomic_read(&dev->objects[i]));
	if (rnic->ops->ended)
		rnic->ops->ended(rnic);
	netdev_put(dev->netdev, &dev->netdev_tracker);
}

static void xiw_dealloc_driver(struct ib_device *ibdev)
{
	struct xiw_device *dev = to_xiw_device(ibdev);

	spin_lock(&xiw_devices_lock);
	list_del(&dev->link);
	spin_unlock(&xiw_devices_lock);
	xiw_device_stop(dev);
}

static void xiw_device_fail_work(struct work_struct *work)
{
	struct xiw_device *dev = container_of(work, struct xiw_device, fail_work);

	/* Stop the RNIC first: complete and free nothing while the RNIC may access memory. */
	dev->rnic.ops->stop(&dev->rnic);
	complete_all(&dev->reset);
	xiw_admin_failed(dev);
	xiw_qps_end(dev, xiw_stream_dead);
	xiw_cm_device_failed(dev);
}

/**
 * xiw_device_fail - fail a device
 * @dev: device
 * @why: reason for the kernel log and the event; ignored if the device has already failed
 *
 * Queues the work item that resets the RNIC, ends all streams and connections, and wakes all
 * waiters. The device remains until it is removed.
 *
 * Context: any.
 */
void xiw_device_fail(struct xiw_device *dev, const char *why)
{
	struct ib_event event = { .device = &dev->ibdev, .event = IB_EVENT_DEVICE_FATAL };

	if (atomic_xchg(&dev->failed, 1))
		return;
	ibdev_err(&dev->ibdev, "device failed: %s\n", why);
	xiw_notice_device_failed(dev, why);
	event.element.port_num = 1;
	/* Before registration, ib_device_try_get() fails, and no client could get the event. */
	if (ib_device_try_get(&dev->ibdev)) {
		ib_dispatch_event(&event);
		ib_device_put(&dev->ibdev);
	}
	queue_work(xiw_recovery_wq, &dev->fail_work);
}

int xiw_recovery_init(void)
{
	/*
	 * On an unbound workqueue, the resets of several devices run in parallel. If memory is
	 * short, the workqueue's rescuer executes one reset after the other.
	 */
	xiw_recovery_wq = alloc_workqueue("xiw_recovery", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return xiw_recovery_wq ? 0 : -ENOMEM;
}

void xiw_recovery_exit(void)
{
	destroy_workqueue(xiw_recovery_wq);
}

/* ------------------------------------------------------------------ creation */

/*
 * A storage ULP creates QPs and MRs when it reconnects. Memory reclaim may wait for I/O of that
 * ULP. So the allocations for QPs and MRs must not let reclaim start I/O. Connect and listen pass
 * GFP_NOIO to their allocations (share.h).
 */
static int xiw_create_qp_noio(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
			      struct ib_udata *udata)
{
	unsigned int flags = memalloc_noio_save();
	int err = xiw_create_qp(ibqp, attr, udata);

	memalloc_noio_restore(flags);
	return err;
}

static struct ib_mr *xiw_alloc_mr_noio(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg)
{
	unsigned int flags = memalloc_noio_save();
	struct ib_mr *ibmr = xiw_alloc_mr(ibpd, type, max_sg);

	memalloc_noio_restore(flags);
	return ibmr;
}

const struct ib_device_ops xiw_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = XIW_DRIVER_ID,
	.uverbs_abi_ver = XIW_UVERBS_ABI,

	.alloc_hw_port_stats = xiw_alloc_hw_port_stats,
	.alloc_mr = xiw_alloc_mr_noio,
	.alloc_mw = xiw_alloc_mw,
	.alloc_pd = xiw_alloc_pd,
	.alloc_ucontext = xiw_alloc_ucontext,
	.counter_alloc_stats = xiw_counter_alloc_stats,
	.counter_dealloc = xiw_counter_dealloc,
	.counter_update_stats = xiw_counter_update_stats,
	.create_qp = xiw_create_qp_noio,
	.create_srq = xiw_create_srq,
	.dealloc_driver = xiw_dealloc_driver,
	.dealloc_mw = xiw_dealloc_mw,
	.dealloc_pd = xiw_dealloc_pd,
	.dealloc_ucontext = xiw_dealloc_ucontext,
	.dereg_mr = xiw_dereg_mr,
	.destroy_cq = xiw_destroy_cq,
	.destroy_qp = xiw_destroy_qp,
	.destroy_srq = xiw_destroy_srq,
	.disassociate_ucontext = xiw_disassociate_ucontext,
	.get_dev_fw_str = xiw_get_fw_str,
	.get_dma_mr = xiw_get_dma_mr,
	.get_hw_stats = xiw_get_hw_stats,
	.get_port_immutable = xiw_get_port_immutable,
	.iw_accept = xiw_iw_accept,
	.iw_add_ref = xiw_add_ref,
	.iw_connect = xiw_iw_connect,
	.iw_create_listen = xiw_iw_create_listen,
	.iw_destroy_listen = xiw_iw_destroy_listen,
	.iw_get_qp = xiw_get_qp,
	.iw_reject = xiw_iw_reject,
	.iw_rem_ref = xiw_rem_ref,
	.map_mr_sg = xiw_map_mr_sg,
	.mmap = xiw_mmap,
	.mmap_free = xiw_mmap_free,
	.modify_cq = xiw_modify_cq,
	.modify_qp = xiw_modify_qp,
	.modify_srq = xiw_modify_srq,
	.poll_cq = xiw_poll_cq,
	.post_recv = xiw_post_recv,
	.post_send = xiw_post_send,
	.post_srq_recv = xiw_post_srq_recv,
	.query_device = xiw_query_device,
	.query_gid = xiw_query_gid,
	.query_pkey = xiw_query_pkey,
	.query_port = xiw_query_port,
	.query_qp = xiw_query_qp,
	.query_srq = xiw_query_srq,
	.req_notify_cq = xiw_req_notify_cq,
	.rereg_user_mr = xiw_rereg_user_mr,
	XIW_RESTRACK_OPS
	XIW_OP_COUNTER_BIND_QP
	XIW_OP_COUNTER_SIZE(xiw_rdma_counter, base)
	XIW_OP_CREATE_CQ
	XIW_OP_REG_USER_MR
	XIW_OP_RESIZE_CQ

	INIT_RDMA_OBJ_SIZE(ib_cq, xiw_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, xiw_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, xiw_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, xiw_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, xiw_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xiw_ucontext, ibucontext),
};

static int xiw_device_load_match(struct xiw_device *dev)
{
	struct xiw_admin_cmd cmd = { .op = XIW_ADM_MATCH_LOAD };

	dev->match = dev->rnic.ops->alloc(&dev->rnic, XIW_MATCH_SIZE, &dev->match_bus, GFP_KERNEL);
	if (!dev->match)
		return -ENOMEM;
	xiw_opcode_match(dev->match);
	cmd.addr = cpu_to_le64(dev->match_bus);
	return xiw_admin_exec(dev, &cmd);
}

static int xiw_device_alloc_tables(struct xiw_device *dev)
{
	u32 chunks = le32_to_cpu(dev->rnic.caps.max_stags) / XIW_STAG_CHUNK;

	dev->stag_chunks = kvcalloc(chunks, sizeof(*dev->stag_chunks), GFP_KERNEL);
	dev->stag_chunk_bus = kvcalloc(chunks, sizeof(*dev->stag_chunk_bus), GFP_KERNEL);
	return dev->stag_chunks && dev->stag_chunk_bus ? 0 : -ENOMEM;
}

/* Return: true if @number is at least @least, and each index below @number fits into a doorbell. */
static bool xiw_device_numbered(__le32 number, u32 least)
{
	return le32_to_cpu(number) >= least && le32_to_cpu(number) <= XIW_MAX_INDEXES;
}

/* Check the capabilities that the driver uses. The RNIC reports them, and they are untrusted. */
static int xiw_device_check_caps(const struct xiw_rnic_caps *caps)
{
	u32 stags = le32_to_cpu(caps->max_stags), inlined = le16_to_cpu(caps->max_inline);
	bool shared_rx = le32_to_cpu(caps->caps) & XIW_CAP_SHARED_RX;

	if (le32_to_cpu(caps->abi) != XIW_RNIC_ABI)
		return -EPROTONOSUPPORT;
	if (!stags || stags % XIW_STAG_CHUNK || stags > XIW_MAX_STAGS)
		return -EPROTO;
	/* Streams 0 and 1 are not used. */
	if (!xiw_device_numbered(caps->max_streams, 3) ||
	    !xiw_device_numbered(caps->max_conns, 1) ||
	    !xiw_device_numbered(caps->max_listeners, 1) ||
	    !xiw_device_numbered(caps->max_shared_rx, shared_rx))
		return -EPROTO;
	if (!caps->max_vectors || !caps->max_gather || !caps->max_message || !caps->max_ird ||
	    !caps->max_ord)
		return -EPROTO;
	if (xiw_wr_image_size(caps->max_gather, inlined) > XIW_TX_MAX_UNITS * XIW_TX_UNIT)
		return -EPROTO;
	if (le16_to_cpu(caps->max_ird) >= XIW_MPA_DEPTH_NONE ||
	    le16_to_cpu(caps->max_ord) >= XIW_MPA_DEPTH_NONE)
		return -EPROTO;
	return 0;
}

static int xiw_device_start(struct xiw_device *dev, u32 max_vectors)
{
	struct xiw_rnic *rnic = &dev->rnic;
	u32 vectors;
	int err;

	err = xiw_notices_add(dev);
	if (err)
		return err;
	dev->counters = alloc_percpu(struct xiw_counters);
	dev->poll_dev = alloc_netdev_dummy(0);
	/*
	 * WQ_MEM_RECLAIM: storage may depend on a connection, so the connection must be able to end
	 * when memory is short. XIW_ADMIN_SLOTS: each work item needs a slot of the admin ring, so
	 * additional work items would only wait for a slot.
	 */
	dev->wq = alloc_workqueue("xiw_cm-%s", WQ_UNBOUND | WQ_MEM_RECLAIM, XIW_ADMIN_SLOTS,
				  netdev_name(dev->netdev));
	dev->user_wq = alloc_workqueue("xiw_user-%s", WQ_UNBOUND, 0, netdev_name(dev->netdev));
	rnic->admin_ring = rnic->ops->alloc(rnic, XIW_ADMIN_RING_SIZE, &rnic->admin_bus,
					    GFP_KERNEL);
	if (!dev->counters || !dev->poll_dev || !dev->wq || !dev->user_wq || !rnic->admin_ring)
		return -ENOMEM;
	rnic->admin_log2 = XIW_ADMIN_LOG2;
	err = rnic->ops->start(rnic);
	if (err)
		return err;
	err = xiw_device_check_caps(&rnic->caps);
	if (err)
		return err;
	vectors = min_t(u32, le16_to_cpu(rnic->caps.max_vectors), num_online_cpus());
	err = xiw_vectors_add(dev, clamp(vectors, 1U, max_vectors ?: vectors));
	if (!err)
		err = xiw_device_alloc_tables(dev);
	if (!err)
		err = xiw_device_load_match(dev);
	return err;
}

static void xiw_device_init(struct xiw_device *dev, struct net_device *netdev,
			    const struct net *net, const struct xiw_rnic_ops *ops,
			    struct device *dma_device)
{
	static const struct xiw_config config = XIW_CONFIG_DEFAULT;

	dev->rnic.ops = ops;
	dev->rnic.netdev = netdev;
	dev->rnic.net_cookie = net->net_cookie;
	dev->rnic.dma_device = dma_device;
	dev->ibdev.dev.parent = dma_device;
	dev->netdev = netdev;
	netdev_hold(netdev, &dev->netdev_tracker, GFP_KERNEL);
	dev->config = config;
	xiw_gids_init(dev);
	mutex_init(&dev->peer_lock);
	INIT_LIST_HEAD(&dev->peer_ports);
	mutex_init(&dev->config_lock);
	mutex_init(&dev->stag_lock);
	mutex_init(&dev->counted_lock);
	xiw_inject_init(&dev->rnic.injector);
	xiw_admin_init(&dev->admin);
	INIT_WORK(&dev->fail_work, xiw_device_fail_work);
	init_completion(&dev->reset);
	/*
	 * xiw_get_qp() takes the lock of dev->qps. iw_cm calls it under a spinlock that softirqs
	 * take, too. So bottom halves must be disabled while the lock of dev->qps is held. The
	 * locks of all arrays have one lockdep class, so the same applies to the other arrays.
	 * Softirqs look up QPs and connections, but only process context changes the arrays.
	 */
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->srqs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->conns, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->listeners, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->pds, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	xa_init_flags(&dev->counted_qps, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	xiw_shares_init(&dev->shares);
	ida_init(&dev->stags);
	INIT_LIST_HEAD(&dev->link);
}

/*
 * Remove the device if its interface was unregistered, or left the network namespace, before the
 * netdev notifier could find the device. Otherwise, an unregistration would wait forever for the
 * device's reference on the interface, and a device without its interface would stay in the
 * namespace.
 */
static void xiw_device_check_netdev(struct xiw_device *dev)
{
	bool gone;

	/*
	 * While this function holds RTNL, no interface is unregistered or moved, and no netdev
	 * notifier runs. A move does not change reg_state, so check the network namespace, too.
	 */
	rtnl_lock();
	gone = dev->netdev->reg_state != NETREG_REGISTERED ||
	       !xiw_rnic_is_in(&dev->rnic, dev_net(dev->netdev));
	rtnl_unlock();
	/*
	 * The notifier of the interface may have begun the removal of the device already. Then
	 * ib_device_try_get() may fail, and there is nothing to do.
	 */
	if (gone && ib_device_try_get(&dev->ibdev)) {
		ib_unregister_device_queued(&dev->ibdev);
		ib_device_put(&dev->ibdev);
	}
}

/*
 * Get the MAC address of an interface. For an interface that has none, such as a tunnel, form a
 * locally administered address. This address contains a hash of the name of the interface and of
 * the network namespace, because a name is unique only within a namespace. So the GUIDs of two such
 * interfaces, which contain these addresses, normally differ. In the initial namespace, the address
 * is the same after the next boot.
 */
static void xiw_device_mac(const struct net_device *netdev, u8 mac[ETH_ALEN])
{
	u32 seed = lower_32_bits(dev_net(netdev)->net_cookie);
	size_t length = strlen(netdev->name);

	if (netdev->addr_len == ETH_ALEN && !is_zero_ether_addr(netdev->dev_addr)) {
		ether_addr_copy(mac, netdev->dev_addr);
		return;
	}
	mac[0] = 0x02;
	mac[1] = jhash(netdev->name, length, ~seed);
	put_unaligned_be32(jhash(netdev->name, length, seed), mac + 2);
}

/*
 * Get the EUI-64 of an interface, formed from its MAC address as for IPv6. ULPs identify a device
 * by its GUID, but several interfaces may have the same MAC address. So the middle octets contain
 * the VLAN ID of a VLAN, or the dev_id of any other interface. If this id is 0, the middle octets
 * are the same as for IPv6.
 */
static __be64 xiw_device_guid(const struct net_device *netdev)
{
	u16 id = is_vlan_dev(netdev) ? vlan_dev_vlan_id(netdev) : netdev->dev_id;
	union {
		__be64 guid;
		u8 octets[8];
	} eui;
	u8 mac[ETH_ALEN] __aligned(2);

	xiw_device_mac(netdev, mac);
	addrconf_addr_eui48(eui.octets, mac);
	if (id) {
		eui.octets[3] = id >> 8;
		eui.octets[4] = id & 0xff;
	}
	return eui.guid;
}

static bool xiw_device_has_guid(__be64 guid)
{
	struct xiw_device *dev;

	list_for_each_entry(dev, &xiw_devices, link)
		if (dev->ibdev.node_guid == guid)
			return true;
	return false;
}

/*
 * Add a device to the list of devices, and give it a GUID that no other device has. If another
 * device already has the GUID of the interface, change the middle octets. Two interfaces may have
 * the same MAC address and the same id, such as a bond and its members, or a tunnel that was
 * renamed and a new tunnel with its old name.
 */
static void xiw_device_enlist(struct xiw_device *dev)
{
	__be64 guid = xiw_device_guid(dev->netdev);
	u16 other = 0xfffe;

	spin_lock(&xiw_devices_lock);
	while (xiw_device_has_guid(guid))
		put_unaligned_be16(--other, (u8 *)&guid + 3);
	dev->ibdev.node_guid = guid;
	list_add_tail(&dev->link, &xiw_devices);
	spin_unlock(&xiw_devices_lock);
}

static int xiw_device_register(struct xiw_device *dev, const char *name)
{
	struct ib_device *ibdev = &dev->ibdev;
	int err;

	ibdev->node_type = RDMA_NODE_RNIC;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = dev->num_vectors;
	ibdev->local_dma_lkey = XIW_STAG_LOCAL_DMA;
	strscpy(ibdev->node_desc, "xiw iWARP", sizeof(ibdev->node_desc));
	strscpy(ibdev->iw_ifname, dev->netdev->name, sizeof(ibdev->iw_ifname));
	ibdev->iw_driver_flags = IW_F_NO_PORT_MAP;
	ib_set_device_ops(ibdev, &xiw_device_ops);
	/*
	 * Enable the uverbs commands for posts. User space uses these commands only as doorbells:
	 * they contain no work requests.
	 */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV);

	/*
	 * Set the netdev before registration, because the GID cache reads it during registration.
	 */
	err = ib_device_set_netdev(ibdev, dev->netdev, 1);
	if (err)
		return err;
	ib_mark_name_assigned_by_user(ibdev);
	xiw_device_enlist(dev);
	/*
	 * Hold a reference on the device: another task may remove the device before this task
	 * clears dev->registering.
	 */
	get_device(&ibdev->dev);
	WRITE_ONCE(dev->registering, current);
	err = ib_register_device(ibdev, name, dev->rnic.dma_device);
	WRITE_ONCE(dev->registering, NULL);
	if (!err)
		xiw_device_check_netdev(dev);
	put_device(&ibdev->dev);
	return err;
}

/**
 * xiw_device_add - create a device over an RNIC
 * @name: name of the ib_device
 * @netdev: network interface whose addresses and routes the device uses
 * @ops: operations of the RNIC
 * @dma_device: device that accesses memory for the RNIC; NULL if the RNIC uses kernel addresses
 * @max_vectors: max number of vectors; 0 for as many as the RNIC and the CPUs allow
 *
 * Context: process, may sleep; RTNL must not be held, because registration takes it. The caller
 * ensures that an interface has at most one device.
 *
 * Return: 0 or an errno.
 */
int xiw_device_add(const char *name, struct net_device *netdev, const struct xiw_rnic_ops *ops,
		   struct device *dma_device, u32 max_vectors)
{
	struct xiw_device *dev;
	struct net *net;
	int err;

	/* Read the namespace only once, because the interface may move. */
	rcu_read_lock();
	net = maybe_get_net(dev_net(netdev));
	rcu_read_unlock();
	if (!net)
		return -ENODEV;
	dev = ib_alloc_device_with_net(xiw_device, ibdev, net);
	if (dev)
		xiw_device_init(dev, netdev, net, ops, dma_device);
	put_net(net);
	if (!dev)
		return -ENOMEM;
	err = xiw_device_start(dev, max_vectors);
	if (err)
		xiw_device_stop(dev);
	else
		err = xiw_device_register(dev, name);
	/*
	 * xiw_device_register() sets the operations of the ib_device. So if that function fails,
	 * ib_dealloc_device() calls dealloc_driver(), which stops the device.
	 */
	if (err)
		ib_dealloc_device(&dev->ibdev);
	return err;
}

/**
 * xiw_device_remove - remove the device over a network interface
 * @netdev: network interface
 *
 * Does nothing if the interface has no device. Waits until all clients of ib_core, such as ULPs,
 * have released the device.
 *
 * Context: process, may sleep.
 */
void xiw_device_remove(struct net_device *netdev)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(netdev, XIW_DRIVER_ID);

	if (!ibdev)
		return;
	/*
	 * End pending connects: a removal waits for the ULPs, and a ULP waits until its connect
	 * ends.
	 */
	xiw_qps_end(to_xiw_device(ibdev), xiw_stream_abort);
	ib_unregister_device_and_put(ibdev);
}

/**
 * xiw_device_halt - fail the device over a network interface, and stop its RNIC
 * @netdev: network interface
 * @why: reason for the kernel log and the event
 *
 * Does nothing if the interface has no device, or if a task is removing the device. Does not wait
 * for clients of ib_core.
 *
 * Context: process, may sleep.
 */
void xiw_device_halt(struct net_device *netdev, const char *why)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(netdev, XIW_DRIVER_ID);

	if (!ibdev)
		return;
	/* Only a broken RNIC or, as here, the sleep of the machine makes a device fail. */
	xiw_device_fail(to_xiw_device(ibdev), why);
	wait_for_completion(&to_xiw_device(ibdev)->reset);
	ib_device_put(ibdev);
}

/**
 * xiw_device_next - iterate over the devices of a network namespace
 * @net: namespace; NULL for all namespaces
 * @cursor: lowest index of an ib_device to return; updated to the index of the returned device plus
 *	one
 *
 * Context: process.
 *
 * Return: the next device, with a reference that xiw_device_put() drops; NULL at the end.
 */
struct xiw_device *xiw_device_next(struct net *net, u32 *cursor)
{
	struct xiw_device *dev, *found = NULL;

	spin_lock(&xiw_devices_lock);
	list_for_each_entry(dev, &xiw_devices, link) {
		if (dev->ibdev.index < *cursor || (found && dev->ibdev.index > found->ibdev.index))
			continue;
		if (net && !xiw_rnic_is_in(&dev->rnic, net))
			continue;
		if (!ib_device_try_get(&dev->ibdev))
			continue;
		if (found)
			ib_device_put(&found->ibdev);
		found = dev;
	}
	spin_unlock(&xiw_devices_lock);
	if (found)
		*cursor = found->ibdev.index + 1;
	return found;
}

void xiw_device_put(struct xiw_device *dev)
{
	ib_device_put(&dev->ibdev);
}

/* ------------------------------------------------------------- netdev events */

static void xiw_device_netdev_event(struct xiw_device *dev, unsigned long event)
{
	struct ib_event gid = {
		.device = &dev->ibdev,
		.element.port_num = 1,
		.event = IB_EVENT_GID_CHANGE,
	};

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		xiw_port_state_changed(&dev->ibdev, dev->netdev);
		break;
	case NETDEV_CHANGEADDR:
		ib_dispatch_event(&gid);
		break;
	case NETDEV_CHANGENAME:
		strscpy(dev->ibdev.iw_ifname, dev->netdev->name, sizeof(dev->ibdev.iw_ifname));
		break;
	case NETDEV_UNREGISTER:
		/*
		 * End pending connects: a removal waits for the ULPs, and a ULP waits until its
		 * connect ends.
		 */
		xiw_qps_end(dev, xiw_stream_abort);
		ib_unregister_device_queued(&dev->ibdev);
		break;
	}
}

static int xiw_netdev_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(arg);
	struct ib_device *ibdev = ib_device_get_by_netdev(netdev, XIW_DRIVER_ID);

	if (ibdev) {
		xiw_device_netdev_event(to_xiw_device(ibdev), event);
		ib_device_put(ibdev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block xiw_netdev_notifier = {
	.notifier_call = xiw_netdev_notify,
};

int xiw_netdev_init(void)
{
	return register_netdevice_notifier(&xiw_netdev_notifier);
}

void xiw_netdev_exit(void)
{
	unregister_netdevice_notifier(&xiw_netdev_notifier);
}
