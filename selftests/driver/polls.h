/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One vector of the driver, and a test in the place of its RNIC, of NAPI, of its streams and
 * CQs, and of the clock.
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

/* The RNIC writes an event of a type. To handle it takes so many nanoseconds. */
void polls_event(struct polls *polls, uint8_t type, uint64_t ns);
/* A CQ is to be notified. Its handler takes so many nanoseconds. */
void polls_notify(struct polls *polls, unsigned int cq, uint64_t ns);
/* NAPI polls the vector. Return: what the poll took of POLLS_BUDGET. */
int polls_run(struct polls *polls);
/* NAPI polls until the vector has nothing to do. */
void polls_run_all(struct polls *polls);
/* A task waits for what has been told and queued. */
void polls_flush(struct polls *polls);

/* So far: events that were handled, and handlers that were called. */
unsigned int polls_events(const struct polls *polls);
unsigned int polls_handlers(const struct polls *polls);
/* The CQ of a call of a handler, counted from 0. */
unsigned int polls_handler(const struct polls *polls, unsigned int call);
/* NAPI has been told to poll again. */
bool polls_scheduled(const struct polls *polls);

#ifdef __cplusplus
}
#endif

#endif
