/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Reads of the software RNIC from a TLS connection. The test replaces TLS, and determines the
 * records of the peer. While TLS decrypts a record, one segment arrives.
 */
#ifndef XIW_TEST_RECORDS_H
#define XIW_TEST_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECORDS_MAX 1000	/* if TLS passes more records, the test aborts */

struct records;

/*
 * Create a connection. @drops: TLS drops records without data, as on newer kernels; otherwise it
 * passes them to the RNIC.
 */
struct records *records_new(bool drops);
void records_free(struct records *records);

/*
 * Let the peer send @n records of @len octets each. The octets of the connection count up from 0,
 * modulo 256.
 */
void records_send(struct records *records, unsigned int n, size_t len);
/* After these records, let the peer send records without data forever. */
void records_flood(struct records *records);
/* Let @n segments with a part of a record arrive after these records. */
void records_part(struct records *records, unsigned int n);

/*
 * Read up to @len octets as a conn does; drop them if @buf is NULL. Return: as
 * xiw_soft_records_take().
 */
int records_take(struct records *records, uint8_t *buf, uint32_t len);
/* Read as a stream does. Return: as xiw_soft_records_read(). */
int records_read(struct records *records);
/* Return the number of octets that the stream has read. */
size_t records_got(const struct records *records);

#ifdef __cplusplus
}
#endif

#endif
