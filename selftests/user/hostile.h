/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Misbehaviour of a process that bypasses the provider: invalid data in queues, in commands and in
 * calls of mmap().
 */
#ifndef XIW_HOSTILE_H
#define XIW_HOSTILE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In each of @rounds rounds, writes random words to the queues of a QP and a CQ, and rings
 * doorbells. A @seed always yields the same words.
 */
void hostile_scribble(struct ibv_qp *qp, struct ibv_cq *cq, unsigned int seed, int rounds);

/*
 * Rings the doorbell of the send queue once. Until the doorbell returns, but at most for two
 * seconds, threads keep the queue full. The queue has @depth slots. The QP must be in the error
 * state.
 * Return: number of slots that the driver took.
 */
uint32_t hostile_feed(struct ibv_qp *qp, uint32_t depth);

/*
 * Posts slots that have one error each, and rings a doorbell with a producer index beyond the
 * queue. Return: number of these errors that the driver accepted.
 */
int hostile_slots(struct ibv_qp *qp);

/*
 * Sends commands that create a QP: a valid command, which must succeed; two commands with invalid
 * bits, which must fail with EINVAL or EOPNOTSUPP; and a command with too little room for the
 * response, which may have any result. Return: number of commands with another result.
 */
int hostile_commands(struct ibv_context *context, struct ibv_pd *pd, struct ibv_cq *cq);

/* Requests random and invalid mappings. Return: number of invalid mappings that were granted. */
int hostile_mappings(struct ibv_qp *qp);

#ifdef __cplusplus
}
#endif

#endif
