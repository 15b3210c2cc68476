/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The SQ of a QP of the provider. The test takes the place of the kernel. */
#ifndef XIW_TEST_SQ_H
#define XIW_TEST_SQ_H

#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/xiw-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SQ_DEPTH 4
#define SQ_INLINE 32	/* max octets of inline data */

struct sq;

struct sq *sq_new(void);
void sq_free(struct sq *sq);

/* Get the QP for calls of ibv_wr_*. The QP supports Sends and binds. */
struct ibv_qp_ex *sq_ex(struct sq *sq);
/* Set the functions for @send_ops, as for a device with @caps. Return: 0 or an errno. */
int sq_ops(struct sq *sq, uint32_t caps, uint64_t send_ops);
/* Post as ibv_post_send() does. */
int sq_post(struct sq *sq, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
const struct xiw_abi_send *sq_slot(const struct sq *sq, unsigned int index);
/* Let the kernel accept only the next @n slots, and refuse the first slot after them with EINVAL. */
void sq_refuse(struct sq *sq, unsigned int n);

#ifdef __cplusplus
}
#endif

#endif
