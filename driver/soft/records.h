/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The data path of a stream with TLS, and reads of a conn with TLS.
 *
 * The kernel encrypts and decrypts in process context, so a work item runs all passes of a stream
 * with TLS. The doorbells and the callbacks of the socket queue the stream for the poll, and the
 * poll queues the work item. A work item never runs concurrently with itself, so it needs no lock
 * for the members that the socket lock protects in a stream without TLS. The work item disables BH,
 * because a pass needs disabled BH. Functions with the context "BH disabled once" enable BH while
 * they sleep. So the caller of such a function must have called local_bh_disable() exactly once.
 */
#ifndef XIW_SOFT_RECORDS_H
#define XIW_SOFT_RECORDS_H

#include <linux/types.h>
#include <net/tcp.h>

struct xiw_soft_arrivals;
struct xiw_soft_stream;

void xiw_soft_records_init(struct xiw_soft_stream *s);

/* Queue the work item. The caller holds a reference. Any context. */
void xiw_soft_records_kick(struct xiw_soft_stream *s);

/*
 * xiw_soft_records_own() locks the socket with lock_sock(), so that no callback runs.
 * xiw_soft_records_disown() unlocks the socket. Work item of the stream, BH disabled once.
 */
void xiw_soft_records_own(struct xiw_soft_stream *s);
void xiw_soft_records_disown(struct xiw_soft_stream *s);

/**
 * xiw_soft_records_send - encrypt the octets of the batch that TLS has not taken
 * @s: stream with TLS
 *
 * Each call ends the last record, so that the peer can decrypt all octets.
 *
 * Context: work item of the stream, BH disabled once; enables BH meanwhile.
 *
 * Return: number of octets that TLS has taken, or a negative errno.
 */
int xiw_soft_records_send(struct xiw_soft_stream *s);

/*
 * If TLS has records that TCP has not taken, call write_space of TLS, so that TLS passes them to
 * TCP again. Then run the stream again later to check the result. This is necessary because TCP
 * calls write_space only when an ACK arrives, and perhaps no ACK arrives.
 *
 * Context: work item of the stream, BH disabled once; enables BH meanwhile.
 */
void xiw_soft_records_push(struct xiw_soft_stream *s);

/**
 * xiw_soft_records_read - decrypt the records in TCP
 * @s: stream with TLS
 * @actor: called for each record, with BH disabled; returns the number of octets that it has used
 *
 * If @actor does not use all octets of a record, the next call of this function passes the unused
 * octets to its actor.
 *
 * Context: work item of the stream, BH disabled once; enables BH meanwhile.
 *
 * Return: 1 if the stream continues; 0 if the peer has closed the connection and all records are
 * read; or a negative errno if the stream must end. The stream must end if TCP has an error, or if
 * a record is damaged, contains no data, is not of the type application_data, or is incomplete at
 * the peer's FIN or after the time limit.
 */
int xiw_soft_records_read(struct xiw_soft_stream *s, sk_read_actor_t actor);

/**
 * xiw_soft_records_take - decrypt records, and copy or drop their octets
 * @sock: socket with TLS
 * @arrivals: state that the callback for arriving segments passes to xiw_soft_records_limit()
 * @buf: room for @len octets; NULL to drop the octets
 * @len: max number of octets, above 0
 *
 * Unlike recvmsg() of TLS, the function does not read records without data for an unlimited time.
 *
 * Context: process, without the socket lock.
 *
 * Return: number of octets; 0 at the peer's FIN; -EAGAIN; -EPROTO if a record contains no data or
 * is not of the type application_data; or another error.
 */
int xiw_soft_records_take(struct socket *sock, struct xiw_soft_arrivals *arrivals, void *buf,
			  u32 len);

/*
 * Handle the arrival of a segment: limit the read that is in progress, if there is one.
 *
 * TLS may drop a record without data, and does not call the actor for such a record. During a read,
 * TLS also reads records that arrive. So a peer that sends only records without data could prolong
 * a read without limit. If many segments arrive in a read after the last record with data, the read
 * ends with the same error as after a record without data.
 *
 * Context: socket callback.
 */
void xiw_soft_records_limit(struct xiw_soft_arrivals *arrivals);

/* Handle the arrival of a segment for a stream: limit the read, and queue the stream. */
void xiw_soft_records_arrived(struct xiw_soft_stream *s);

#endif
