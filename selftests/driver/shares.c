// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "shares.h"

#include "ring/share.h"
#include "xiw.h"

struct shares {
	struct xiw_device dev;
	enum shares_other other;
	unsigned int skip;
	u32 user;
	bool ran;
};

struct task_struct *current;
unsigned long xiw_test_locks;
static struct shares *shares_now;

/* If the lock is held, the other task aborts, because it would wait until the allocation ends. */
void xiw_test_allocate(gfp_t gfp)
{
	struct shares *shares = shares_now;
	enum shares_other other = shares->other;

	if (other == SHARES_NOTHING || shares->skip--)
		return;
	shares->other = SHARES_NOTHING;
	shares->ran = true;
	if (shares_take(shares, shares->user))
		abort();
	if (other == SHARES_TAKE_GIVE)
		shares_give(shares, shares->user);
}

struct shares *shares_new(void)
{
	struct shares *shares = calloc(1, sizeof(*shares));

	shares->dev.rnic.caps.max_conns = cpu_to_le32(2 * SHARES_USERS);
	xiw_shares_init(&shares->dev.shares);
	return shares;
}

void shares_free(struct shares *shares)
{
	xiw_shares_remove(&shares->dev.shares);
	free(shares);
}

int shares_take(struct shares *shares, uint32_t user)
{
	shares_now = shares;
	return xiw_share_take(&shares->dev, user, XIW_SHARED_CONN);
}

void shares_give(struct shares *shares, uint32_t user)
{
	xiw_share_give(&shares->dev, user, XIW_SHARED_CONN);
}

void shares_during(struct shares *shares, unsigned int skip, enum shares_other what, uint32_t user)
{
	shares->skip = skip;
	shares->other = what;
	shares->user = user;
	shares->ran = false;
}

bool shares_ran(const struct shares *shares)
{
	return shares->ran;
}
