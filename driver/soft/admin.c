// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The admin ring. Commands that need not sleep are executed in the doorbell. command.c executes the
 * commands of connections. A command is consumed only if a notice for its completion is free, so no
 * completion is lost.
 */
#include <linux/slab.h>

#include "soft/shared_rx.h"
#include "soft/stream.h"

static void done_written(struct xiw_soft *soft, struct xiw_soft_notice *notice)
{
	struct xiw_soft_admin *admin = &soft->admin;
	unsigned long flags;

	spin_lock_irqsave(&admin->lock, flags);
	list_add_tail(&notice->node, &admin->spare);
	admin->open--;
	spin_unlock_irqrestore(&admin->lock, flags);
}

/**
 * xiw_soft_admin_done - complete an admin command
 * @soft: the RNIC
 * @tag: tag of the command
 * @status: status of the command
 *
 * Call this once per consumed command.
 *
 * Context: any except hard interrupts, with any lock except vector->lock and admin.lock.
 */
void xiw_soft_admin_done(struct xiw_soft *soft, u32 tag, enum xiw_status status)
{
	struct xiw_soft_admin *admin = &soft->admin;
	struct xiw_soft_notice *notice;
	unsigned long flags;

	spin_lock_irqsave(&admin->lock, flags);
	notice = list_first_entry_or_null(&admin->spare, struct xiw_soft_notice, node);
	if (!WARN_ON_ONCE(!notice))
		list_del_init(&notice->node);
	spin_unlock_irqrestore(&admin->lock, flags);
	if (!notice)
		return;
	notice->ev = (struct xiw_event){
		.type = XIW_EV_ADMIN,
		.status = status,
		.admin.tag = cpu_to_le32(tag),
		.admin.result = cpu_to_le32(status),
	};
	xiw_soft_notify(soft, notice);
}

/* Execute a command. Return: its status; negative if the command will be answered later. */
static int execute(struct xiw_soft *soft, const struct xiw_admin_cmd *cmd)
{
	u32 index = le32_to_cpu(cmd->index), tag = le32_to_cpu(cmd->tag);

	switch (cmd->op) {
	case XIW_ADM_NOP:
		return XIW_OK;
	case XIW_ADM_MATCH_LOAD:
		if (!cmd->addr)
			return XIW_ERR_INVALID;
		memcpy(soft->match, xiw_soft_va(cmd->addr), sizeof(soft->match));
		return XIW_OK;
	case XIW_ADM_EVENT_CREATE:
		return xiw_soft_event_create(soft, index, &cmd->ring);
	case XIW_ADM_EVENT_DESTROY:
		if (index >= soft->nr_vectors)
			return XIW_ERR_INVALID;
		xiw_soft_event_destroy(soft, index);
		return XIW_OK;
	case XIW_ADM_STAG_CHUNK:
		return xiw_soft_stag_chunk(soft, index, xiw_soft_va(cmd->addr));
	case XIW_ADM_STAG_SET:
		return xiw_soft_stag_set(soft, index, &cmd->entry, NULL);
	case XIW_ADM_STAG_CLEAR:
		return xiw_soft_stag_clear(soft, index, tag);
	case XIW_ADM_SHARED_RX_CREATE:
		return xiw_soft_shared_rx_create(soft, index, &cmd->ring);
	case XIW_ADM_SHARED_RX_DESTROY:
		return xiw_soft_shared_rx_destroy(soft, index);
	case XIW_ADM_STREAM_CREATE:
		return xiw_soft_stream_create(soft, index, &cmd->stream);
	case XIW_ADM_STREAM_DESTROY:
		return xiw_soft_stream_destroy(soft, index, tag);
	case XIW_ADM_LISTEN:
	case XIW_ADM_UNLISTEN:
	case XIW_ADM_CONN_POST:
	case XIW_ADM_CONNECT:
	case XIW_ADM_ACCEPT:
	case XIW_ADM_REJECT:
	case XIW_ADM_CONN_FREE:
		xiw_soft_conn_command(soft, cmd);
		return -EINPROGRESS;
	default:
		return XIW_ERR_UNSUPPORTED;
	}
}

/*
 * Consume the available commands. There is one consumer at a time, so commands keep their order.
 * The caller holds the RCU read lock, under which it has read soft->down as false. After the call,
 * the caller dispatches the commands of connections, including commands that other callers have
 * queued.
 */
static void consume(struct xiw_soft *soft)
{
	struct xiw_soft_admin *admin = &soft->admin;
	u32 size = 1U << soft->rnic->admin_log2;
	struct xiw_admin_cmd cmd;
	unsigned long flags;
	int status;

	spin_lock_irqsave(&admin->lock, flags);
	if (admin->busy) {
		spin_unlock_irqrestore(&admin->lock, flags);
		return;
	}
	admin->busy = true;
	while (admin->cons != admin->seen && admin->open < size && !READ_ONCE(soft->down)) {
		cmd = soft->rnic->admin_ring[admin->cons & (size - 1)];
		/* pairs with xiw_soft_admin_resume(), which reads without the lock */
		WRITE_ONCE(admin->cons, admin->cons + 1);
		admin->open++;
		spin_unlock_irqrestore(&admin->lock, flags);
		status = execute(soft, &cmd);
		if (status >= 0)
			xiw_soft_admin_done(soft, le32_to_cpu(cmd.tag), status);
		spin_lock_irqsave(&admin->lock, flags);
	}
	admin->busy = false;
	spin_unlock_irqrestore(&admin->lock, flags);
}

/*
 * Continue with commands that waited for a free notice. Any context except hard interrupts, with
 * any lock except vector->lock and admin.lock.
 */
void xiw_soft_admin_resume(struct xiw_soft *soft)
{
	struct xiw_soft_admin *admin = &soft->admin;

	if (likely(READ_ONCE(admin->cons) == READ_ONCE(admin->seen)))
		return;
	/* soft_stop() sets soft->down and waits for readers before soft->cm is freed. */
	rcu_read_lock();
	if (!READ_ONCE(soft->down)) {
		consume(soft);
		xiw_soft_conn_dispatch_later(soft);
	}
	rcu_read_unlock();
}

/**
 * xiw_soft_admin_rung - handle XIW_DB_ADMIN
 * @soft: the RNIC
 * @producer: producer index of the admin ring, free-running
 *
 * Context: process, with interrupts enabled and no lock held; BH are disabled except on PREEMPT_RT.
 * The caller holds the RCU read lock.
 */
void xiw_soft_admin_rung(struct xiw_soft *soft, u32 producer)
{
	struct xiw_soft_admin *admin = &soft->admin;
	unsigned long flags;

	spin_lock_irqsave(&admin->lock, flags);
	/* Doorbells may overtake each other, so keep the newest index. */
	if ((s32)(producer - admin->seen) > 0)
		WRITE_ONCE(admin->seen, producer);
	spin_unlock_irqrestore(&admin->lock, flags);
	consume(soft);
	xiw_soft_conn_dispatch(soft);
}

int xiw_soft_admin_start(struct xiw_soft *soft)
{
	struct xiw_soft_admin *admin = &soft->admin;
	u32 i, size = 1U << soft->rnic->admin_log2;

	spin_lock_init(&admin->lock);
	INIT_LIST_HEAD(&admin->spare);
	admin->done = kvcalloc(size, sizeof(*admin->done), GFP_KERNEL);
	if (!admin->done)
		return -ENOMEM;
	for (i = 0; i < size; i++) {
		admin->done[i].written = done_written;
		list_add_tail(&admin->done[i].node, &admin->spare);
	}
	return 0;
}

void xiw_soft_admin_stop(struct xiw_soft *soft)
{
	kvfree(soft->admin.done);
}
