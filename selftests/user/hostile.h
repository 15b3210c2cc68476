/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Misbehaviour that no provider has: invalid data in shared memory, in commands, in mmap(). */
#ifndef XIW_HOSTILE_H
#define XIW_HOSTILE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes random words to the queues of a QP and a CQ, and rings doorbells, `rounds` times. */
void hostile_scribble(struct ibv_qp *qp, struct ibv_cq *cq, unsigned int seed, int rounds);

/*
 * Rings one doorbell of the send queue, while threads keep the queue of @depth full, for at most
 * two seconds. The QP is in error. Return: slots that the doorbell accepted.
 */
uint32_t hostile_feed(struct ibv_qp *qp, uint32_t depth);

/* Posts valid slots with one error. Return: number of slots that the driver accepted. */
int hostile_slots(struct ibv_qp *qp);

/* Sends commands with nonzero reserved fields. Return: number that the driver accepted. */
int hostile_commands(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq);

/* Requests invalid mappings. Return: number of them that the driver granted. */
int hostile_mappings(struct ibv_qp *qp);

#ifdef __cplusplus
}
#endif

#endif
