/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Test harness for the STag table and the segment receive code of the software RNIC, with streams
 * of one PD. The test replaces the driver and the rest of the stream code. A pass is one run of a
 * stream's work, and may use an STag. To simulate a second CPU, the test can let the driver or
 * another stream invalidate the STag during a pass.
 */
#ifndef XIW_TEST_STAGS_H
#define XIW_TEST_STAGS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STAGS_STREAMS 3
#define STAGS_LENGTH 4096	/* octets of each MR and MW; the first octet has TO 0 */

struct stags;

struct stags *stags_new(void);
void stags_free(struct stags *stags);

/* Create a valid MR, or a valid MW of the MR @region, as the driver does. Return: the new STag. */
uint32_t stags_region(struct stags *stags);
uint32_t stags_window(struct stags *stags, uint32_t region);
/*
 * Let a descriptor of a stream set an STag to a valid MR, or to a valid MW of the MR @region.
 * Return: enum xiw_status.
 */
int stags_register(struct stags *stags, unsigned int stream, uint32_t stag);
int stags_bind(struct stags *stags, unsigned int stream, uint32_t stag, uint32_t region);
/* Return the state (enum xiw_stag_state) that the STag table in the driver's memory contains. */
uint8_t stags_state(const struct stags *stags, uint32_t stag);

/*
 * Let the pass of a stream check @stag for a Write to all octets of the MR or MW. The pass then
 * uses the STag until it ends. Return: false if the RNIC refuses the STag.
 */
bool stags_place(struct stags *stags, unsigned int stream, uint32_t stag);
/* End the pass of a stream. */
void stags_pass_over(struct stags *stags, unsigned int stream);

/*
 * Let a stream receive its first message, a Send with Invalidate without payload. Return: number of
 * events that the driver has got so far.
 */
unsigned int stags_receive_invalidation(struct stags *stags, unsigned int stream, uint32_t stag);

/* Let a stream receive its first message, a Send. No receive is posted, so the stream waits. */
void stags_park(struct stags *stags, unsigned int stream);
/*
 * Let a stream process its Send number @nth, counted from 0. If the stream waits for a receive,
 * call this function only after stags_wait_over() has returned true. @posted: a receive is posted.
 * Return: false if the stream now waits for a receive.
 */
bool stags_send(struct stags *stags, unsigned int stream, unsigned int nth, bool posted);
/* Let the timer of the stream's wait expire. */
void stags_expire(struct stags *stags, unsigned int stream);
/* Let the stream handle the expiry of a wait's timer. Return: true if the stream's wait is over. */
bool stags_wait_over(struct stags *stags, unsigned int stream);

/*
 * Invalidate an STag for a stream, or clear an STag for the driver. Return: enum xiw_status, or
 * -EINPROGRESS if the operation waits until no pass uses the STag.
 */
int stags_invalidate(struct stags *stags, unsigned int stream, uint32_t stag);
int stags_clear(struct stags *stags, uint32_t stag);
/* Remove the stream from the streams that wait for the invalidation of @stag. */
void stags_forget(struct stags *stags, unsigned int stream, uint32_t stag);
/*
 * Return how often the end of an invalidation has woken the stream, and how often the RNIC has
 * answered a clear.
 */
unsigned int stags_woken(const struct stags *stags, unsigned int stream);
unsigned int stags_answered(const struct stags *stags);

#ifdef __cplusplus
}
#endif

#endif
