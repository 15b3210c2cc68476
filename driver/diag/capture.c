// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/capture.h"

#include <linux/kfifo.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "diag/recorder.h"
#include "xiw.h"

struct xiw_capture {
	spinlock_t lock;	/* protects ring, seen, lost */
	struct kfifo ring;	/* for each segment: struct xiw_captured, then the octets */
	u64 seen, lost;
	u32 stream, snap;
	struct xiw_device *dev;
	struct xiw_capture_owner owner;
	struct list_head link;	/* link in xiw_captures, under xiw_capture_mutex */
};

/*
 * A change of the key interrupts all CPUs. So disable the key one second after the last capture has
 * ended, and not at once. Otherwise, a program that starts and stops captures in a loop would
 * change the key each time.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(xiw_capture_key, HZ);

static DEFINE_MUTEX(xiw_capture_mutex);
static LIST_HEAD(xiw_captures);

/* ------------------------------------------------------------------- segments from RNICs */

/* Copy @octets octets from offset @at of the spans into the ring. */
static void xiw_capture_put(struct kfifo *ring, const struct xiw_span *spans, u32 at, u32 octets)
{
	u32 n;

	for (; octets; spans++) {
		if (at >= spans->len) {
			at -= spans->len;
			continue;
		}
		n = min(spans->len - at, octets);
		kfifo_in(ring, spans->p + at, n);
		octets -= n;
		at = 0;
	}
}

static void xiw_capture_copy(struct xiw_capture *capture, struct xiw_captured *head,
			     const struct xiw_span *spans, u32 count, u32 at)
{
	u32 there = 0, i;

	for (i = 0; i < count; i++)
		there += spans[i].len;
	there -= min(there, at);
	head->kept = min3(head->length, capture->snap, there);
	capture->seen++;
	if (kfifo_avail(&capture->ring) < sizeof(*head) + head->kept) {
		capture->lost++;
		return;
	}
	kfifo_in(&capture->ring, (u8 *)head, sizeof(*head));
	xiw_capture_put(&capture->ring, spans, at, head->kept);
}

void xiw_capture_segment(struct xiw_rnic *rnic, u32 stream, u32 flags,
			 const struct xiw_span *spans, u32 count, u32 at, u32 length)
{
	struct xiw_captured head = {
		.time = ktime_get_real_ns(),
		.stream = stream,
		.length = length,
		.flags = flags,
	};
	struct xiw_capture *capture;
	unsigned long irq;

	rcu_read_lock();
	capture = rcu_dereference(rnic->capture);
	if (capture && (!capture->stream || capture->stream == stream)) {
		spin_lock_irqsave(&capture->lock, irq);
		xiw_capture_copy(capture, &head, spans, count, at);
		spin_unlock_irqrestore(&capture->lock, irq);
	}
	rcu_read_unlock();
}

void xiw_capture_message(struct xiw_rnic *rnic, u32 stream, const struct xiw_recorder *recorder,
			 const void *behind, u32 behind_length)
{
	const struct xiw_record *record = xiw_recorder_last(recorder);
	struct xiw_span spans[] = {
		{ .p = record->header, .len = record->header_length },
		{ .p = behind, .len = behind_length },
	};
	u32 flags = record->flags & XIW_RECORD_SENT ? XIW_NL_SEGMENT_FLAG_SENT : 0;

	xiw_capture_segment(rnic, stream, flags, spans, ARRAY_SIZE(spans), 0,
			    record->header_length + record->length);
}

/* -------------------------------------------------------------------------- readers */

static struct xiw_capture *xiw_capture_find(struct xiw_device *dev,
					    const struct xiw_capture_owner *owner)
{
	struct xiw_capture *capture =
		rcu_dereference_protected(dev->rnic.capture, lockdep_is_held(&xiw_capture_mutex));

	if (!capture || capture->owner.portid != owner->portid ||
	    capture->owner.net != owner->net)
		return NULL;
	return capture;
}

struct xiw_capture *xiw_capture_open(struct xiw_device *dev, const struct xiw_capture_owner *owner)
{
	struct xiw_capture *capture;

	mutex_lock(&xiw_capture_mutex);
	capture = xiw_capture_find(dev, owner);
	if (!capture)
		mutex_unlock(&xiw_capture_mutex);
	return capture;
}

void xiw_capture_close(struct xiw_capture *capture)
{
	mutex_unlock(&xiw_capture_mutex);
}

bool xiw_capture_next(struct xiw_capture *capture, struct xiw_captured *head)
{
	bool there;

	/* Take the lock, because a writer may have put only a part of a segment into the ring. */
	spin_lock_irq(&capture->lock);
	there = kfifo_out_peek(&capture->ring, (u8 *)head, sizeof(*head)) == sizeof(*head);
	spin_unlock_irq(&capture->lock);
	return there;
}

void xiw_capture_take(struct xiw_capture *capture, void *to)
{
	struct xiw_captured head;

	/* Take the lock, because the writer also reads the index that kfifo_out() changes. */
	spin_lock_irq(&capture->lock);
	if (kfifo_out(&capture->ring, (u8 *)&head, sizeof(head)) != sizeof(head) ||
	    kfifo_out(&capture->ring, (u8 *)to, head.kept) != head.kept)
		WARN_ON_ONCE(1);
	spin_unlock_irq(&capture->lock);
}

void xiw_capture_totals(struct xiw_capture *capture, struct xiw_capture_totals *totals)
{
	spin_lock_irq(&capture->lock);
	totals->seen = capture->seen;
	totals->lost = capture->lost;
	spin_unlock_irq(&capture->lock);
}

/* ---------------------------------------------------------------- beginning and end */

static void xiw_capture_free(struct xiw_capture *capture)
{
	kvfree(capture->ring.kfifo.data);
	kfree(capture);
}

static struct xiw_capture *xiw_capture_alloc(const struct xiw_capture_wish *wish)
{
	struct xiw_capture *capture = kzalloc(sizeof(*capture), GFP_KERNEL_ACCOUNT);
	void *memory;

	if (!capture)
		return NULL;
	memory = kvmalloc(wish->size, GFP_KERNEL_ACCOUNT);
	if (!memory || kfifo_init(&capture->ring, memory, wish->size)) {
		kvfree(memory);
		kfree(capture);
		return NULL;
	}
	spin_lock_init(&capture->lock);
	capture->stream = wish->stream;
	capture->snap = wish->snap;
	return capture;
}

int xiw_capture_begin(struct xiw_device *dev, const struct xiw_capture_owner *owner,
		      const struct xiw_capture_wish *wish)
{
	struct xiw_capture *capture = xiw_capture_alloc(wish);
	bool busy;

	if (!capture)
		return -ENOMEM;
	capture->dev = dev;
	capture->owner = *owner;
	mutex_lock(&xiw_capture_mutex);
	busy = rcu_access_pointer(dev->rnic.capture);
	if (!busy) {
		list_add(&capture->link, &xiw_captures);
		rcu_assign_pointer(dev->rnic.capture, capture);
		static_branch_deferred_inc(&xiw_capture_key);
	}
	mutex_unlock(&xiw_capture_mutex);
	if (busy)
		xiw_capture_free(capture);
	return busy ? -EBUSY : 0;
}

/* End a capture, wait for its writers, and free it. The mutex is held. */
static void xiw_capture_stop(struct xiw_capture *capture)
{
	list_del(&capture->link);
	RCU_INIT_POINTER(capture->dev->rnic.capture, NULL);
	static_branch_slow_dec_deferred(&xiw_capture_key);
	synchronize_rcu();
	xiw_capture_free(capture);
}

int xiw_capture_end(struct xiw_device *dev, const struct xiw_capture_owner *owner)
{
	struct xiw_capture *capture;

	mutex_lock(&xiw_capture_mutex);
	capture = xiw_capture_find(dev, owner);
	if (capture)
		xiw_capture_stop(capture);
	mutex_unlock(&xiw_capture_mutex);
	return capture ? 0 : -ENOENT;
}

void xiw_capture_remove(struct xiw_device *dev)
{
	struct xiw_capture *capture;

	mutex_lock(&xiw_capture_mutex);
	capture = rcu_dereference_protected(dev->rnic.capture,
					    lockdep_is_held(&xiw_capture_mutex));
	if (capture)
		xiw_capture_stop(capture);
	mutex_unlock(&xiw_capture_mutex);
}

/* End the captures of a netlink socket that was closed. */
static int xiw_capture_released(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *gone = data;
	struct xiw_capture *capture, *next;

	if (event != NETLINK_URELEASE || gone->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	/*
	 * This function runs whenever a generic netlink socket of the host is closed. So do not
	 * take the mutex if there is no capture. Even without the mutex, the check cannot miss a
	 * capture of this socket, because an earlier request of this socket has added the capture
	 * to the list.
	 */
	if (list_empty_careful(&xiw_captures))
		return NOTIFY_DONE;
	mutex_lock(&xiw_capture_mutex);
	list_for_each_entry_safe(capture, next, &xiw_captures, link)
		if (capture->owner.portid == gone->portid && capture->owner.net == gone->net)
			xiw_capture_stop(capture);
	mutex_unlock(&xiw_capture_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block xiw_capture_nb = {
	.notifier_call = xiw_capture_released,
};

int __init xiw_capture_init(void)
{
	return netlink_register_notifier(&xiw_capture_nb);
}

void xiw_capture_exit(void)
{
	netlink_unregister_notifier(&xiw_capture_nb);
	static_key_deferred_flush(&xiw_capture_key);
}
