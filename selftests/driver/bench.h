/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A bench: one device of the driver with one QP. The test takes the place of the RNIC, of iw_cm and
 * of the ULP. The test writes events. The bench records the driver's reactions (enum bench_what) in
 * one sequence.
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
	BENCH_DISCONNECT,
	BENCH_STOPPED,
	BENCH_EVENT,		/* value: enum ib_event_type */
	BENCH_DEVICE_FAILED,
	BENCH_RNIC_ERROR,	/* value: increase of XIW_CNT_RNIC_ERROR */
};

struct bench_note {
	enum bench_what what;
	uint64_t id;
	uint32_t value;
};

#define BENCH_STREAM 5
#define BENCH_RECEIVES 4
#define BENCH_WR_ID 100		/* wr_id of the first receive */

struct bench;

/* Create an accepted QP in RTR, with BENCH_RECEIVES posted receives of 64 octets. */
struct bench *bench_new(void);
void bench_free(struct bench *bench);

/* Write an XIW_EV_STATE with the state bits @bits. */
void bench_state(struct bench *bench, uint32_t bits);
/* Write an XIW_EV_MESSAGE on queue 0: a Send of @length octets that took the receive @cookie. */
void bench_send(struct bench *bench, uint32_t cookie, uint32_t length);
/* Write an XIW_EV_MESSAGE on DDP queue @queue, without payload. */
void bench_message(struct bench *bench, uint8_t queue, uint8_t opcode);
/* Write an XIW_EV_MESSAGE on queue 2: the peer's Terminate for an error of the RDMAP stream. */
void bench_terminate(struct bench *bench);
/* Write an XIW_EV_MESSAGE on queue 2: the Terminate that a peer sends when it ends its QP. */
void bench_left(struct bench *bench);
/* Write an XIW_EV_SOLICITED, XIW_EV_TX_DONE, XIW_EV_TX_ERROR or XIW_EV_ERROR. */
void bench_solicited(struct bench *bench, uint32_t cookie);
void bench_tx_done(struct bench *bench, uint8_t queue, uint32_t index);
void bench_tx_error(struct bench *bench, uint8_t queue, uint32_t index);
void bench_error(struct bench *bench);

/* Let the QP name its peer by QP number. */
void bench_name(struct bench *bench);
/*
 * bench_idle() makes the QP a new QP, for which the RNIC has no stream. bench_created() reports
 * that the RNIC has created the stream.
 */
void bench_idle(struct bench *bench);
void bench_created(struct bench *bench);
/*
 * bench_abort() modifies the QP to ERR. bench_unanswered() is for a QP that names its peer by QP
 * number: it reports that the peer has not answered in time.
 */
void bench_abort(struct bench *bench);
void bench_unanswered(struct bench *bench);
/* End the stream, as the driver does when it resets the RNIC. */
void bench_reset(struct bench *bench);
/* Post @count signaled Sends. They stay in the SQ, as if there were no connection. */
void bench_wait(struct bench *bench, unsigned int count);
/*
 * Post a signaled Read with cookie 0, and then @behind signaled Sends. The Read is outstanding, and
 * the RNIC has sent the Sends.
 */
void bench_sent(struct bench *bench, unsigned int behind);
/*
 * Post an unsignaled Send and a Read with cookie 1. Their descriptors are in the TX ring. The RNIC
 * has not reported that it has sent them.
 */
void bench_unreported(struct bench *bench);
/* Make the CQ one that ib_core polls, as ib_alloc_cq() does. */
void bench_core_polls(struct bench *bench);
/*
 * Put descriptors of random lengths, 1 to @longest units, into a ring of @units units. Return: true
 * if the ring is ever full, and none of its descriptors raises an event that would report room.
 */
bool bench_ring_hangs(unsigned int units, unsigned int longest, unsigned int (*random)(void *),
		      void *context);
/* Return the length of the Terminate that the RNIC must send, or 0 if there is none. */
unsigned int bench_terminate_length(const struct bench *bench);
/* Return the first two octets of the Terminate: layer, error type and error code. */
unsigned int bench_terminate_code(const struct bench *bench);
/* Return the maximum number of completions between two acquisitions of spinlocks. */
unsigned int bench_longest(const struct bench *bench);

/* Return the number of records so far, and the record at @index. */
unsigned int bench_notes(const struct bench *bench);
struct bench_note bench_at(const struct bench *bench, unsigned int index);

#ifdef __cplusplus
}
#endif

#endif
