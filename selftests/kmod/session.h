/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_SESSION_H
#define XT_SESSION_H

#include <linux/fs.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "command.h"

struct ib_device;

#define XT_LINE_MAX	2048
#define XT_ANSWER_MAX	16384

/*
 * Default of timeout= in milliseconds. The module parameter patience= multiplies it, because
 * commands take longer on a busy host.
 */
extern unsigned int xt_patience;
#define XT_TIMEOUT_MS	(30000 * xt_patience)

/* Module parameter softirq=: if false, CQs with poll=softirq use a workqueue. */
extern bool xt_softirq;

/**
 * struct xt_session - one open file of /dev/xiw_test
 * @node: link in the list of all sessions
 * @lock: held by the command that runs, or by the pump; never taken in a CM handler, because
 *	a command holds this lock while rdma_destroy_id() waits for handlers
 * @wait: woken by every event that a command may wait for
 * @seq: incremented by xt_kick() before it wakes @wait
 * @removing: device that is being removed, or NULL; if the session uses the device, a waiting
 *	command ends with ENODEV, otherwise it clears this pointer and continues
 * @pump: work item that accepts requests and answers hellos
 * @pending_lock: protects @pending; taken in CM handlers
 * @pending: endpoints of connect requests that the pump has not handled
 * @devs: list of struct xt_dev
 * @bufs: list of struct xt_buf
 * @regions: list of struct xt_region
 * @eps: list of struct xt_ep
 * @next_ep: number of the next endpoint
 * @args: arguments of the running command
 * @line: text of the running command
 * @answer: text of the last answer
 * @answer_len: number of octets in the answer
 * @answer_pos: number of octets that are already read
 */
struct xt_session {
	struct list_head	node;
	struct mutex		lock;		/* held by a command or the pump */
	wait_queue_head_t	wait;
	atomic_t		seq;
	struct ib_device	*removing;
	struct delayed_work	pump;
	spinlock_t		pending_lock;	/* pending */
	struct list_head	pending;
	struct list_head	devs, bufs, regions, eps;
	unsigned int		next_ep;
	struct xt_args		args;
	char			line[XT_LINE_MAX];
	char			answer[XT_ANSWER_MAX];
	size_t			answer_len, answer_pos;
};

extern const struct file_operations xt_session_fops;

__printf(2, 3) void xt_say(struct xt_session *s, const char *fmt, ...);
void xt_kick(struct xt_session *s);
int xt_wait(struct xt_session *s, bool (*done)(void *arg), void *arg, unsigned int ms);
void xt_sessions_forget(struct ib_device *ib);
int xt_stat_command(struct xt_session *s, struct xt_args *a);

/* xt_live[] contains the number of existing objects of each type: 0 if no session is open. */
enum xt_object {
	XT_SESSION, XT_BUF, XT_MAP, XT_PD, XT_CQ, XT_QP, XT_CMID, XT_MR, XT_SRQ, XT_WR,
	XT_OBJECTS
};

extern atomic_t xt_live[XT_OBJECTS];

static inline void xt_born(enum xt_object what)
{
	atomic_inc(&xt_live[what]);
}

static inline void xt_died(enum xt_object what)
{
	atomic_dec(&xt_live[what]);
}

#endif
