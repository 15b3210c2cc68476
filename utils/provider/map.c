// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory shared with the kernel: queue mappings, and the doorbell command. */
#include "provider.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int xiw_map(struct ibv_context *context, struct xiw_ring *ring, const struct xiw_abi_queue *queue)
{
	void *area;

	area = mmap(NULL, queue->length, PROT_READ | PROT_WRITE, MAP_SHARED, context->cmd_fd,
		    (off_t)queue->key);
	if (area == MAP_FAILED)
		return errno;
	if (!xiw_ring_attach(ring, area, queue)) {
		munmap(area, queue->length);
		return EPROTO;
	}
	return 0;
}

void xiw_unmap(struct xiw_ring *ring)
{
	if (ring->shared)
		munmap(ring->shared, ring->length);
	ring->shared = NULL;
}

void xiw_doorbell_init(struct xiw_doorbell *bell, int fd, uint32_t command, uint32_t handle,
		       uint32_t wqe_size)
{
	memset(bell, 0, sizeof(*bell));
	bell->fd = fd;
	bell->cmd.hdr.command = command;
	bell->cmd.hdr.in_words = sizeof(bell->cmd) / 4;
	bell->cmd.hdr.out_words = sizeof(bell->resp) / 4;
	bell->cmd.post.response = (uintptr_t)&bell->resp;
	bell->cmd.post.qp_handle = handle;
	bell->cmd.post.wqe_size = wqe_size;
}

int xiw_doorbell_ring(struct xiw_doorbell *bell)
{
	ssize_t written;

	do
		written = write(bell->fd, &bell->cmd, sizeof(bell->cmd));
	while (written < 0 && errno == EINTR);
	return written == sizeof(bell->cmd) ? 0 : written < 0 ? errno : EIO;
}
