// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Protection domains, thread domains, and parent domains, which combine the two. The kernel has
 * only protection domains. With a thread domain, a program promises to use the objects of the
 * domain in one thread only. The provider does not use this promise, because an uncontended lock
 * costs almost nothing.
 */
#include "provider.h"

#include <errno.h>
#include <stdlib.h>

struct ibv_pd *xiw_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct xiw_pd *pd = calloc(1, sizeof(*pd));
	struct ibv_alloc_pd cmd = {};
	int err;

	if (!pd)
		return NULL;
	err = ibv_cmd_alloc_pd(context, &pd->pd, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(pd);
		errno = err;
		return NULL;
	}
	return &pd->pd;
}

static int xiw_dealloc_parent(struct xiw_pd *parent)
{
	if (parent->td)
		__atomic_fetch_sub(&parent->td->parents, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&parent->contained->parents, 1, __ATOMIC_RELAXED);
	free(parent);
	return 0;
}

int xiw_dealloc_pd(struct ibv_pd *ibpd)
{
	struct xiw_pd *pd = to_xiw_pd(ibpd);
	int err;

	if (pd->contained)
		return xiw_dealloc_parent(pd);
	if (__atomic_load_n(&pd->parents, __ATOMIC_RELAXED))
		return EBUSY;
	err = ibv_cmd_dealloc_pd(ibpd);
	if (!err)
		free(pd);
	return err;
}

struct ibv_td *xiw_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct xiw_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->td.context = context;
	return &td->td;
}

int xiw_dealloc_td(struct ibv_td *ibtd)
{
	struct xiw_td *td = to_xiw_td(ibtd);

	if (__atomic_load_n(&td->parents, __ATOMIC_RELAXED))
		return EBUSY;
	free(td);
	return 0;
}

/* Refuse memory allocators of the program, because the kernel allocates the memory of queues. */
struct ibv_pd *xiw_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr)
{
	struct xiw_pd *parent;

	if (!attr->pd || attr->comp_mask) {
		errno = attr->comp_mask ? EOPNOTSUPP : EINVAL;
		return NULL;
	}
	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;
	parent->pd.context = context;
	parent->pd.handle = attr->pd->handle;
	parent->contained = to_xiw_pd(attr->pd);
	/*
	 * If the caller passes a parent domain as the protection domain, use the protection domain
	 * of that parent domain.
	 */
	if (parent->contained->contained)
		parent->contained = parent->contained->contained;
	__atomic_fetch_add(&parent->contained->parents, 1, __ATOMIC_RELAXED);
	if (attr->td) {
		parent->td = to_xiw_td(attr->td);
		__atomic_fetch_add(&parent->td->parents, 1, __ATOMIC_RELAXED);
	}
	return &parent->pd;
}
