/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One vector of the driver. The test takes the place of the RNIC, of NAPI, of the streams, of the
 * CQs and of the clock.
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

/* Write an event of @type. The driver's handler of the event takes @ns nanoseconds. */
void polls_event(struct polls *polls, uint8_t type, uint64_t ns);
/* Queue a CQ. The CQ handler takes @ns nanoseconds. */
void polls_notify(struct polls *polls, unsigned int cq, uint64_t ns);
/* Queue a CQ whose handler must be called without delay. */
void polls_notify_urgent(struct polls *polls, unsigned int cq);
/* Request that the handlers of all queued CQs are called without delay. */
void polls_hurry(struct polls *polls);
/*
 * Let a task post work to this device, or to another device if @other is true. The post writes a TX
 * doorbell, which polls the vector as NAPI does.
 */
void polls_post(struct polls *polls, bool other);
/*
 * polls_timing() returns true if the vector's timer is pending. polls_woken() returns true if the
 * driver has queued the vector's worker since the previous call.
 */
bool polls_timing(const struct polls *polls);
bool polls_woken(struct polls *polls);
/* Let the vector's timer expire. It interrupts the idle task if @idle is true. */
void polls_expire(struct polls *polls, bool idle);
/* Poll the vector once, as NAPI does. Return: the used part of POLLS_BUDGET. */
int polls_run(struct polls *polls);
/* Poll the vector until it does not request another poll. */
void polls_run_all(struct polls *polls);
/* Wait in a task until reported events and queued CQs are handled. */
void polls_flush(struct polls *polls);
/* When the next flush waits, take back the oldest event, as a broken RNIC could. */
void polls_take_back(struct polls *polls);

/* Return how often a flush has waited. */
unsigned int polls_waits(const struct polls *polls);
/* Return the number of device failures, of handled events, and of CQ handler calls. */
unsigned int polls_failures(const struct polls *polls);
unsigned int polls_events(const struct polls *polls);
unsigned int polls_handlers(const struct polls *polls);
/* Return the CQ of a handler call. The first call is call 0. */
unsigned int polls_handler(const struct polls *polls, unsigned int call);
/* Return: true if the driver has requested another poll from NAPI. */
bool polls_scheduled(const struct polls *polls);

#ifdef __cplusplus
}
#endif

#endif
