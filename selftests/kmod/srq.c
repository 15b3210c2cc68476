// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "srq.h"

#include <rdma/ib_verbs.h>

#include "device.h"
#include "endpoint.h"
#include "session.h"
#include "work.h"

static void srq_event(struct ib_event *event, void *context)
{
	struct xt_dev *d = context;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		atomic_inc(&d->srq_limits);
	xt_kick(d->s);
}

/* Create the SRQ of a session's device, unless it exists. The first call determines its size. */
int xt_srq_make(struct xt_dev *d, u32 max_wr, u32 max_sge)
{
	struct ib_srq_init_attr attr = {
		.event_handler	= srq_event,
		.srq_context	= d,
		.srq_type	= IB_SRQT_BASIC,
		.attr		= { .max_wr = max_wr, .max_sge = max_sge },
	};
	struct ib_pd *pd;
	struct ib_srq *srq;

	if (d->srq)
		return 0;
	pd = xt_device_pd(d, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	srq = ib_create_srq(pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	d->srq = srq;
	xt_born(XT_SRQ);
	return 0;
}

void xt_srq_destroy(struct xt_dev *d)
{
	if (!d->srq)
		return;
	ib_destroy_srq(d->srq);
	d->srq = NULL;
	xt_died(XT_SRQ);
	xt_works_free(&d->srq_wrs);
}

int xt_srq_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg(s, a);
	struct ib_srq_attr attr = {
		.srq_limit = xt_arg_max(a, "limit", 0, U32_MAX),
	};
	int err;

	if (a->err)
		return a->err;
	if (!ep->dev || !ep->dev->srq)
		return -ENOENT;
	if (xt_arg_has(a, "limit")) {
		err = ib_modify_srq(ep->dev->srq, &attr, IB_SRQ_LIMIT);
		if (err)
			return err;
	}
	err = ib_query_srq(ep->dev->srq, &attr);
	if (err)
		return err;
	xt_say(s, " max_wr=%u max_sge=%u limit=%u limit_events=%d", attr.max_wr, attr.max_sge,
	       attr.srq_limit, atomic_read(&ep->dev->srq_limits));
	return 0;
}
