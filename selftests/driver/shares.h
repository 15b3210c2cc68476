/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The shares of users in the tables of a device. The test has one thread. While the driver allocates
 * memory, the test itself does what another task could do at that time (shares_during()).
 */
#ifndef XIW_TEST_SHARES_H
#define XIW_TEST_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHARES_USER 8	/* entries that one user may have */
#define SHARES_USERS 32	/* entries that all users together may have */

struct shares;

enum shares_other { SHARES_NOTHING, SHARES_TAKE, SHARES_TAKE_GIVE };

struct shares *shares_new(void);
/* Free the shares. Abort if a user still has entries. */
void shares_free(struct shares *shares);

/* Count an entry of the table of connections for a user. Return: 0 or an errno. */
int shares_take(struct shares *shares, uint32_t user);
void shares_give(struct shares *shares, uint32_t user);
/*
 * Let another task do @what for the user @user during an allocation of memory, after @skip earlier
 * allocations.
 */
void shares_during(struct shares *shares, unsigned int skip, enum shares_other what, uint32_t user);
/* Return: true if the other task has run. */
bool shares_ran(const struct shares *shares);

#ifdef __cplusplus
}
#endif

#endif
