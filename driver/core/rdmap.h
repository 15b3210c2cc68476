/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* RDMAP message headers, which follow the DDP header (RFC 5040 §4.4, RFC 7306 §5.2 and §6.2). */
#ifndef XIW_CORE_RDMAP_H
#define XIW_CORE_RDMAP_H

#include "core/wire.h"

struct xiw_read_req {
	u32 sink_stag;
	u32 size;		/* RDMARDSZ */
	u64 sink_to;
	u64 src_to;
	u32 src_stag;
};

/* All data and masks are host integers (DEC-27). */
struct xiw_atomic_req {
	u32 req_id;
	u32 stag;
	u64 to;
	u64 data;		/* Add or Swap Data */
	u64 mask;		/* Add or Swap Mask */
	u64 compare;
	u64 compare_mask;
	u8 aop;			/* AOpCode: enum xiw_atomic_op, or an undefined value */
};

struct xiw_atomic_rsp {
	u32 req_id;
	u64 value;		/* Original Remote Data Value */
};

#define XIW_AOP_MASK 0xf

/* Encode a Read Request. @out: XIW_READ_REQ_LEN octets */
static inline void xiw_read_req_put(u8 *out, const struct xiw_read_req *r)
{
	put_unaligned_be32(r->sink_stag, out);
	put_unaligned_be64(r->sink_to, out + 4);
	put_unaligned_be32(r->size, out + 12);
	put_unaligned_be32(r->src_stag, out + 16);
	put_unaligned_be64(r->src_to, out + 20);
}

/* Parse a Read Request. @in: XIW_READ_REQ_LEN octets */
static inline void xiw_read_req_get(struct xiw_read_req *r, const u8 *in)
{
	r->sink_stag = get_unaligned_be32(in);
	r->sink_to = get_unaligned_be64(in + 4);
	r->size = get_unaligned_be32(in + 12);
	r->src_stag = get_unaligned_be32(in + 16);
	r->src_to = get_unaligned_be64(in + 20);
}

/*
 * Encode an Atomic Request. @out: XIW_ATOMIC_REQ_LEN octets. For a FetchAdd, the Compare fields get
 * the values of DEC-05, and compare and compare_mask of @r are ignored.
 */
static inline void xiw_atomic_req_put(u8 *out, const struct xiw_atomic_req *r)
{
	bool add = !r->aop;

	put_unaligned_be32(r->aop & XIW_AOP_MASK, out);
	put_unaligned_be32(r->req_id, out + 4);
	put_unaligned_be32(r->stag, out + 8);
	put_unaligned_be64(r->to, out + 12);
	put_unaligned_be64(r->data, out + 20);
	put_unaligned_be64(r->mask, out + 28);
	put_unaligned_be64(add ? 0 : r->compare, out + 36);
	put_unaligned_be64(add ? ~0ULL : r->compare_mask, out + 44);
}

/* Parse an Atomic Request. @in: XIW_ATOMIC_REQ_LEN octets. Ignores the 28 reserved bits. */
static inline void xiw_atomic_req_get(struct xiw_atomic_req *r, const u8 *in)
{
	r->aop = get_unaligned_be32(in) & XIW_AOP_MASK;
	r->req_id = get_unaligned_be32(in + 4);
	r->stag = get_unaligned_be32(in + 8);
	r->to = get_unaligned_be64(in + 12);
	r->data = get_unaligned_be64(in + 20);
	r->mask = get_unaligned_be64(in + 28);
	r->compare = get_unaligned_be64(in + 36);
	r->compare_mask = get_unaligned_be64(in + 44);
}

/* Parse an Atomic Response. @in: XIW_ATOMIC_RSP_LEN octets */
static inline void xiw_atomic_rsp_get(struct xiw_atomic_rsp *r, const u8 *in)
{
	r->req_id = get_unaligned_be32(in);
	r->value = get_unaligned_be64(in + 4);
}

/* Get the eight octets of Immediate Data. The first four are imm_data of verbs (DEC-15). */
static inline u64 xiw_imm64_get(const u8 *in)
{
	return get_unaligned_be64(in);
}

#endif
