/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The descriptors of one stream of the software RNIC, and a test in place of the driver, of the
 * STag table, and of the code that builds FPDUs from messages.
 */
#ifndef XIW_TEST_DESCRIPTORS_H
#define XIW_TEST_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct descriptors;

struct descriptors *descriptors_new(void);
void descriptors_free(struct descriptors *descriptors);

/* Give the next untagged message of @queue the number @msn. */
void descriptors_msn(struct descriptors *descriptors, uint32_t queue, uint32_t msn);
/* The driver posts an untagged message, of a queue below 4 and an RDMAP opcode. */
void descriptors_post(struct descriptors *descriptors, uint32_t queue, uint8_t opcode);
/* The driver posts the response to a FetchAdd of 1. The target word belongs to the test. */
void descriptors_post_atomic(struct descriptors *descriptors);
uint64_t descriptors_word(const struct descriptors *descriptors);

/*
 * Get the header of the only segment of the next message, which then has left. Return: false if
 * there is no message.
 */
bool descriptors_send(struct descriptors *descriptors, uint8_t *header);

#ifdef __cplusplus
}
#endif

#endif
