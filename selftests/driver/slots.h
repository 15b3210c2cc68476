/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The event ring of a vector of the software RNIC, and the poll of the vector. The test replaces
 * the driver, the code that posts notices (control events), and the passes of the streams. A pass
 * is one run of a stream's work. A stream that finds no room in the ring stalls: it waits until the
 * RNIC wakes it. A woken stream has a claim: until it runs, no other stream can take its room.
 */
#ifndef XIW_TEST_SLOTS_H
#define XIW_TEST_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLOTS_ENTRIES 16	/* entries of the event ring */
#define SLOTS_STREAMS 4
#define SLOTS_NOTICES 4

struct slots;

/* Create an armed vector with an empty ring. */
struct slots *slots_new(void);
void slots_free(struct slots *slots);

/*
 * Reserve room for @n events, like a pass of a stream. slots_reserve() returns false if there is no
 * room. slots_cancel() releases the reserved room of @n events, and slots_commit() writes @n events
 * to reserved room.
 */
bool slots_reserve(struct slots *slots, unsigned int n);
void slots_cancel(struct slots *slots, unsigned int n);
void slots_commit(struct slots *slots, unsigned int n);
/* Let the driver consume @n events. */
void slots_consume(struct slots *slots, unsigned int n);

/* Post notice @notice. slots_waits() returns true while the notice waits for room. */
void slots_notify(struct slots *slots, unsigned int notice);
bool slots_waits(const struct slots *slots, unsigned int notice);
/*
 * Return how many notices have been written to the ring, and which notice was written as number @i,
 * counted from 0. Both functions count consumed notices, too, and are valid until the ring wraps.
 */
unsigned int slots_notices(const struct slots *slots);
unsigned int slots_notice(const struct slots *slots, unsigned int i);
/* Return how often the RNIC has raised the vector. */
unsigned int slots_raised(const struct slots *slots);

/*
 * Let @stream run a pass, which reserves room for @n events. If there is no room, the stream
 * stalls. Later passes of the stream reserve room for @n events, too. If @n is 0, no pass needs
 * room. Return: false if the stream stalls.
 */
bool slots_pass(struct slots *slots, unsigned int stream, unsigned int n);
/* Let the next passes of @stream reserve room for @n events. */
void slots_need(struct slots *slots, unsigned int stream, unsigned int n);
/* Remove a stream that is destroyed from the streams that wait for room, and drop its claim. */
void slots_unstall(struct slots *slots, unsigned int stream);
/* Run a woken stream that needs no room: drop its claim, and wake the next streams. */
void slots_run_idle(struct slots *slots, unsigned int stream);
/* Let @stream use TLS: the poll queues the stream's work item, which runs the pass. */
void slots_encrypt(struct slots *slots, unsigned int stream);
/* Poll the vector. */
void slots_poll(struct slots *slots);
/* Run the work item of a stream with TLS. Abort if the work item is not queued. */
void slots_serve(struct slots *slots, unsigned int stream);

/* Return: true if the poll must run the stream. */
bool slots_woken(const struct slots *slots, unsigned int stream);
/* Return the number of passes that the poll has run, and the stream of pass @i. */
unsigned int slots_passes(const struct slots *slots);
unsigned int slots_passed(const struct slots *slots, unsigned int i);
/* Return the number of events for which passes of the stream have reserved room. */
unsigned int slots_got(const struct slots *slots, unsigned int stream);
/* Return the number of references to the stream. The test holds one of them. */
unsigned int slots_references(const struct slots *slots, unsigned int stream);

#ifdef __cplusplus
}
#endif

#endif
