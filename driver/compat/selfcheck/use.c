// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Uses every shim once. Compiled on kernels newer than the tested ones before
 * anything else, and built as a module on all of them, so that a symbol that is
 * declared but not exported is found too. Loading the module runs traffic.c and
 * then refuses to stay: ECANCELED means that all is well.
 */
#include <linux/unaligned.h>
#include <rdma/iw_cm.h>

#include "traffic.h"

MODULE_IMPORT_NS("DMA_BUF");

struct drv_cpu {
	local_lock_t lock;
};

static DEFINE_PER_CPU(struct drv_cpu, drv_cpu) = { .lock = INIT_LOCAL_LOCK(lock) };

struct drv_device {
	struct ib_device ibdev;
	struct timer_list timer;
	struct hrtimer hrtimer;
	struct work_struct work;
	struct page_frag_cache frags;
	struct napi_struct napi;
};

struct drv_counter {
	struct rdma_counter base;
	u64 mine;
};

struct drv_abi {
	u32 first;
	u32 second;
};

int xiw_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct drv_abi abi;
	int err;

	if (!udata)
		return 0;
	err = ib_copy_validate_udata_in(udata, abi, first);
	return err ?: ib_respond_udata(udata, abi);
}

int xiw_resize_cq(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)
{
	return ib_no_udata_io(udata);
}

struct ib_mr *xiw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va,
			      int access, struct ib_dmah *dmah,
			      struct ib_udata *udata)
{
	struct ib_umem *umem;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	umem = ib_umem_get_va(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	ib_umem_release(umem);
	return NULL;
}

struct ib_mr *xiw_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				     u64 va, int fd, int access,
				     struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *attrs)
{
	return ERR_PTR(dmah || !attrs ? -EOPNOTSUPP : -EINVAL);
}

int xiw_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp,
			u32 port)
{
	return port;
}

int xiw_counter_unbind_qp(struct ib_qp *qp, u32 port)
{
	return port;
}

static int __maybe_unused drv_put(struct sk_buff *msg)
{
	return nla_put_uint(msg, 1, 1);
}

static const struct ib_device_ops drv_ops = {
	XIW_OP_CREATE_CQ
	XIW_OP_RESIZE_CQ
	XIW_OP_REG_USER_MR
	XIW_OP_COUNTER_BIND_QP
	XIW_OP_COUNTER_SIZE(drv_counter, base)
};

static int __maybe_unused drv_dellink(struct ib_device *dev)
{
	return 0;
}

static int drv_newlink(const char *name, struct net_device *ndev)
{
	return -EOPNOTSUPP;
}

static struct rdma_link_ops drv_link_ops = {
	.type = "xiw-selfcheck",
	.newlink = drv_newlink,
	XIW_LINK_OP_DELLINK(drv_dellink)
};

static void drv_timer(struct timer_list *t)
{
	struct drv_device *drv = timer_container_of(drv, t, timer);

	queue_work(system_dfl_wq, &drv->work);
	queue_work(system_percpu_wq, &drv->work);
}

static enum hrtimer_restart drv_hrtimer(struct hrtimer *t)
{
	struct drv_device *drv = container_of(t, struct drv_device, hrtimer);

	return napi_schedule(&drv->napi) ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

static int drv_poll(struct napi_struct *napi, int budget)
{
	return 0;
}

static int drv_send(struct sock *sk, struct bio_vec *bv, struct sk_buff *skb)
{
	u32 crc = skb_crc32c(skb, 0, skb->len, ~0);

	put_unaligned_le32(crc, skb->data);
	return xiw_sock_send_pages(sk, bv, 1, bv->bv_len, MSG_EOR);
}

static int drv_socket(struct drv_device *drv, struct bio_vec *bv)
{
	struct sockaddr_storage addr = { .ss_family = AF_INET };
	struct sockaddr_unsized *to = (struct sockaddr_unsized *)&addr;
	struct socket *sock;
	int err;

	err = sock_create_kern(rdma_dev_net(&drv->ibdev), AF_INET, SOCK_STREAM,
			       IPPROTO_TCP, &sock);
	if (err)
		return err;
	sk_net_refcnt_upgrade(sock->sk);
	err = kernel_bind(sock, to, sizeof(struct sockaddr_in)) ?:
	      kernel_connect(sock, to, sizeof(struct sockaddr_in), O_NONBLOCK);
	if (!err) {
		lock_sock(sock->sk);
		err = drv_send(sock->sk, bv, tcp_write_queue_tail(sock->sk));
		release_sock(sock->sk);
	}
	sock_release(sock);
	return err;
}

static const struct netlink_range_validation drv_range = { .min = 1, .max = 100000 };

static const struct nla_policy drv_policy[] __maybe_unused = {
	NLA_POLICY_FULL_RANGE(NLA_U32, &drv_range),
};

static int drv_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_genl_dump_attrs(cb)[1] ? nla_get_uint(cb->data) : 0;
}

static int drv_try(struct net *net)
{
	struct net_device *dummy, *ndev;
	struct workqueue_struct *wq;
	struct drv_device *drv;
	struct bio_vec bv;
	int err = -ENOMEM;

	drv = ib_alloc_device_with_net(drv_device, ibdev, net);
	if (!drv)
		return err;
	ib_set_device_ops(&drv->ibdev, &drv_ops);
	ib_mark_name_assigned_by_user(&drv->ibdev);

	ndev = ib_device_get_netdev(&drv->ibdev, 1);
	if (ndev) {
		if (ib_get_curr_port_state(ndev) == IB_PORT_ACTIVE)
			xiw_port_state_changed(&drv->ibdev, ndev);
		dev_put(ndev);
	}

	dummy = alloc_netdev_dummy(0);
	if (!dummy)
		goto out_device;
	netif_napi_add(dummy, &drv->napi, drv_poll);
	netif_napi_del(&drv->napi);
	free_netdev(dummy);

#ifdef HAVE_WQ_BH
	wq = alloc_workqueue("xiw-selfcheck", WQ_BH | WQ_PERCPU, 0);
#else
	wq = alloc_workqueue("xiw-selfcheck", WQ_PERCPU, 0);
#endif
	if (!wq)
		goto out_device;
	destroy_workqueue(wq);

	timer_setup(&drv->timer, drv_timer, 0);
	mod_timer(&drv->timer, jiffies + secs_to_jiffies(1));
	timer_delete(&drv->timer);
	timer_delete_sync(&drv->timer);
	timer_shutdown_sync(&drv->timer);
	hrtimer_setup(&drv->hrtimer, drv_hrtimer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);

	hrtimer_start(&drv->hrtimer, us_to_ktime(1), HRTIMER_MODE_REL_SOFT);
	hrtimer_cancel(&drv->hrtimer);

	page_frag_cache_init(&drv->frags);
	bv.bv_page = ib_virt_dma_to_page(get_random_u32_below(7));
	bv.bv_offset = offset_in_page(ib_virt_dma_to_ptr(0));
	bv.bv_len = 1;
	err = drv_socket(drv, &bv);
	page_frag_cache_drain(&drv->frags);
	local_bh_disable();
	local_lock_nested_bh(&drv_cpu.lock);
	local_unlock_nested_bh(&drv_cpu.lock);
	local_bh_enable();
out_device:
	ib_dealloc_device(&drv->ibdev);
	return err;
}

/* Compiled and linked, never called: there is no device to try it on. */
int unused_shims(struct net *net, struct netlink_callback *cb)
{
	rdma_link_register(&drv_link_ops);
	return drv_try(net) ?: drv_dump(NULL, cb);
}

static int __init selfcheck_init(void)
{
	return traffic_run() ?: -ECANCELED;
}
module_init(selfcheck_init);

MODULE_DESCRIPTION("check of xiw's kernel shims");
MODULE_LICENSE("Dual BSD/GPL");
