/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The data path of a stream with TLS.
 *
 * The kernel encrypts and decrypts in process context, so a work item runs all passes of such a
 * stream. The poll, the doorbells and the callbacks of the socket only queue it. A work item never
 * runs concurrently with itself, so it needs no lock for the members that the socket lock protects.
 * It disables BH like a pass in softirq, and enables BH only inside the functions of this file.
 */
#ifndef XIW_SOFT_RECORDS_H
#define XIW_SOFT_RECORDS_H

#include <linux/types.h>
#include <net/tcp.h>

struct xiw_soft_stream;

void xiw_soft_records_init(struct xiw_soft_stream *s);

/* Queue the work item. The caller holds a reference. Any context. */
void xiw_soft_records_kick(struct xiw_soft_stream *s);

/* Own the socket, so that no callback runs. Work item of the stream, BH disabled once. */
void xiw_soft_records_own(struct xiw_soft_stream *s);
void xiw_soft_records_disown(struct xiw_soft_stream *s);

/**
 * xiw_soft_records_send - encrypt the rest of the batch
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
 * If TLS has records that TCP has not taken, let TLS try again, and run the stream again later,
 * because TCP calls write_space only if an ACK arrives. Work item of the stream, BH disabled once.
 */
void xiw_soft_records_push(struct xiw_soft_stream *s);

/**
 * xiw_soft_records_read - decrypt the records in TCP
 * @s: stream with TLS
 * @actor: called for each record, with BH disabled; returns the octets that it has used
 *
 * If @actor does not use all octets of a record, the rest stays for the next call.
 *
 * Context: work item of the stream, BH disabled once; enables BH meanwhile.
 *
 * Return: 1; 0 if the peer has closed the connection and all records are read; or a negative errno
 * if the stream must end, because TCP has an error, or a record is damaged or contains no data.
 */
int xiw_soft_records_read(struct xiw_soft_stream *s, sk_read_actor_t actor);

#endif
