/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Streams of the software RNIC that wait for receives of one shared ring. The test takes the place
 * of the driver, which posts receives, and of the polls, which run woken streams.
 */
#ifndef XIW_TEST_WAITS_H
#define XIW_TEST_WAITS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WAITS_STREAMS 600

struct waits;

struct waits *waits_new(void);
void waits_free(struct waits *waits);
/* Let a stream take a receive, as its pass does. Return: false if the stream waits. */
bool waits_take(struct waits *waits, unsigned int stream);
/* Post @n receives, and ring no doorbell yet. */
void waits_post_quietly(struct waits *waits, unsigned int n);
/* Post @n receives, and ring the doorbell. */
void waits_post(struct waits *waits, unsigned int n);
/* End the wait of a stream, as the end of the stream does. */
void waits_leave(struct waits *waits, unsigned int stream);
/* Return: how often a stream was woken. */
unsigned int waits_woken(const struct waits *waits, unsigned int stream);
/* Return: true if the RNIC requests a doorbell at the next post. */
bool waits_starved(const struct waits *waits);
/* Return: number of streams to which the shared ring holds a reference, because they wait. */
unsigned int waits_held(const struct waits *waits);

#ifdef __cplusplus
}
#endif

#endif
