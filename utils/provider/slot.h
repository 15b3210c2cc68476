/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Conversion of work requests to slots of a queue, and of completions to libibverbs' form. These
 * functions use no locks, no queue and no system calls. The kernel checks all slots again.
 */
#ifndef XIW_PROVIDER_SLOT_H
#define XIW_PROVIDER_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/xiw-abi.h>

#ifdef __cplusplus	/* for the unit tests */
extern "C" {
#endif

/* Limits of a queue's slots. */
struct xiw_slot_limits {
	uint32_t max_sge;
	uint32_t max_inline;
};

static inline struct xiw_abi_sge *xiw_send_sges(struct xiw_abi_send *slot)
{
	return (struct xiw_abi_sge *)(slot + 1);
}

static inline uint8_t *xiw_send_payload(struct xiw_abi_send *slot)
{
	return (uint8_t *)(slot + 1);
}

/* Convert enum ibv_send_flags to enum xiw_abi_send_flag, without INLINE. */
uint8_t xiw_slot_flags(unsigned int send_flags);

/* Set the work request ID, opcode and flags of a slot, and clear all other fields. */
void xiw_slot_init(struct xiw_abi_send *slot, uint64_t wr_id, uint8_t opcode, uint8_t flags);

/* Set the SGEs. Return: 0, or EINVAL if there are too many. */
int xiw_slot_sges(struct xiw_abi_send *slot, const struct ibv_sge *sges, uint32_t count,
		  const struct xiw_slot_limits *limits);

/* Append octets to the inline data. Return: 0, or ENOMEM if there is no room. */
int xiw_slot_inline(struct xiw_abi_send *slot, const void *data, size_t length,
		    const struct xiw_slot_limits *limits);

/* Set four octets of the immediate: libibverbs supports no more. The other four stay 0. */
void xiw_slot_imm(struct xiw_abi_send *slot, __be32 imm);

/*
 * xiw_slot_bind - encode a bind of an MW of type 2
 * @mw: MW; the function does not change its rkey
 * @rkey: the lowest octet is the new key of the MW. The other octets have no effect, as in other
 * providers.
 *
 * Return: 0; EINVAL if the MW has type 1, if there is no MR, if the range is empty, or if @info
 * contains a right other than the remote rights and LOCAL_WRITE. LOCAL_WRITE has no effect.
 */
int xiw_slot_bind(struct xiw_abi_send *slot, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info);

/*
 * xiw_slot_send - encode a whole work request
 *
 * If the work request is a bind, the function gives the MW its new rkey, and stores the old rkey in
 * slot->compare.
 *
 * Return: 0; EOPNOTSUPP if iWARP does not have the operation; EINVAL if the request is invalid or
 * has too many SGEs; ENOMEM if there is no room for the inline data.
 */
int xiw_slot_send(struct xiw_abi_send *slot, const struct ibv_send_wr *wr, bool signal_all,
		  const struct xiw_slot_limits *limits);

/* Encode a receive. Return: 0, or EINVAL if it has too many SGEs or more than 2^32 - 1 octets. */
int xiw_slot_recv(struct xiw_abi_recv *slot, const struct ibv_recv_wr *wr, uint32_t max_sge);

enum ibv_wc_opcode xiw_wc_opcode(const struct xiw_abi_cqe *cqe);
unsigned int xiw_wc_flags(const struct xiw_abi_cqe *cqe);
void xiw_wc_fill(struct ibv_wc *wc, const struct xiw_abi_cqe *cqe);

#ifdef __cplusplus
}
#endif

#endif
