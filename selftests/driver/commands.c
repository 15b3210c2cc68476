// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "commands.h"

#include "ring/admin.h"
#include "xiw.h"

struct commands {
	struct xiw_device dev;
	struct xiw_rnic_ops ops;
	struct xiw_admin_cmd ring[XIW_ADMIN_SLOTS];
	enum commands_answer answer;
	u8 status;
	unsigned int failures;
};

static struct task_struct commands_task;
struct task_struct *current = &commands_task;
unsigned long xiw_test_locks;
bool xiw_test_task;

static struct commands *commands_of(struct xiw_rnic *rnic)
{
	return container_of(xiw_device_of(rnic), struct commands, dev);
}

/* The RNIC answers inside this call, because no other task runs. */
static void commands_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	struct commands *commands = commands_of(rnic);
	struct xiw_event event = {
		.type = XIW_EV_ADMIN,
		.status = commands->status,
		.admin.tag = commands->ring[(value - 1) % XIW_ADMIN_SLOTS].tag,
	};

	if (commands->answer == COMMANDS_STATUS)
		xiw_admin_completed(&commands->dev, &event);
	else if (commands->answer == COMMANDS_FAIL)
		xiw_device_fail(&commands->dev, "test");
}

void xiw_device_fail(struct xiw_device *dev, const char *why)
{
	struct commands *commands = container_of(dev, struct commands, dev);

	if (atomic_xchg(&dev->failed, 1))
		return;
	commands->failures++;
	complete(&dev->reset);
	xiw_admin_failed(dev);
}

struct commands *commands_new(void)
{
	struct commands *commands = calloc(1, sizeof(*commands));

	commands->ops.doorbell = commands_doorbell;
	commands->ops.admin_seconds = 30;
	commands->dev.rnic.ops = &commands->ops;
	commands->dev.rnic.admin_ring = commands->ring;
	xiw_admin_init(&commands->dev.admin);
	init_completion(&commands->dev.reset);
	return commands;
}

void commands_free(struct commands *commands)
{
	free(commands);
}

int commands_run(struct commands *commands, enum commands_answer answer, uint8_t status)
{
	struct xiw_admin_cmd cmd = { .op = XIW_ADM_NOP };

	commands->answer = answer;
	commands->status = status;
	return xiw_admin_exec(&commands->dev, &cmd);
}

void commands_revoke(struct commands *commands, uint8_t status)
{
	struct xiw_admin_cmd cmd = { .op = XIW_ADM_STAG_CLEAR };

	commands->answer = COMMANDS_STATUS;
	commands->status = status;
	xiw_admin_revoke(&commands->dev, &cmd);
}

unsigned int commands_failures(const struct commands *commands)
{
	return commands->failures;
}

unsigned int commands_room(const struct commands *commands)
{
	return commands->dev.admin.room.count;
}
