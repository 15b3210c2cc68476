/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Protection domains, memory regions (MRs) and memory windows (MWs).
 *
 * The page list of a fast registration changes only while the entry of the MR in the STag table is
 * INVALID: a ULP calls ib_map_mr_sg() only for an invalid MR, and posts the registration
 * afterwards.
 */
#ifndef XIW_MR_H
#define XIW_MR_H

#include <linux/mutex.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rnic/xiw_rnic.h>

struct xiw_device;
struct xiw_qp;
struct xiw_user_mr;

/*
 * Size of the sink MR of a PD. Half of the 64-bit address space suffices: bit 63 is clear in all
 * bus addresses, and has the same value in all kernel addresses without a KASAN tag. In kernel
 * addresses, it is set on most architectures, and clear on some, such as User-Mode Linux.
 */
#define XIW_MEMORY_SIZE BIT_ULL(63)

struct xiw_pd {
	struct ib_pd ibpd;
	u32 id;
	/*
	 * MR with local rights for all memory. If a Read names its sink by the local DMA lkey, the
	 * Read Request contains the STag of this MR, so the peer may see the STag. The peer gets no
	 * rights: the RNIC places a Read Response only inside the requested range. The PD of a user
	 * has no sink MR, because that MR would give the user access to all memory.
	 */
	struct xiw_mr *sink;
	u64 sink_base;		/* TO of the first octet of the sink MR */
	u64 sink_memory;	/* RNIC's address of the first octet of the sink MR */
	struct xarray windows;		/* STag index -> struct xiw_mw of this PD */
	struct mutex window_lock;	/* held to unbind an MW, or to remove it from @windows */
};

struct xiw_mr {
	struct ib_mr ibmr;
	u32 index;		/* index in the STag table */
	u32 share;		/* user that is charged for the STag, see share.h */
	__le64 *pages;		/* bus addresses of the pages, or of page lists (user_mr.c) */
	u64 pages_bus;
	u32 max_pages;
	u32 page_count;		/* number of pages in the last mapping */
	u64 begin;		/* fast registration: random TO, which is aligned to a page later */
	struct xiw_user_mr *user;	/* NULL for memory of the kernel */
};

/* A type 2 MW. A work request binds the MW to a part of an MR, for one QP. */
struct xiw_mw {
	struct ib_mw ibmw;	/* the rkey contains the index in the STag table */
	u32 share;		/* user that is charged for the STag, see share.h */
};

static inline struct xiw_mw *to_xiw_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct xiw_mw, ibmw);
}

static inline struct xiw_pd *to_xiw_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct xiw_pd, ibpd);
}

static inline struct xiw_mr *to_xiw_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct xiw_mr, ibmr);
}

/**
 * xiw_mr_give - allocate an STag for an MR and pass its table entry to the RNIC
 * @dev: device
 * @mr: MR; gets its index and keys
 * @ibpd: PD of the MR
 * @entry: contents of the STag table entry, except PD and key
 *
 * Context: process.
 *
 * Return: 0 or an errno.
 */
int xiw_mr_give(struct xiw_device *dev, struct xiw_mr *mr, struct ib_pd *ibpd,
		const struct xiw_stag_entry *entry);

/*
 * Change the PD and the rights of an MR, and keep its STag. MWs that are bound to the MR become
 * invalid. @entry: contents of the STag table entry, except PD and key. Process context. Return: 0
 * or an errno.
 */
int xiw_mr_change(struct xiw_device *dev, struct xiw_mr *mr, struct ib_pd *ibpd,
		  const struct xiw_stag_entry *entry);

/* Get the maximum size of a user's MR whose pages may be scattered, in octets. */
u64 xiw_user_mr_size_max(const struct xiw_device *dev);

struct ib_mr *xiw_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *xiw_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg);
int xiw_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
int xiw_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int xiw_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int xiw_dealloc_mw(struct ib_mw *ibmw);
/* Unbind all MWs that are bound to a QP, after the stream has ended. Process context. */
void xiw_mws_unbind(struct xiw_qp *qp);
int xiw_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int xiw_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

#endif
