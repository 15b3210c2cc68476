// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "chunks.h"

#include "ring/admin.h"
#include "ring/share.h"
#include "ring/stag_table.h"
#include "verbs/mr.h"
#include "xiw.h"

struct chunks {
	struct xiw_device dev;
	struct xiw_rnic_ops ops;
	struct xiw_pd pd;
	struct xiw_stag_entry *chunk[CHUNKS_MAX];
	u64 bus[CHUNKS_MAX];
	u32 index, other;
	unsigned int passed, allocated;
	bool race, scarce;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct chunks *chunks_now;

/* ------------------------------------------------- functions that the driver calls */

u32 get_random_u32(void)
{
	return 0;
}

int ida_alloc_range(struct ida *ida, unsigned int low, unsigned int high, gfp_t gfp)
{
	return chunks_now->index;
}

u32 xiw_share_caller(void)
{
	return XIW_SHARE_NOBODY;
}

int xiw_share_take(struct xiw_device *dev, u32 user, enum xiw_shared what)
{
	return 0;
}

void xiw_share_give(struct xiw_device *dev, u32 user, enum xiw_shared what) {}

/*
 * Abort if the RNIC gets a chunk twice or out of order, or if it gets an entry before the chunk
 * that contains the entry.
 */
int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	u32 index = le32_to_cpu(cmd->index);

	if (cmd->op == XIW_ADM_STAG_CHUNK) {
		if (index != chunks_now->passed || index >= CHUNKS_MAX)
			abort();
		chunks_now->passed++;
	} else if (index >> 8 >= chunks_now->passed * XIW_STAG_CHUNK) {
		abort();
	}
	return 0;
}

void xiw_admin_revoke(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	if (xiw_admin_exec(dev, cmd))
		abort();
}

/*
 * Allocate a chunk. The allocation may wait for a long time, so abort if the driver holds the lock
 * of the table: other tasks would wait for this lock.
 */
static void *chunks_alloc(struct xiw_rnic *rnic, size_t size, u64 *bus, gfp_t gfp)
{
	struct chunks *chunks = chunks_now;
	void *mem;

	if (chunks->dev.stag_lock.held)
		abort();
	if (chunks->scarce)
		return NULL;
	mem = calloc(1, size);
	*bus = (uintptr_t)mem;
	chunks->allocated++;
	if (chunks->race) {
		chunks->race = false;
		if (chunks_give(chunks, chunks->other))
			abort();
	}
	return mem;
}

static void chunks_mem_free(struct xiw_rnic *rnic, size_t size, void *mem, u64 bus)
{
	chunks_now->allocated--;
	free(mem);
}

/* ---------------------------------------------------------------------- calls */

struct chunks *chunks_new(void)
{
	struct chunks *chunks = calloc(1, sizeof(*chunks));

	BUILD_BUG_ON(CHUNKS_ENTRIES != XIW_STAG_CHUNK);
	chunks->ops.alloc = chunks_alloc;
	chunks->ops.free = chunks_mem_free;
	chunks->dev.rnic.ops = &chunks->ops;
	chunks->dev.rnic.caps.max_stags = cpu_to_le32(CHUNKS_MAX * XIW_STAG_CHUNK);
	chunks->dev.stag_chunks = chunks->chunk;
	chunks->dev.stag_chunk_bus = chunks->bus;
	mutex_init(&chunks->dev.stag_lock);
	return chunks;
}

void chunks_free(struct chunks *chunks)
{
	u32 i;

	for (i = 0; i < chunks->dev.stag_chunk_count; i++)
		free(chunks->chunk[i]);
	free(chunks);
}

int chunks_give(struct chunks *chunks, uint32_t index)
{
	const struct xiw_stag_entry entry = {};
	u32 stag, share;

	chunks_now = chunks;
	chunks->index = index;
	return xiw_stag_give(&chunks->dev, &chunks->pd.ibpd, &entry, &stag, &share);
}

void chunks_race(struct chunks *chunks, uint32_t index)
{
	chunks->race = true;
	chunks->other = index;
}

void chunks_extending(struct chunks *chunks, bool extending)
{
	if (extending)
		mutex_lock(&chunks->dev.stag_lock);
	else
		mutex_unlock(&chunks->dev.stag_lock);
}

void chunks_scarce(struct chunks *chunks, bool scarce)
{
	chunks->scarce = scarce;
}

unsigned int chunks_passed(const struct chunks *chunks)
{
	return chunks->passed;
}

unsigned int chunks_allocated(const struct chunks *chunks)
{
	return chunks->allocated;
}
