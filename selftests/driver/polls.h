/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One vector of the driver. The test takes the place of its RNIC, of NAPI, of its streams and CQs,
 * and of the clock.
 */
#ifndef XIW_TEST_POLLS_H
#define XIW_TEST_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POLLS_CQS 100
#define POLLS_BUDGET 64

struct polls;

struct polls *polls_new(void);
void polls_free(struct polls *polls);

/* Write an event of @type; its handler takes @ns nanoseconds. */
void polls_event(struct polls *polls, uint8_t type, uint64_t ns);
/* Queue a CQ, whose handler takes @ns nanoseconds. */
void polls_notify(struct polls *polls, unsigned int cq, uint64_t ns);
/* Report a completion that cannot wait. */
void polls_hurry(struct polls *polls);
/*
 * Ring a doorbell in a task's call on this device, or on another device. The doorbell polls as NAPI
 * does.
 */
void polls_post(struct polls *polls, bool other);
/* Return: true if a timer is pending; true if a worker was ordered to poll since the last call. */
bool polls_timing(const struct polls *polls);
bool polls_woken(struct polls *polls);
/* Let the timer expire. */
void polls_expire(struct polls *polls);
/* Poll the vector as NAPI. Return: the used part of POLLS_BUDGET. */
int polls_run(struct polls *polls);
/* Poll as NAPI until the vector has nothing to do. */
void polls_run_all(struct polls *polls);
/* Wait in a task until reported events and queued CQs are handled. */
void polls_flush(struct polls *polls);
/* Take back the oldest event when the next flush waits, as a broken RNIC could. */
void polls_take_back(struct polls *polls);

/* Get the number of failures of the device, of handled events, and of called handlers. */
unsigned int polls_failures(const struct polls *polls);
unsigned int polls_events(const struct polls *polls);
unsigned int polls_handlers(const struct polls *polls);
/* Get the CQ of a handler call; calls are counted from 0. */
unsigned int polls_handler(const struct polls *polls, unsigned int call);
/* Return: true if NAPI has been requested to poll again. */
bool polls_scheduled(const struct polls *polls);

#ifdef __cplusplus
}
#endif

#endif
