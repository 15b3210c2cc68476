/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One device with one QP of the driver, and a test in place of its RNIC, of iw_cm and of the
 * ULP: it writes events, and records orders, completions and calls in order.
 */
#ifndef XIW_TEST_BENCH_H
#define XIW_TEST_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_what {
	BENCH_COMPLETION,	/* id: wr_id; value: enum ib_wc_status */
	BENCH_ORDER,		/* value: enum xiw_stream_order */
	BENCH_FIRST_FPDU,	/* notification of the connection: ESTABLISHED may be delivered */
	BENCH_DISCONNECT,
	BENCH_STOPPED,
	BENCH_EVENT,		/* value: enum ib_event_type */
	BENCH_DEVICE_FAILED,
	BENCH_RNIC_ERROR,	/* counted */
};

struct bench_note {
	enum bench_what what;
	uint64_t id;
	uint32_t value;
};

#define BENCH_STREAM 5
#define BENCH_RECEIVES 4
#define BENCH_WR_ID 100		/* of the first receive */

struct bench;

/* A QP in RTR, accepted, with BENCH_RECEIVES receives of 64 octets posted. */
struct bench *bench_new(void);
void bench_free(struct bench *bench);

/* XIW_EV_STATE. */
void bench_state(struct bench *bench, uint32_t bits);
/* XIW_EV_MESSAGE on queue 0: a Send of @length octets that took the receive @cookie. */
void bench_send(struct bench *bench, uint32_t cookie, uint32_t length);
/* XIW_EV_MESSAGE on another queue, without contents. */
void bench_message(struct bench *bench, uint8_t queue, uint8_t opcode);
/* XIW_EV_MESSAGE on queue 2: the peer's Terminate for a remote catastrophic error. */
void bench_terminate(struct bench *bench);
/* XIW_EV_SOLICITED, XIW_EV_TX_DONE, XIW_EV_TX_ERROR, XIW_EV_ERROR. */
void bench_solicited(struct bench *bench, uint32_t cookie);
void bench_tx_done(struct bench *bench, uint8_t queue, uint32_t index);
void bench_tx_error(struct bench *bench, uint8_t queue, uint32_t index);
void bench_error(struct bench *bench);

/* A Read with cookie 0 is outstanding, and @behind signaled Sends after it have been sent. */
void bench_sent(struct bench *bench, unsigned int behind);
/*
 * Put descriptors of random lengths into a ring of @units units. Return: true if unsignaled ones
 * alone filled it, so that no event would report room.
 */
bool bench_ring_hangs(unsigned int units, unsigned int longest, unsigned int (*random)(void *),
		      void *context);
/* Octets of the Terminate that the RNIC is ordered to send, 0 for none. */
unsigned int bench_terminate_length(const struct bench *bench);
/* The first two octets of this Terminate: layer, error type and error code. */
unsigned int bench_terminate_code(const struct bench *bench);
/* Maximum of completions in a row without a lock released in between. */
unsigned int bench_longest(const struct bench *bench);

/* The record so far. */
unsigned int bench_notes(const struct bench *bench);
struct bench_note bench_at(const struct bench *bench, unsigned int index);

#ifdef __cplusplus
}
#endif

#endif
