/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The RQ and the SRQ of a user. The test takes the place of the user, of the RNIC, of the streams
 * and of the CQ. The queues are longer than the RX rings, which the driver refills from the queues.
 */
#ifndef XIW_TEST_RECEIVES_H
#define XIW_TEST_RECEIVES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECEIVES_DEPTH 512	/* entries of each queue */
#define RECEIVES_RING 128	/* slots of each RX ring */
#define RECEIVES_BATCH 64	/* receives that the driver takes at once */

struct receives;

struct receives *receives_new(void);
void receives_free(struct receives *r);

/*
 * Post @n receives to the RQ, and ring the doorbell if the driver requests it. The ids start at 0.
 */
void receives_post(struct receives *r, unsigned int n);
/* Return the number of receives that the RNIC has got so far, and the id of receive @index. */
unsigned int receives_given(const struct receives *r);
uint64_t receives_slot(const struct receives *r, unsigned int index);
/* Use the oldest receive for a message. */
void receives_use(struct receives *r);
/* Report that the RNIC has refused the oldest receive. */
void receives_refuse(struct receives *r);
/* Stop the stream: the driver completes all receives with flush status. */
void receives_flush(struct receives *r);

/*
 * receives_share() posts @n receives to the SRQ. receives_shared_given() returns the number of
 * receives of the SRQ that the RNIC has got so far.
 */
void receives_share(struct receives *r, unsigned int n);
unsigned int receives_shared_given(const struct receives *r);
/* Add a QP to the SRQ. */
void receives_join(struct receives *r);
/* Take the next receive from the SRQ's ring, as the RNIC does. Return: the receive's cookie. */
unsigned int receives_take(struct receives *r);
/* Complete the message that uses the receive with @cookie. */
void receives_end(struct receives *r, unsigned int cookie);
/* Report that the RNIC has taken @taken receives. The number may be wrong. */
void receives_report(struct receives *r, uint32_t taken);
/* Arm the limit of the SRQ. receives_limits() returns the number of limit events. */
void receives_arm(struct receives *r, unsigned int limit);
unsigned int receives_limits(const struct receives *r);

/* Return the number of completions so far, the id of completion @i, and whether it was flushed. */
unsigned int receives_done(const struct receives *r);
uint64_t receives_id(const struct receives *r, unsigned int i);
bool receives_flushed(const struct receives *r, unsigned int i);
/* Return: true if completion @i has the status that receives_refuse() reports. */
bool receives_refused(const struct receives *r, unsigned int i);
/* Return: true if the driver has reported an error of the user or of the RNIC. */
bool receives_failed(const struct receives *r);

#ifdef __cplusplus
}
#endif

#endif
