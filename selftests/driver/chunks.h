/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The STag table of the driver, which grows by chunks of memory. The test takes the place of the
 * RNIC and of other tasks that allocate STags at the same time.
 */
#ifndef XIW_TEST_CHUNKS_H
#define XIW_TEST_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CHUNKS_MAX 8
#define CHUNKS_ENTRIES 1024	/* entries of a chunk */

struct chunks;

struct chunks *chunks_new(void);
void chunks_free(struct chunks *chunks);

/* Allocate an STag with this index of the table. Return: 0 or an errno. */
int chunks_give(struct chunks *chunks, uint32_t index);
/* While the next chunk is being allocated, let another task allocate an STag with this index. */
void chunks_race(struct chunks *chunks, uint32_t index);
/* Let another task start to extend the table, or finish if @extending is false. */
void chunks_extending(struct chunks *chunks, bool extending);
/* Let all allocations of memory fail, or succeed again. */
void chunks_scarce(struct chunks *chunks, bool scarce);

/* Return how many chunks the RNIC has, and how many are allocated. */
unsigned int chunks_passed(const struct chunks *chunks);
unsigned int chunks_allocated(const struct chunks *chunks);

#ifdef __cplusplus
}
#endif

#endif
