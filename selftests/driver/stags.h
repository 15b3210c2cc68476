/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The STag table and the segments of the software RNIC, with streams of one PD. The test replaces
 * the driver and the streams. A pass of one stream can still be in progress when another stream or
 * the driver invalidates its STag, as on two CPUs.
 */
#ifndef XIW_TEST_STAGS_H
#define XIW_TEST_STAGS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STAGS_STREAMS 3
#define STAGS_LENGTH 4096	/* octets of each MR and MW, which begin at TO 0 */

struct stags;

struct stags *stags_new(void);
void stags_free(struct stags *stags);

/* Make an MR, or an MW of an MR, valid as the driver does. Return: its STag. */
uint32_t stags_region(struct stags *stags);
uint32_t stags_window(struct stags *stags, uint32_t region);
/* The state in the memory of the driver: enum xiw_stag_state. */
uint8_t stags_state(const struct stags *stags, uint32_t stag);

/* The pass of a stream writes to all octets. Return: false if the RNIC refuses the STag. */
bool stags_place(struct stags *stags, unsigned int stream, uint32_t stag);
/* The pass ends. */
void stags_pass_over(struct stags *stags, unsigned int stream);

/*
 * The stream receives its first message, a Send with Invalidate of no octets. Return: number of
 * events for the driver.
 */
unsigned int stags_receive_invalidation(struct stags *stags, unsigned int stream, uint32_t stag);

/* The stream receives its first message, a Send, and no receive is posted, so the stream waits. */
void stags_park(struct stags *stags, unsigned int stream);
/* The timer of the wait expires. */
void stags_expire(struct stags *stags, unsigned int stream);
/* The stream handles the end of a wait. Return: true if it waits no longer. */
bool stags_wait_over(struct stags *stags, unsigned int stream);

/* Invalidate, or clear. Return: 0, enum xiw_status, or -EINPROGRESS. */
int stags_invalidate(struct stags *stags, unsigned int stream, uint32_t stag);
int stags_clear(struct stags *stags, uint32_t stag);
/* The stream waits no longer. */
void stags_forget(struct stags *stags, unsigned int stream, uint32_t stag);
/* Return: number of times that the stream was woken, or that a clear was answered. */
unsigned int stags_woken(const struct stags *stags, unsigned int stream);
unsigned int stags_answered(const struct stags *stags);

#ifdef __cplusplus
}
#endif

#endif
