/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* What no provider does: nonsense in shared memory, in commands, in mmap(). */
#ifndef XIW_HOSTILE_H
#define XIW_HOSTILE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Random words in the queues of a QP and a CQ, and doorbells, `rounds` times. */
void hostile_scribble(struct ibv_qp *qp, struct ibv_cq *cq, unsigned int seed, int rounds);

/*
 * One doorbell of the send queue, and threads that keep the queue of @depth full meanwhile,
 * for at most two seconds. The QP is in error. Return: slots that the doorbell took.
 */
uint32_t hostile_feed(struct ibv_qp *qp, uint32_t depth);

/* Slots by nature right, with one thing wrong. Return: how many the driver accepted. */
int hostile_slots(struct ibv_qp *qp);

/* Commands with something in what is reserved. Return: how many the driver accepted. */
int hostile_commands(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq);

/* Return: how many wrong mappings the driver granted. */
int hostile_mappings(struct ibv_qp *qp);

#ifdef __cplusplus
}
#endif

#endif
