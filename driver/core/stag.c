// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/stag.h"

static bool is_live(const struct xiw_stag_view *view, u32 stag)
{
	return view && view->state == XIW_STAG_VALID && view->key == xiw_stag_key(stag);
}

static bool is_associated(const struct xiw_stag_view *view, u32 pd, u32 stream)
{
	return view->pd == pd && (!(view->flags & XIW_STAGF_STREAM) || view->stream == stream);
}

static bool is_inside(const struct xiw_stag_view *view, u64 to, u64 length)
{
	return to >= view->base && length <= view->length &&
	       to - view->base <= view->length - length;
}

static enum xiw_stag_verdict region_verdict(const struct xiw_stag_view *window,
					    const struct xiw_stag_view *region,
					    const struct xiw_stag_use *use)
{
	/*
	 * If an MR was invalidated and registered again, its generation differs from the generation
	 * in the entry of an older MW, and this MW is invalid. Also check the rights, because
	 * generations repeat after 2^32 registrations.
	 */
	if (!is_live(region, window->parent) || region->generation != window->generation ||
	    region->flags & XIW_STAGF_WINDOW || !xiw_stag_may_bind(window->access, region->access))
		return XIW_STAG_UNKNOWN;
	if (region->pd != use->pd)
		return XIW_STAG_NOT_ASSOCIATED;
	return is_inside(region, use->to, use->length) ? XIW_STAG_OK : XIW_STAG_BOUNDS;
}

enum xiw_stag_verdict xiw_stag_judge(const struct xiw_stag_view *view,
				     const struct xiw_stag_view *region,
				     const struct xiw_stag_use *use)
{
	if (unlikely(!is_live(view, use->stag)))
		return XIW_STAG_UNKNOWN;
	if (unlikely(!is_associated(view, use->pd, use->stream)))
		return XIW_STAG_NOT_ASSOCIATED;
	if (unlikely(use->access & ~view->access))
		return XIW_STAG_NO_ACCESS;
	if (unlikely(use->to + use->length < use->to))	/* DEC-28: an end at 2^64 is a wrap */
		return XIW_STAG_WRAP;
	if (unlikely(!is_inside(view, use->to, use->length)))
		return XIW_STAG_BOUNDS;
	return view->flags & XIW_STAGF_WINDOW ? region_verdict(view, region, use) : XIW_STAG_OK;
}

struct verdict_row {
	u8 placement;		/* enum xiw_fault */
	u8 request;
	u8 status;		/* enum xiw_status */
};

static const struct verdict_row verdict_table[XIW_STAG_VERDICT_COUNT] = {
	[XIW_STAG_OK] = { XIW_FAULT_NONE, XIW_FAULT_NONE, XIW_OK },
	[XIW_STAG_UNKNOWN] = { XIW_FAULT_DDP_STAG, XIW_FAULT_RDMA_STAG, XIW_ERR_STAG },
	[XIW_STAG_NOT_ASSOCIATED] = {
		XIW_FAULT_DDP_NOT_ASSOCIATED, XIW_FAULT_RDMA_NOT_ASSOCIATED, XIW_ERR_PD
	},
	[XIW_STAG_NO_ACCESS] = { XIW_FAULT_DDP_STAG, XIW_FAULT_RDMA_ACCESS, XIW_ERR_ACCESS },
	[XIW_STAG_WRAP] = { XIW_FAULT_DDP_WRAP, XIW_FAULT_RDMA_WRAP, XIW_ERR_WRAP },
	[XIW_STAG_BOUNDS] = { XIW_FAULT_DDP_BOUNDS, XIW_FAULT_RDMA_BOUNDS, XIW_ERR_BOUNDS },
};

enum xiw_fault xiw_stag_placement_fault(enum xiw_stag_verdict verdict)
{
	return (enum xiw_fault)verdict_table[verdict].placement;
}

enum xiw_fault xiw_stag_request_fault(enum xiw_stag_verdict verdict)
{
	return (enum xiw_fault)verdict_table[verdict].request;
}

enum xiw_status xiw_stag_status(enum xiw_stag_verdict verdict)
{
	return (enum xiw_status)verdict_table[verdict].status;
}

enum xiw_fault xiw_stag_status_fault(enum xiw_status status)
{
	int i;

	for (i = XIW_STAG_UNKNOWN; i < XIW_STAG_VERDICT_COUNT; i++)
		if (verdict_table[i].status == status)
			return (enum xiw_fault)verdict_table[i].request;
	return XIW_FAULT_RDMA_STREAM;
}

enum xiw_status xiw_stag_invalidate_check(const struct xiw_stag_view *view, u32 stag, u32 pd,
					  u32 stream, bool remote)
{
	if (!is_live(view, stag))
		return XIW_ERR_STAG;
	if (view->pd != pd)
		return XIW_ERR_PD;
	if (!is_associated(view, pd, stream) || (remote && !(view->flags & XIW_STAGF_REMOTE_INV)))
		return XIW_ERR_ACCESS;
	return XIW_OK;
}
