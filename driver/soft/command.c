// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Admin commands of connections. The dispatcher in this file executes the commands that create
 * conns and listeners, in the order of the ring, and passes all other commands to the work item of
 * the conn or listener. The dispatcher runs in the doorbell, so that a connection is set up with
 * few switches between tasks. In the doorbell, the dispatcher neither sleeps nor opens a socket. If
 * a command opens a socket or needs memory that is not free, the work item of the dispatcher
 * executes this command and all later commands. A socket belongs to the cgroup of the task that
 * opens it, so a task of a user must not open it. On PREEMPT_RT, the dispatcher runs only in its
 * work item.
 */
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "soft/listen.h"

/* ------------------------------------------------------------------- commands */

void xiw_soft_command_done(struct xiw_soft *soft, struct xiw_soft_command *command,
			   enum xiw_status status)
{
	u32 tag = le32_to_cpu(command->cmd.tag);

	/*
	 * Return the command to the pool first, because the completion may cause the next command.
	 */
	spin_lock_irq(&soft->cm->lock);
	list_add(&command->node, &soft->cm->spare);
	spin_unlock_irq(&soft->cm->lock);
	xiw_raise_begin();
	xiw_soft_admin_done(soft, tag, status);
	xiw_raise_end();
}

struct xiw_soft_command *xiw_soft_command_next(struct xiw_soft *soft, struct list_head *list)
{
	struct xiw_soft_command *command;

	spin_lock_irq(&soft->cm->lock);
	command = list_first_entry_or_null(list, struct xiw_soft_command, node);
	if (command)
		list_del(&command->node);
	spin_unlock_irq(&soft->cm->lock);
	return command;
}

static void hand_over(struct xiw_soft_cm *cm, struct xiw_soft_command *command,
		      struct list_head *list)
{
	spin_lock_irq(&cm->lock);
	list_add_tail(&command->node, list);
	spin_unlock_irq(&cm->lock);
}

/**
 * xiw_soft_conn_command - queue a command of a connection or listener
 * @soft: the RNIC
 * @cmd: command from XIW_ADM_LISTEN to XIW_ADM_CONN_FREE, which is copied
 *
 * The caller then calls xiw_soft_conn_dispatch() or xiw_soft_conn_dispatch_later().
 * xiw_soft_admin_done() answers the command, unless the RNIC stops first.
 *
 * Context: any.
 */
void xiw_soft_conn_command(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd)
{
	struct xiw_soft_cm *cm = soft->cm;
	struct xiw_soft_command *command;
	unsigned long flags;

	spin_lock_irqsave(&cm->lock, flags);
	command = list_first_entry_or_null(&cm->spare, struct xiw_soft_command, node);
	if (!cm->down && !WARN_ON_ONCE(!command)) {
		command->cmd = *cmd;
		list_move_tail(&command->node, &cm->queue);
	}
	spin_unlock_irqrestore(&cm->lock, flags);
}

/* ------------------------------------------------------------------- creation */

static struct xiw_conn_buf *buffer_of(const struct xiw_admin_cmd *cmd)
{
	return xiw_soft_va(cmd->addr);
}

static enum xiw_status into_slot(struct xiw_soft_conn *conn, gfp_t gfp)
{
	return xiw_soft_status(xa_insert(&conn->soft->conns, conn->slot, conn, gfp));
}

static enum xiw_status listen(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd)
{
	struct xiw_conn_buf *buf = buffer_of(cmd);
	u32 index = le32_to_cpu(cmd->index);

	if (!buf || index >= XIW_SOFT_MAX_LISTENERS)
		return XIW_ERR_INVALID;
	return xiw_soft_listener_create(soft, index, buf, le32_to_cpu(cmd->count));
}

static struct xiw_soft_listener *listener_get(struct xiw_soft *soft, u32 index)
{
	struct xiw_soft_listener *l;

	xa_lock(&soft->listeners);
	l = xa_load(&soft->listeners, index);
	if (l)
		refcount_inc(&l->refs);
	xa_unlock(&soft->listeners);
	return l;
}

static enum xiw_status conn_post(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd,
				 gfp_t gfp)
{
	struct xiw_conn_buf *buf = buffer_of(cmd);
	struct xiw_soft_listener *l;
	struct xiw_soft_conn *conn;
	enum xiw_status status;

	if (!buf || le32_to_cpu(cmd->index) >= XIW_SOFT_MAX_CONNS)
		return XIW_ERR_INVALID;
	l = listener_get(soft, le32_to_cpu(cmd->other));
	if (!l)
		return XIW_ERR_INVALID;
	conn = xiw_soft_conn_create(soft, le32_to_cpu(cmd->index), buf, XIW_CONN_POSTED,
				    gfp);
	if (!conn) {
		xiw_soft_listener_put(l);
		return XIW_ERR_NOMEM;
	}
	conn->listener = l;
	status = into_slot(conn, gfp);
	if (status)
		xiw_soft_conn_discard(conn);
	return status;
}

static bool connect_valid(const struct xiw_conn_buf *buf, u32 slot)
{
	u16 limit;

	if (!buf || slot >= XIW_SOFT_MAX_CONNS)
		return false;
	if (buf->params.mpa_rev > 2 || !buf->remote.port)
		return false;
	if (buf->remote.family != 4 && buf->remote.family != 6)
		return false;
	if (buf->local.family && buf->local.family != buf->remote.family)
		return false;
	limit = buf->params.mpa_rev == 1 ? XIW_MPA_PD_MAX : XIW_MPA_ENHANCED_PD_MAX;
	return le16_to_cpu(buf->private_length) <= limit;
}

static enum xiw_status connect(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd, gfp_t gfp)
{
	struct xiw_conn_buf *buf = buffer_of(cmd);
	u32 slot = le32_to_cpu(cmd->index);
	struct xiw_soft_stream *stream;
	struct xiw_soft_conn *conn;
	enum xiw_status status;

	if (!connect_valid(buf, slot))
		return XIW_ERR_INVALID;
	stream = xiw_soft_stream_get(soft, le32_to_cpu(cmd->other));
	if (!stream)
		return XIW_ERR_INVALID;
	conn = xiw_soft_conn_create(soft, slot, buf, XIW_CONN_START, gfp);
	if (!conn) {
		xiw_soft_stream_put(stream);
		return XIW_ERR_NOMEM;
	}
	conn->stream = stream;
	conn->stream_index = le32_to_cpu(cmd->other);
	status = into_slot(conn, gfp);
	if (status) {
		xiw_soft_conn_discard(conn);
		return status;
	}
	/* From now on, the stream may queue the work item of the conn (XIW_NOTE_UNWANTED). */
	if (!xiw_soft_stream_expect(stream, conn))
		conn->lost = XIW_ERR_GONE;
	return XIW_OK;
}

/* ------------------------------------------------------------------- dispatch */

static bool pass_to_conn(struct xiw_soft *soft, struct xiw_soft_command *command)
{
	struct xiw_soft_conn *conn;

	/* A conn leaves the array before its slot reference is dropped, so this conn is valid. */
	xa_lock(&soft->conns);
	conn = xa_load(&soft->conns, le32_to_cpu(command->cmd.index));
	if (conn)
		refcount_inc(&conn->refs);
	xa_unlock(&soft->conns);
	if (!conn)
		return false;
	hand_over(soft->cm, command, &conn->commands);
	xiw_soft_conn_kick(conn);
	xiw_soft_conn_put(conn);
	return true;
}

static bool pass_to_listener(struct xiw_soft *soft, struct xiw_soft_command *command)
{
	struct xiw_soft_listener *l = listener_get(soft, le32_to_cpu(command->cmd.index));

	if (!l)
		return false;
	hand_over(soft->cm, command, &l->commands);
	xiw_soft_listener_kick(l);
	xiw_soft_listener_put(l);
	return true;
}

/*
 * Start a conn after the completion of the command that created it, so that no event of the conn
 * overtakes the completion. Before this call, no command and no peer can reach the conn.
 */
static void set_off(struct xiw_soft *soft, u32 slot)
{
	struct xiw_soft_conn *conn = xa_load(&soft->conns, slot);

	if (WARN_ON_ONCE(!conn))
		return;
	if (!conn->listener)
		xiw_soft_conn_kick(conn);
	else if (!xiw_soft_listener_post(conn))
		xiw_soft_conn_note(conn, XIW_NOTE_DROP);
}

/*
 * Execute a command, or pass it to its conn or listener. Return: false if the command must sleep or
 * needs memory that is not free, and @gfp forbids sleeping. In this case, nothing has changed.
 */
static bool dispatch(struct xiw_soft *soft, struct xiw_soft_command *command, gfp_t gfp)
{
	u32 index = le32_to_cpu(command->cmd.index);
	enum xiw_status status = XIW_ERR_INVALID;
	u8 op = command->cmd.op;

	switch (op) {
	case XIW_ADM_LISTEN:
		if (!gfpflags_allow_blocking(gfp))
			return false;
		status = listen(soft, &command->cmd);
		break;
	case XIW_ADM_CONN_POST:
		status = conn_post(soft, &command->cmd, gfp);
		break;
	case XIW_ADM_CONNECT:
		status = connect(soft, &command->cmd, gfp);
		break;
	case XIW_ADM_UNLISTEN:
		if (pass_to_listener(soft, command))
			return true;
		break;
	default:
		if (pass_to_conn(soft, command))
			return true;
	}
	if (status == XIW_ERR_NOMEM && !gfpflags_allow_blocking(gfp))
		return false;
	xiw_soft_command_done(soft, command, status);
	if (!status && (op == XIW_ADM_CONNECT || op == XIW_ADM_CONN_POST))
		set_off(soft, index);
	return true;
}

/*
 * Become the dispatcher. Return: false if there is nothing to do, or if another context is the
 * dispatcher; that context also executes the commands that are queued now.
 */
static bool begin(struct xiw_soft_cm *cm)
{
	bool begins;

	spin_lock_irq(&cm->lock);
	begins = !cm->dispatching && !cm->down && !list_empty(&cm->queue);
	if (begins)
		cm->dispatching = true;
	spin_unlock_irq(&cm->lock);
	return begins;
}

/*
 * Get the next command for the dispatcher. Return NULL if there is none; the caller is then no
 * longer the dispatcher.
 */
static struct xiw_soft_command *next(struct xiw_soft_cm *cm)
{
	struct xiw_soft_command *command = NULL;

	spin_lock_irq(&cm->lock);
	if (!cm->down)
		command = list_first_entry_or_null(&cm->queue, struct xiw_soft_command, node);
	if (command)
		list_del(&command->node);
	else
		cm->dispatching = false;
	spin_unlock_irq(&cm->lock);
	return command;
}

/*
 * Leave a command and all later commands to the work item. The caller is no longer the dispatcher.
 */
static void leave(struct xiw_soft_cm *cm, struct xiw_soft_command *command)
{
	spin_lock_irq(&cm->lock);
	list_add(&command->node, &cm->queue);
	cm->dispatching = false;
	queue_work(cm->soft->wq, &cm->dispatch);
	spin_unlock_irq(&cm->lock);
}

/* Execute at most @left queued commands, and leave the others to the work item. */
static void dispatch_all(struct xiw_soft_cm *cm, gfp_t gfp, u32 left)
{
	struct xiw_soft_command *command;

	if (!begin(cm))
		return;
	while ((command = next(cm))) {
		if (left-- && dispatch(cm->soft, command, gfp))
			continue;
		leave(cm, command);
		return;
	}
}

static void dispatch_work(struct work_struct *work)
{
	struct xiw_soft_cm *cm = container_of(work, struct xiw_soft_cm, dispatch);
	unsigned int noio = memalloc_noio_save();

	dispatch_all(cm, GFP_KERNEL, U32_MAX);
	memalloc_noio_restore(noio);
}

/**
 * xiw_soft_conn_dispatch_later - let the work item execute the queued commands
 * @soft: the RNIC; the caller holds the RCU read lock, under which it has read soft->down as false
 *
 * Context: any.
 */
void xiw_soft_conn_dispatch_later(struct xiw_soft *soft)
{
	struct xiw_soft_cm *cm = soft->cm;
	unsigned long flags;

	if (list_empty_careful(&cm->queue))
		return;
	spin_lock_irqsave(&cm->lock, flags);
	if (!cm->down)
		queue_work(soft->wq, &cm->dispatch);
	spin_unlock_irqrestore(&cm->lock, flags);
}

/**
 * xiw_soft_conn_dispatch - execute the queued commands
 * @soft: the RNIC; the caller holds the RCU read lock, under which it has read soft->down as false
 *
 * Executes at most as many commands as the admin ring holds. The work item executes the others, and
 * executes all commands on PREEMPT_RT, where the caller may be preempted.
 *
 * Context: process, with BH disabled (except on PREEMPT_RT), interrupts enabled and no lock held.
 * Does not sleep.
 */
void xiw_soft_conn_dispatch(struct xiw_soft *soft)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		xiw_soft_conn_dispatch_later(soft);
	else if (!list_empty_careful(&soft->cm->queue))
		dispatch_all(soft->cm, GFP_NOWAIT | __GFP_NOWARN, 1U << soft->rnic->admin_log2);
}

/* -------------------------------------------------------------- start and stop */

int xiw_soft_conns_start(struct xiw_soft *soft)
{
	u32 i, size = 1U << soft->rnic->admin_log2;
	struct xiw_soft_cm *cm;

	cm = kzalloc(sizeof(*cm), GFP_KERNEL);
	if (!cm)
		return -ENOMEM;
	cm->pool = kvcalloc(size, sizeof(*cm->pool), GFP_KERNEL);
	if (!cm->pool) {
		kfree(cm);
		return -ENOMEM;
	}
	spin_lock_init(&cm->lock);
	INIT_LIST_HEAD(&cm->spare);
	INIT_LIST_HEAD(&cm->queue);
	INIT_LIST_HEAD(&cm->conns);
	INIT_LIST_HEAD(&cm->listeners);
	INIT_LIST_HEAD(&cm->closing);
	init_waitqueue_head(&cm->idle);
	INIT_WORK(&cm->dispatch, dispatch_work);
	for (i = 0; i < size; i++)
		list_add_tail(&cm->pool[i].node, &cm->spare);
	cm->soft = soft;
	xa_init(&soft->conns);
	xa_init(&soft->listeners);
	soft->cm = cm;
	return 0;
}

void xiw_soft_cm_join(struct xiw_soft_cm *cm, struct list_head *node, struct list_head *list)
{
	unsigned long flags;

	spin_lock_irqsave(&cm->lock, flags);
	list_add_tail(node, list);
	WRITE_ONCE(cm->count, cm->count + 1);
	spin_unlock_irqrestore(&cm->lock, flags);
}

void xiw_soft_cm_leave(struct xiw_soft_cm *cm, struct list_head *node)
{
	unsigned long flags;

	spin_lock_irqsave(&cm->lock, flags);
	list_del(node);
	WRITE_ONCE(cm->count, cm->count - 1);
	if (!cm->count)
		wake_up(&cm->idle);
	spin_unlock_irqrestore(&cm->lock, flags);
}

/*
 * Stop every conn and listener. Each of them moves to a local list first, so that it is stopped
 * only once. At the end, all of them return to the lists of cm.
 */
static void stop_all(struct xiw_soft_cm *cm)
{
	struct xiw_soft_listener *l;
	struct xiw_soft_conn *conn;
	LIST_HEAD(told_listeners);
	LIST_HEAD(told_conns);

	spin_lock_irq(&cm->lock);
	while (!list_empty(&cm->listeners)) {
		l = list_first_entry(&cm->listeners, struct xiw_soft_listener, node);
		list_move(&l->node, &told_listeners);
		if (!refcount_inc_not_zero(&l->refs))
			continue;
		spin_unlock_irq(&cm->lock);
		xiw_soft_listener_stop(l);
		xiw_soft_listener_put(l);
		spin_lock_irq(&cm->lock);
	}
	while (!list_empty(&cm->conns)) {
		conn = list_first_entry(&cm->conns, struct xiw_soft_conn, node);
		list_move(&conn->node, &told_conns);
		if (!refcount_inc_not_zero(&conn->refs))
			continue;
		spin_unlock_irq(&cm->lock);
		xiw_soft_conn_note(conn, XIW_NOTE_STOP);
		xiw_soft_conn_put(conn);
		spin_lock_irq(&cm->lock);
	}
	list_splice(&told_listeners, &cm->listeners);
	list_splice(&told_conns, &cm->conns);
	spin_unlock_irq(&cm->lock);
}

static void poll_streams(struct xiw_soft *soft)
{
	unsigned int i;

	local_bh_disable();
	for (i = 0; i < soft->nr_vectors; i++)
		xiw_soft_streams_poll(&soft->vector[i], INT_MAX);
	local_bh_enable();
}

/**
 * xiw_soft_conns_stop - reset every connection and close every listener
 * @soft: the RNIC; soft->down is set and blocks further doorbells
 *
 * Waits for other CPUs that use sockets or work items, but not for peers. On return, there is no
 * socket, timer or work item, and no buffer of the driver is in use.
 *
 * Context: process.
 */
void xiw_soft_conns_stop(struct xiw_soft *soft)
{
	struct xiw_soft_cm *cm = soft->cm;
	unsigned long late = jiffies + 10 * HZ;

	spin_lock_irq(&cm->lock);
	cm->down = true;
	spin_unlock_irq(&cm->lock);
	/*
	 * Wait for RCU readers that queue or execute commands. Afterwards, nothing queues the work
	 * item, because doorbells and xiw_soft_admin_resume() see soft->down.
	 */
	synchronize_rcu();
	cancel_work_sync(&cm->dispatch);

	stop_all(cm);
	/*
	 * Poll the streams here: a stream returns its socket in a poll, and the driver may already
	 * have disabled its polls.
	 */
	while (!wait_event_timeout(cm->idle, !READ_ONCE(cm->count), HZ / 50 + 1)) {
		poll_streams(soft);
		WARN_ONCE(time_after(jiffies, late), "xiw: a connection does not stop\n");
	}
	/*
	 * Wait until all work items have ended, and until the context that has decreased the count
	 * to 0 has released cm->lock.
	 */
	flush_workqueue(soft->wq);
	spin_lock_irq(&cm->lock);
	spin_unlock_irq(&cm->lock);

	xa_destroy(&soft->conns);
	xa_destroy(&soft->listeners);
	kvfree(cm->pool);
	kfree(cm);
	soft->cm = NULL;
}
