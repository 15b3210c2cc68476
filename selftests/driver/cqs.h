/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* One CQ of the driver. The test takes the place of the CQ's QPs, its vector and the ULP. */
#ifndef XIW_TEST_CQS_H
#define XIW_TEST_CQS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CQS_QPS 2

struct cqs;

enum cqs_kind { CQS_SEND, CQS_WRITE, CQS_READ, CQS_RECEIVE };

/* Create a CQ of at least @entries entries, and CQS_QPS connected QPs that complete into it. */
struct cqs *cqs_new(unsigned int entries);
void cqs_free(struct cqs *cqs);
unsigned int cqs_size(const struct cqs *cqs);

/* Add a successful completion of a QP. */
void cqs_push(struct cqs *cqs, unsigned int qp, uint64_t id);
/*
 * Add a completion of the first QP. Return: true if the driver has requested that the CQ handler is
 * called without delay.
 */
bool cqs_hurries(struct cqs *cqs, enum cqs_kind kind, bool flushed);
/*
 * Arm the CQ, and let a task add a completion of the first QP. If the driver queues the CQ, call
 * the CQ handler as the vector does. Then poll the completion. Return: true if the driver has
 * queued the CQ.
 */
bool cqs_queues(struct cqs *cqs, enum cqs_kind kind, bool flushed);
/* Return: true if the CQ was urgent when the driver last queued the CQ. */
bool cqs_urgent(const struct cqs *cqs);
/* Let the driver queue the CQ once per @count completions. */
void cqs_moderate(struct cqs *cqs, unsigned int count);
/* Let the task of cqs_queues() sleep. */
void cqs_sleep(void);
/* Poll the oldest completion, and store its id. Return: false if there is none. */
bool cqs_poll(struct cqs *cqs, uint64_t *id);
/*
 * Let a user map the CQ and set the consumer index. A real user sets the index without calling the
 * kernel.
 */
void cqs_consume(struct cqs *cqs, uint32_t consumer);
/* Return the number of entries that `rdma resource show cq` reports. */
unsigned int cqs_used(const struct cqs *cqs);
/* Remove a QP's completions from the CQ. */
void cqs_clean(struct cqs *cqs, unsigned int qp);
/* Begin (@discards is true) or end the reset of a QP. */
void cqs_discard(struct cqs *cqs, unsigned int qp, bool discards);
/* Connect a QP again. */
void cqs_reconnect(struct cqs *cqs, unsigned int qp);
/* Run the scheduled work item, if there is one. */
void cqs_work(struct cqs *cqs);

/* Return the number of CQ_ERR events so far. */
unsigned int cqs_errors(const struct cqs *cqs);
/* Return: true if the driver has moved the QP to the error state. */
bool cqs_ended(const struct cqs *cqs, unsigned int qp);

#ifdef __cplusplus
}
#endif

#endif
