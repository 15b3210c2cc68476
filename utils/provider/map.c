// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory shared with the kernel: queue mappings, and the doorbell command. */
#include "provider.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Map a queue at the reserved address @place. If @place is NULL, map the queue at any address. */
static int xiw_map_at(struct ibv_context *context, struct xiw_ring *ring,
		      const struct xiw_abi_queue *queue, void *place)
{
	void *area;

	area = mmap(place, queue->length, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (place ? MAP_FIXED : 0), context->cmd_fd, (off_t)queue->key);
	if (area == MAP_FAILED)
		return errno;
	if (!xiw_ring_attach(ring, area, queue)) {
		munmap(area, queue->length);
		return EPROTO;
	}
	return 0;
}

int xiw_map(struct ibv_context *context, struct xiw_ring *ring, const struct xiw_abi_queue *queue)
{
	return xiw_map_at(context, ring, queue, NULL);
}

void *xiw_reserve(size_t length)
{
	void *place = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);

	return place == MAP_FAILED ? NULL : place;
}

void xiw_unreserve(void *place, size_t length)
{
	munmap(place, length);
}

int xiw_map_reserved(struct ibv_context *context, struct xiw_ring *ring,
		     const struct xiw_abi_queue *queue, void *place, size_t length)
{
	int err = EAGAIN;

	if (queue->length == length)
		err = xiw_map_at(context, ring, queue, place);
	/* After EAGAIN, the reservation still exists, and counts against RLIMIT_MEMLOCK. */
	if (err != EAGAIN)
		return err;
	xiw_unreserve(place, length);
	return xiw_map(context, ring, queue);
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

/*
 * Ring the doorbell by an ioctl. write() fails with EACCES if the credentials of the thread have
 * changed since the device was opened, for example by setfsuid(). write() fails even if the thread
 * has restored its ids. The ioctl has no such check.
 */
static int xiw_doorbell_invoke(struct xiw_doorbell *bell)
{
	const struct ib_uverbs_attr attrs[] = {
		{
			.attr_id = UVERBS_ATTR_WRITE_CMD,
			.len = sizeof(uint64_t),
			.flags = UVERBS_ATTR_F_MANDATORY,
			.data = bell->cmd.hdr.command,
		},
		{
			.attr_id = UVERBS_ATTR_CORE_IN,
			.len = sizeof(bell->cmd.post),
			.flags = UVERBS_ATTR_F_MANDATORY,
			.data = (uintptr_t)&bell->cmd.post,
		},
		{
			.attr_id = UVERBS_ATTR_CORE_OUT,
			.len = sizeof(bell->resp),
			.flags = UVERBS_ATTR_F_MANDATORY,
			.data = (uintptr_t)&bell->resp,
		},
	};
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		char size[sizeof(struct ib_uverbs_ioctl_hdr) + sizeof(attrs)];
	} cmd = {
		.hdr.length = sizeof(cmd),
		.hdr.object_id = UVERBS_OBJECT_DEVICE,
		.hdr.method_id = UVERBS_METHOD_INVOKE_WRITE,
		.hdr.num_attrs = sizeof(attrs) / sizeof(attrs[0]),
		.hdr.driver_id = XIW_ABI_DRIVER_ID,
	};

	memcpy(cmd.hdr.attrs, attrs, sizeof(attrs));
	return ioctl(bell->fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

int xiw_doorbell_ring(struct xiw_doorbell *bell)
{
	ssize_t written;

	do
		written = write(bell->fd, &bell->cmd, sizeof(bell->cmd));
	while (written < 0 && errno == EINTR);
	if (written < 0 && errno == EACCES)
		return xiw_doorbell_invoke(bell);
	return written == sizeof(bell->cmd) ? 0 : written < 0 ? errno : EIO;
}
