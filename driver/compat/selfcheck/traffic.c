// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Runs the shims that have code of their own: a softirq poll on a dummy netdev
 * hands page fragments to a loopback TCP connection under the socket's spinlock,
 * and the other end takes the CRC32C of what arrives, skb by skb.
 */
#include <linux/completion.h>
#include <linux/in.h>
#include <linux/jiffies.h>

#include "traffic.h"

#define FRAGMENTS	5
#define FRAGMENT_LEN	1499	/* odd, so that every alignment comes up */
#define BATCH		(FRAGMENTS * FRAGMENT_LEN)
#define BATCHES		400
#define TIME_LIMIT	(20 * HZ)

struct traffic {
	struct socket *listener, *from, *to;
	struct net_device *dummy;
	struct napi_struct napi;
	struct hrtimer retry;
	struct page *page[FRAGMENTS];
	unsigned int sent;	/* octets; written by the poll only */
	int error;
	struct completion done;
	u32 crc;
	unsigned int received;
};

/* Sends the rest of the current batch. Returns false when TCP has no room. */
static bool send_batch(struct traffic *t)
{
	unsigned int at = t->sent % BATCH, first = at / FRAGMENT_LEN, i;
	struct bio_vec bv[FRAGMENTS];
	struct sock *sk = t->from->sk;
	int n = -EAGAIN;

	for (i = first; i < FRAGMENTS; i++) {
		unsigned int skip = i == first ? at % FRAGMENT_LEN : 0;

		bvec_set_page(&bv[i - first], t->page[i], FRAGMENT_LEN - skip,
			      i + skip);
	}

	bh_lock_sock(sk);
	if (!sock_owned_by_user(sk))
		n = xiw_sock_send_pages(sk, bv, FRAGMENTS - first, BATCH - at,
					t->sent & 1 ? MSG_EOR : 0);
	bh_unlock_sock(sk);
	if (n > 0)
		t->sent += n;
	else if (n != -EAGAIN)
		t->error = n ?: -EPIPE;
	return n > 0;
}

static int traffic_poll(struct napi_struct *napi, int budget)
{
	struct traffic *t = container_of(napi, struct traffic, napi);
	int work = 0;

	while (work < budget && t->sent < BATCH * BATCHES && !t->error) {
		if (!send_batch(t)) {
			hrtimer_start(&t->retry, ms_to_ktime(1),
				      HRTIMER_MODE_REL_SOFT);
			break;
		}
		work++;
	}
	if (work < budget && napi_complete_done(napi, work) &&
	    (t->error || t->sent == BATCH * BATCHES))
		complete(&t->done);
	return work;
}

static enum hrtimer_restart traffic_retry(struct hrtimer *timer)
{
	struct traffic *t = container_of(timer, struct traffic, retry);

	napi_schedule(&t->napi);
	return HRTIMER_NORESTART;
}

static int traffic_take(read_descriptor_t *desc, struct sk_buff *skb,
			unsigned int offset, size_t len)
{
	struct traffic *t = desc->arg.data;

	t->crc = skb_crc32c(skb, offset, len, t->crc);
	t->received += len;
	return len;
}

static int traffic_receive(struct traffic *t)
{
	unsigned long until = jiffies + TIME_LIMIT;
	struct sock *sk = t->to->sk;

	while (t->received < BATCH * BATCHES) {
		read_descriptor_t desc = { .arg.data = t, .count = 1 };

		if (time_after(jiffies, until))
			return -ETIMEDOUT;
		lock_sock(sk);
		tcp_read_sock(sk, &desc, traffic_take);
		release_sock(sk);
		wait_event_timeout(*sk_sleep(sk),
				   !skb_queue_empty(&sk->sk_receive_queue) ||
				   t->received == BATCH * BATCHES || t->error,
				   HZ / 10);
		if (t->error)
			return t->error;
	}
	return 0;
}

static u32 traffic_expected(struct traffic *t)
{
	u32 crc = ~0;
	int i;

	for (i = 0; i < FRAGMENTS * BATCHES; i++)
		crc = crc32c(crc, page_address(t->page[i % FRAGMENTS]) + i % FRAGMENTS,
			     FRAGMENT_LEN);
	return crc;
}

static int traffic_connect(struct traffic *t)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_unsized *at = (struct sockaddr_unsized *)&addr;
	int err;

	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			       &t->listener) ?:
	      kernel_bind(t->listener, at, sizeof(addr)) ?:
	      kernel_listen(t->listener, 1);
	if (err)
		return err;
	err = kernel_getsockname(t->listener, (struct sockaddr *)&addr);
	if (err < 0)
		return err;
	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			       &t->from);
	if (err)
		return err;
	sk_net_refcnt_upgrade(t->from->sk);
	t->from->sk->sk_allocation = GFP_ATOMIC;
	return kernel_connect(t->from, at, sizeof(addr), 0) ?:
	       kernel_accept(t->listener, &t->to, 0);
}

static void traffic_free(struct traffic *t)
{
	int i;

	if (t->dummy) {
		hrtimer_cancel(&t->retry);
		napi_disable(&t->napi);
		hrtimer_cancel(&t->retry);
		netif_napi_del(&t->napi);
		free_netdev(t->dummy);
	}
	if (t->to)
		sock_release(t->to);
	if (t->from)
		sock_release(t->from);
	if (t->listener)
		sock_release(t->listener);
	for (i = 0; i < FRAGMENTS; i++)
		if (t->page[i])
			put_page(t->page[i]);
	kfree(t);
}

int traffic_run(void)
{
	struct traffic *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int err = -ENOMEM, i;

	if (!t)
		return err;
	t->crc = ~0;
	init_completion(&t->done);
	for (i = 0; i < FRAGMENTS; i++) {
		t->page[i] = alloc_page(GFP_KERNEL);
		if (!t->page[i])
			goto out;
		get_random_bytes(page_address(t->page[i]), PAGE_SIZE);
	}
	err = traffic_connect(t);
	if (err)
		goto out;

	err = -ENOMEM;
	t->dummy = alloc_netdev_dummy(0);
	if (!t->dummy)
		goto out;
	hrtimer_setup(&t->retry, traffic_retry, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	netif_napi_add(t->dummy, &t->napi, traffic_poll);
	napi_enable(&t->napi);

	local_bh_disable();
	napi_schedule(&t->napi);
	local_bh_enable();
	err = traffic_receive(t);
	if (!err && !wait_for_completion_timeout(&t->done, TIME_LIMIT))
		err = -ETIMEDOUT;
	if (!err && t->crc != traffic_expected(t))
		err = -EBADMSG;
	pr_info("xiw-selfcheck: %u of %u octets, error %d\n", t->received,
		BATCH * BATCHES, err);
out:
	traffic_free(t);
	return err;
}
