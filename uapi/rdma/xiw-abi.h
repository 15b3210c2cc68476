/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The interface between user space and the driver, in addition to uverbs.
 *
 * Each queue of a user (SQ, RQ, SRQ, CQ) is one queue mapping: memory that the kernel allocates,
 * and that the process maps with MAP_SHARED. The response to the command that creates the queue
 * contains the key, which is the offset for mmap(). The mapping contains struct xiw_abi_ring, and
 * then the entries. Indexes are free-running. The number of entries is a power of two. The contents
 * are untrusted. The kernel reads them once, and checks them in the same way as work requests of
 * kernel ULPs.
 *
 * User space is the producer of a work queue. Write the slots from index `producer` on, then store
 * `producer` (release). No more than `depth` slots may lie between `consumer` and `producer`. The
 * next step depends on the queue.
 *   SQ: ring the doorbell, which is the uverbs write() command POST_SEND for the QP, without work
 *     requests. The kernel reads the slots before the command returns. If the command fails,
 *     `taken` is the index of the first slot that the kernel has not accepted, so set `producer`
 *     back to `taken`.
 *   RQ, SRQ: execute a full barrier, and read `bell`. If it is not 0, ring the doorbell, which is
 *     POST_RECV or POST_SRQ_RECV, without work requests. Otherwise the kernel finds the slots by
 *     itself.
 *
 * The kernel is the producer of a CQ. Read `producer` (acquire), read the entries before this
 * index, and store `consumer` (release). If the CQ is full, an entry is lost: the kernel raises the
 * CQ's error event and ends the QPs that use the CQ. To arm the CQ, store `arm`, execute a full
 * barrier, and read `producer` again. An entry that is already in the CQ generates no event.
 *
 * Integers are in host order. Reserved fields are zero in both directions. If a reserved field of a
 * request is not zero, the kernel returns EINVAL.
 */
#ifndef XIW_ABI_USER_H
#define XIW_ABI_USER_H

#include <linux/types.h>

#define XIW_ABI_VERSION 1		/* abi_version of the device in uverbs */
#define XIW_ABI_DRIVER_ID 0x78697730	/* "xiw0"; no upstream driver has this id */

/* ------------------------------------------------------------------ mapped queues */

struct xiw_abi_ring {
	__u32 producer;
	__u32 rsvd0[15];
	/* The members below are in another cache line. */
	__u32 consumer;		/* work queue: the user may reuse the slots before this index */
	__u32 taken;		/* work queue: the kernel has read the slots before this index */
	__u32 bell;		/* RQ, SRQ: not 0 if a doorbell is needed; written by the kernel */
	__u32 arm;		/* CQ: enum xiw_abi_arm; the user sets it, the kernel clears it */
	__u32 connection;	/* SQ: enum xiw_abi_connection; written by the kernel */
	__u32 rsvd1[11];
};

#define XIW_ABI_RING_SIZE 128		/* offset of the entries */

enum xiw_abi_arm {
	XIW_ABI_ARM_NONE = 0,
	XIW_ABI_ARM_SOLICITED = 1,	/* event at a solicited completion; ARM_NEXT overrides it */
	XIW_ABI_ARM_NEXT = 2,		/* event at the next completion */
};

/* Optional operations of the connection; 0 if there is no connection. */
enum xiw_abi_connection {
	XIW_ABI_CONN_UP = 1 << 0,
	XIW_ABI_CONN_ATOMICS = 1 << 1,
	XIW_ABI_CONN_IMMEDIATE = 1 << 2,
	XIW_ABI_CONN_SEND_IMM = 1 << 3,
};

enum xiw_abi_opcode {
	XIW_ABI_OP_SEND = 0,
	XIW_ABI_OP_SEND_INV = 1,
	XIW_ABI_OP_WRITE = 2,
	XIW_ABI_OP_WRITE_IMM = 3,
	XIW_ABI_OP_READ = 4,
	XIW_ABI_OP_FETCH_ADD = 5,
	XIW_ABI_OP_CMP_SWAP = 6,
	XIW_ABI_OP_MASKED_FETCH_ADD = 7,
	XIW_ABI_OP_MASKED_CMP_SWAP = 8,
	XIW_ABI_OP_LOCAL_INV = 9,
	XIW_ABI_OP_BIND = 10,
	XIW_ABI_OP_SEND_IMM = 11,
};

enum xiw_abi_send_flag {
	XIW_ABI_SEND_SIGNALED = 1 << 0,
	XIW_ABI_SEND_FENCE = 1 << 1,
	XIW_ABI_SEND_SOLICITED = 1 << 2,
	XIW_ABI_SEND_INLINE = 1 << 3,	/* Send and Write: payload takes the place of the SGEs */
};

struct xiw_abi_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/*
 * A slot of an SQ: this structure, followed by SGEs or by inline_length octets of payload. A slot
 * of LOCAL_INV or BIND has no SGEs and no payload.
 */
struct xiw_abi_send {
	__aligned_u64 wr_id;
	__u8 opcode;			/* enum xiw_abi_opcode */
	__u8 flags;			/* enum xiw_abi_send_flag */
	__u16 num_sge;			/* 0 if inline; 1 for an atomic; 0 or 1 for a Read */
	__u32 inline_length;		/* 0 unless inline */
	__aligned_u64 remote_addr;	/* BIND: address at which the MW begins */
	__u32 rkey;			/* BIND: rkey of the MW, with a new key */
	union {
		__u32 invalidate;	/* SEND_INV: STag of the peer; LOCAL_INV: local STag */
		__u32 region;		/* BIND: lkey of the MR */
	};
	/*
	 * WRITE_IMM: eight octets in wire format; the four octets of libibverbs' imm_data come
	 * first. SEND_IMM: the four octets of imm_data, then zeros.
	 */
	__u8 imm[8];
	union {
		__aligned_u64 data;	/* operand of FetchAdd, or the value to swap in */
		__aligned_u64 length;	/* BIND: length of the MW, not 0 */
	};
	union {
		__aligned_u64 mask;	/* masked operations: mask of data */
		__aligned_u64 rights;	/* BIND: IB_UVERBS_ACCESS_REMOTE_* */
	};
	/* CMP_SWAP, MASKED_CMP_SWAP: value to compare. BIND: ignored, user space may use it. */
	__aligned_u64 compare;
	__aligned_u64 compare_mask;	/* MASKED_CMP_SWAP: mask of compare */
	__aligned_u64 rsvd;
};

/* A slot of an RQ or SRQ: this structure, followed by SGEs. */
struct xiw_abi_recv {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 rsvd;
};

enum xiw_abi_completion {
	XIW_ABI_WC_SEND = 0,
	XIW_ABI_WC_WRITE = 1,
	XIW_ABI_WC_READ = 2,
	XIW_ABI_WC_FETCH_ADD = 3,
	XIW_ABI_WC_CMP_SWAP = 4,
	XIW_ABI_WC_MASKED_FETCH_ADD = 5,
	XIW_ABI_WC_MASKED_CMP_SWAP = 6,
	XIW_ABI_WC_LOCAL_INV = 7,
	XIW_ABI_WC_BIND = 8,
	XIW_ABI_WC_RECV = 0x80,
	XIW_ABI_WC_RECV_IMM = 0x81,	/* Immediate after a Write of the peer */
};

enum xiw_abi_cqe_flag {
	XIW_ABI_CQE_IMM = 1 << 0,
	XIW_ABI_CQE_INVALIDATED = 1 << 1,
};

struct xiw_abi_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 timestamp;	/* ns, CLOCK_MONOTONIC */
	__u8 imm[8];			/* with CQE_IMM: wire format; only four octets for a Send */
	__u32 byte_len;
	__u32 qp_num;
	__u32 vendor_err;		/* Terminate: layer << 16 | etype << 8 | code */
	__u32 invalidated;		/* STag, with CQE_INVALIDATED */
	__u8 status;			/* as enum ibv_wc_status */
	__u8 opcode;			/* enum xiw_abi_completion; valid even for a failure */
	__u16 flags;			/* enum xiw_abi_cqe_flag */
	__u32 rsvd0;
	__aligned_u64 rsvd1[2];
};

/* ------------------------------------------------------- driver data of the commands */

enum xiw_abi_cap {
	XIW_ABI_CAP_ATOMICS = 1 << 0,
	XIW_ABI_CAP_MASKED_ATOMICS = 1 << 1,
	XIW_ABI_CAP_IMMEDIATE_64 = 1 << 2,
	XIW_ABI_CAP_SEND_IMM = 1 << 3,	/* Send with Immediate was on when the device was opened */
};

struct xiw_abi_alloc_ucontext_req {
	__u32 comp_mask;		/* no bits are defined yet */
	__u32 rsvd;
};

struct xiw_abi_alloc_ucontext_resp {
	__u32 abi;			/* XIW_ABI_VERSION */
	__u32 caps;			/* enum xiw_abi_cap */
	__u32 max_send_sge;
	__u32 max_recv_sge;
	__u32 max_inline;
	__u32 max_wr;			/* limit of work requests of an SQ, RQ or SRQ */
	__u32 max_cqe;
	__u32 num_comp_vectors;
	__u32 page_shift;
	__u32 rsvd[3];
};

/* Location of a queue. Map @length octets at the offset @key of the command's file descriptor. */
struct xiw_abi_queue {
	__aligned_u64 key;
	__u32 length;			/* 0 if there is no queue */
	__u32 entries;
	__u32 stride;			/* octets of an entry */
	__u32 depth;			/* max number of slots in use */
};

struct xiw_abi_create_qp_req {
	__u32 comp_mask;
	__u32 rsvd;
};

struct xiw_abi_create_qp_resp {
	struct xiw_abi_queue sq;
	struct xiw_abi_queue rq;	/* empty if the QP uses an SRQ */
};

struct xiw_abi_create_srq_req {
	__u32 comp_mask;
	__u32 rsvd;
};

struct xiw_abi_create_srq_resp {
	struct xiw_abi_queue rq;
};

struct xiw_abi_create_cq_req {
	__u32 comp_mask;
	__u32 rsvd;
};

struct xiw_abi_create_cq_resp {
	struct xiw_abi_queue cq;
};

/*
 * The new mapping of the CQ contains the entries that were not consumed, at the same indexes as
 * before. After the command, the kernel no longer uses the old mapping. Do not poll the CQ during
 * the command.
 */
struct xiw_abi_resize_cq_req {
	__u32 comp_mask;
	__u32 rsvd;
};

struct xiw_abi_resize_cq_resp {
	struct xiw_abi_queue cq;
};

#endif
