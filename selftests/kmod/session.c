// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A session is an open file. write() executes one command completely, and read() returns the
 * answer. Closing the file destroys the session's objects in the order that a ULP uses: endpoints,
 * regions, protection domains, buffers.
 */
#include "session.h"

#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "cm.h"
#include "device.h"
#include "endpoint.h"
#include "region.h"

static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);

atomic_t xt_live[XT_OBJECTS];

static const char *const object_names[XT_OBJECTS] = {
	[XT_SESSION] = "session", [XT_BUF] = "buf", [XT_MAP] = "map",
	[XT_PD] = "pd", [XT_CQ] = "cq", [XT_QP] = "qp", [XT_CMID] = "cmid",
	[XT_MR] = "mr", [XT_SRQ] = "srq", [XT_WR] = "wr",
};

/* Append text to the answer. Drop what does not fit. */
void xt_say(struct xt_session *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	s->answer_len += vscnprintf(s->answer + s->answer_len, XT_ANSWER_MAX - s->answer_len - 1,
				    fmt, args);
	va_end(args);
}

void xt_kick(struct xt_session *s)
{
	atomic_inc(&s->seq);
	wake_up_all(&s->wait);
}

/*
 * If nothing in the session depends on the device that is being removed, clear s->removing, so that
 * the removal need not wait for this session. Return: true if s->removing is NULL.
 */
static bool removal_passes(struct xt_session *s)
{
	struct ib_device *ib = READ_ONCE(s->removing);

	if (!ib)
		return true;
	if (xt_endpoints_use(s, ib) || xt_devices_use(s, ib))
		return false;
	WRITE_ONCE(s->removing, NULL);
	wake_up_all(&s->wait);
	return true;
}

/*
 * Wait until done(arg) returns true, but at most @ms milliseconds. The caller holds s->lock, so the
 * work item of the pump cannot run. This function calls the pump, and polls the CQs that ib_core
 * does not poll. Return: 0, -ETIMEDOUT, -EINTR after a fatal signal, or -ENODEV if a device of the
 * session is being removed.
 */
int xt_wait(struct xt_session *s, bool (*done)(void *arg), void *arg, unsigned int ms)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(ms);

	for (;;) {
		int seen = atomic_read(&s->seq);
		enum xt_polled polled;
		long slice;

		xt_cm_pump(s);
		polled = xt_endpoints_poll(s, false);
		if (done(arg))
			return 0;
		if (!removal_passes(s))
			return -ENODEV;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after_eq(jiffies, deadline))
			return -ETIMEDOUT;
		if (polled == XT_POLL_BUSY) {
			cond_resched();
			continue;
		}
		slice = polled == XT_POLL_NOTIFIED ? 1 : min_t(long, HZ, deadline - jiffies);
		if (wait_event_killable_timeout(s->wait, atomic_read(&s->seq) != seen ||
						READ_ONCE(s->removing), max(slice, 1L)) < 0)
			return -EINTR;
	}
}

static void pump_work(struct work_struct *work)
{
	struct xt_session *s = container_of(to_delayed_work(work), struct xt_session, pump);

	mutex_lock(&s->lock);
	/*
	 * Poll only the CQs on which a hello is expected. Completions on other CQs that ib_core
	 * does not poll must wait for a command: otherwise the results of tests would depend on
	 * when the scheduler runs this work item.
	 */
	xt_endpoints_poll(s, true);
	if (xt_cm_pump(s))
		xt_cm_pump_later(s, 1);
	mutex_unlock(&s->lock);
}

static void forget_device(struct xt_session *s, struct ib_device *ib)
{
	xt_endpoints_destroy(s, ib);
	xt_regions_destroy(s, ib);
	xt_devices_destroy(s, ib);
}

static void session_forget(struct xt_session *s, struct ib_device *ib)
{
	bool locked = false;

	WRITE_ONCE(s->removing, ib);
	xt_kick(s);
	/* wait until the command that holds s->lock ends, or clears s->removing and continues */
	while (!locked && READ_ONCE(s->removing))
		wait_event_timeout(s->wait, !READ_ONCE(s->removing) ||
				   (locked = mutex_trylock(&s->lock)), HZ / 50 + 1);
	if (!locked)
		return;
	forget_device(s, ib);
	WRITE_ONCE(s->removing, NULL);
	mutex_unlock(&s->lock);
}

/*
 * Destroy the objects of all sessions on a device that is being unregistered. rdma_cm is notified
 * of the removal later. The caller has called xt_device_removed(), so sessions create no new
 * objects on the device.
 */
void xt_sessions_forget(struct ib_device *ib)
{
	struct xt_session *s;

	mutex_lock(&sessions_lock);
	list_for_each_entry(s, &sessions, node)
		session_forget(s, ib);
	mutex_unlock(&sessions_lock);
}

static int session_open(struct inode *inode, struct file *file)
{
	struct xt_session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	mutex_init(&s->lock);
	init_waitqueue_head(&s->wait);
	INIT_DELAYED_WORK(&s->pump, pump_work);
	spin_lock_init(&s->pending_lock);
	INIT_LIST_HEAD(&s->pending);
	INIT_LIST_HEAD(&s->devs);
	INIT_LIST_HEAD(&s->bufs);
	INIT_LIST_HEAD(&s->regions);
	INIT_LIST_HEAD(&s->eps);
	xt_born(XT_SESSION);
	mutex_lock(&sessions_lock);
	list_add_tail(&s->node, &sessions);
	mutex_unlock(&sessions_lock);
	file->private_data = s;
	return nonseekable_open(inode, file);
}

static int session_release(struct inode *inode, struct file *file)
{
	struct xt_session *s = file->private_data;

	mutex_lock(&sessions_lock);
	list_del(&s->node);
	mutex_unlock(&sessions_lock);

	mutex_lock(&s->lock);
	forget_device(s, NULL);
	xt_buffers_destroy(s);
	mutex_unlock(&s->lock);
	cancel_delayed_work_sync(&s->pump);
	xt_died(XT_SESSION);
	kvfree(s);
	return 0;
}

/* Put the status before the answer of the command, and end the line. */
static void answer_finish(struct xt_session *s, int err)
{
	char head[48] = "status=ok", name[24];
	size_t n;

	if (err) {
		/* %pe prints "-ENAME" */
		snprintf(name, sizeof(name), "%pe", ERR_PTR(err));
		snprintf(head, sizeof(head), "status=error errno=%s", name + 1);
	}
	n = strlen(head);
	s->answer_len = min(s->answer_len, XT_ANSWER_MAX - n - 1);
	memmove(s->answer + n, s->answer, s->answer_len);
	memcpy(s->answer, head, n);
	s->answer_len += n;
	s->answer[s->answer_len++] = '\n';
}

/*
 * write() succeeds if the session can read the line. The result of the command is the status in the
 * answer, so a script needs to check only the answer.
 */
static ssize_t session_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct xt_session *s = file->private_data;
	int err;

	if (len >= XT_LINE_MAX)
		return -E2BIG;
	if (mutex_lock_killable(&s->lock))
		return -EINTR;
	if (copy_from_user(s->line, buf, len)) {
		mutex_unlock(&s->lock);
		return -EFAULT;
	}
	s->line[len] = 0;
	s->answer_pos = 0;
	s->answer_len = 0;
	err = xt_command_run(s, s->line);
	answer_finish(s, err);
	mutex_unlock(&s->lock);
	return len;
}

static ssize_t session_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct xt_session *s = file->private_data;
	ssize_t n;

	if (mutex_lock_killable(&s->lock))
		return -EINTR;
	n = min(len, s->answer_len - s->answer_pos);
	if (copy_to_user(buf, s->answer + s->answer_pos, n))
		n = -EFAULT;
	else
		s->answer_pos += n;
	mutex_unlock(&s->lock);
	return n;
}

const struct file_operations xt_session_fops = {
	.owner		= THIS_MODULE,
	.open		= session_open,
	.release	= session_release,
	.read		= session_read,
	.write		= session_write,
};

static unsigned int list_length(const struct list_head *head)
{
	const struct list_head *p;
	unsigned int n = 0;

	list_for_each(p, head)
		n++;
	return n;
}

int xt_stat_command(struct xt_session *s, struct xt_args *a)
{
	int i;

	xt_say(s, " eps=%u bufs=%u regions=%u devs=%u ep_octets=%lu", list_length(&s->eps),
	       list_length(&s->bufs), list_length(&s->regions), list_length(&s->devs),
	       roundup_pow_of_two(sizeof(struct xt_ep)));
	for (i = 0; i < XT_OBJECTS; i++)
		xt_say(s, " %s=%d", object_names[i], atomic_read(&xt_live[i]));
	return 0;
}
