/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The descriptors of one stream of the software RNIC. The test takes the place of the driver, of
 * the STag table, and of the code that builds FPDUs from messages.
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

/* Set the MSN of the next untagged message of @queue to @msn. */
void descriptors_msn(struct descriptors *descriptors, uint32_t queue, uint32_t msn);
/* Post an untagged message with RDMAP opcode @opcode on DDP queue @queue, as the driver does. */
void descriptors_post(struct descriptors *descriptors, uint32_t queue, uint8_t opcode);
/*
 * Post the response to a FetchAdd that adds 1, as the driver does. descriptors_word() returns the
 * target word of the FetchAdd.
 */
void descriptors_post_atomic(struct descriptors *descriptors);
uint64_t descriptors_word(const struct descriptors *descriptors);

/*
 * Send the next message, which has one segment, and store its DDP header in @header. Return: false
 * if there is no message.
 */
bool descriptors_send(struct descriptors *descriptors, uint8_t *header);

#ifdef __cplusplus
}
#endif

#endif
