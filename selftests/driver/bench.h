/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One device with one QP of the driver. The test takes the place of the RNIC, of iw_cm and of the
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
	BENCH_FIRST_FPDU,	/* the connection may deliver ESTABLISHED */
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
#define BENCH_WR_ID 100		/* cookie of the first receive */

struct bench;

/* Create an accepted QP in RTR, with BENCH_RECEIVES posted receives of 64 octets. */
struct bench *bench_new(void);
void bench_free(struct bench *bench);

/* Write an XIW_EV_STATE. */
void bench_state(struct bench *bench, uint32_t bits);
/* Write an XIW_EV_MESSAGE on queue 0: a Send of @length octets that took the receive @cookie. */
void bench_send(struct bench *bench, uint32_t cookie, uint32_t length);
/* Write an XIW_EV_MESSAGE on another queue, without payload. */
void bench_message(struct bench *bench, uint8_t queue, uint8_t opcode);
/* Write an XIW_EV_MESSAGE on queue 2: the peer's Terminate for a remote catastrophic error. */
void bench_terminate(struct bench *bench);
/* Write an XIW_EV_MESSAGE on queue 2: the peer's Terminate, because the peer has ended its QP. */
void bench_left(struct bench *bench);
/* Write an XIW_EV_SOLICITED, XIW_EV_TX_DONE, XIW_EV_TX_ERROR or XIW_EV_ERROR. */
void bench_solicited(struct bench *bench, uint32_t cookie);
void bench_tx_done(struct bench *bench, uint8_t queue, uint32_t index);
void bench_tx_error(struct bench *bench, uint8_t queue, uint32_t index);
void bench_error(struct bench *bench);

/* Let the QP name its peer by number. */
void bench_name(struct bench *bench);
/* Make the QP new, without a stream of the RNIC. Then let the RNIC create the stream. */
void bench_idle(struct bench *bench);
void bench_created(struct bench *bench);
/* Modify the QP to ERR. Let a peer that is named by number not answer in time. */
void bench_abort(struct bench *bench);
void bench_unanswered(struct bench *bench);
/* Reset the RNIC after a failure of the device. */
void bench_reset(struct bench *bench);
/* Post @count signaled Sends, which are not moved to the ring: there is no connection. */
void bench_wait(struct bench *bench, unsigned int count);
/*
 * Post a Read with cookie 0, which is outstanding, and @behind signaled Sends, which have been
 * sent.
 */
void bench_sent(struct bench *bench, unsigned int behind);
/*
 * Post an unsignaled Send and a Read with cookie 1. Both are in the ring, and the RNIC has not
 * reported that it has sent them.
 */
void bench_unreported(struct bench *bench);
/*
 * Put descriptors of random lengths into a ring of @units units. Return: true if unsignaled
 * descriptors alone fill the ring, so that no event would report room.
 */
bool bench_ring_hangs(unsigned int units, unsigned int longest, unsigned int (*random)(void *),
		      void *context);
/* Get the length of the Terminate that the RNIC must send; 0 if there is none. */
unsigned int bench_terminate_length(const struct bench *bench);
/* Get the first two octets of this Terminate: layer, error type and error code. */
unsigned int bench_terminate_code(const struct bench *bench);
/* Get the maximum number of successive completions between which no lock was released. */
unsigned int bench_longest(const struct bench *bench);

/* Get the record so far. */
unsigned int bench_notes(const struct bench *bench);
struct bench_note bench_at(const struct bench *bench, unsigned int index);

#ifdef __cplusplus
}
#endif

#endif
