// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "notice.h"

#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "cm.h"
#include "qp.h"
#include "xiw.h"

int xiw_notices_add(struct xiw_device *dev)
{
	dev->notices = kvzalloc(sizeof(*dev->notices), GFP_KERNEL);
	if (!dev->notices)
		return -ENOMEM;
	spin_lock_init(&dev->notices->lock);
	return 0;
}

void xiw_notices_remove(struct xiw_device *dev)
{
	kvfree(dev->notices);
	dev->notices = NULL;
}

/* The connection stays for the call. Its RNIC may write there: addresses are only told. */
static void xiw_notice_of_conn(struct xiw_notice *notice, const struct xiw_conn *conn)
{
	notice->connected = true;
	notice->cm_id = le32_to_cpu(conn->dev->rnic.caps.max_listeners) + conn->slot;
	notice->role = conn->active ? XIW_NL_ROLE_INITIATOR : XIW_NL_ROLE_RESPONDER;
	notice->local = conn->buf->local;
	notice->remote = conn->buf->remote;
}

static void xiw_notice_of_qp(struct xiw_notice *notice, struct xiw_qp *qp)
{
	unsigned long flags;

	notice->qpn = qp->stream;
	/* A connection that is there under QP.lock lives as long as that is held. */
	spin_lock_irqsave(&qp->lock, flags);
	if (qp->conn)
		xiw_notice_of_conn(notice, qp->conn);
	spin_unlock_irqrestore(&qp->lock, flags);
}

static void xiw_notice_keep(struct xiw_device *dev, struct xiw_notice *notice)
{
	struct xiw_notices *notices = dev->notices;
	unsigned long flags;

	notice->time = ktime_get_real_ns();
	spin_lock_irqsave(&notices->lock, flags);
	notice->number = ++notices->number;
	notices->kept[notices->next++ % XIW_NOTICES_KEPT] = *notice;
	spin_unlock_irqrestore(&notices->lock, flags);
}

bool xiw_notice_from(struct xiw_device *dev, u64 number, struct xiw_notice *notice)
{
	struct xiw_notices *notices = dev->notices;
	unsigned long flags;
	bool found = false;
	u32 i;

	spin_lock_irqsave(&notices->lock, flags);
	i = notices->next > XIW_NOTICES_KEPT ? notices->next - XIW_NOTICES_KEPT : 0;
	for (; i != notices->next && !found; i++) {
		const struct xiw_notice *kept = &notices->kept[i % XIW_NOTICES_KEPT];

		found = kept->number >= number;
		if (found)
			*notice = *kept;
	}
	spin_unlock_irqrestore(&notices->lock, flags);
	return found;
}

void xiw_notice_terminate(struct xiw_qp *qp, enum xiw_nl_origin origin, const u8 *term,
			  u32 length)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_TERMINATE,
		.origin = origin,
		.term_length = min_t(u32, length, XIW_TERM_LEN_MAX),
	};

	memcpy(notice.term, term, notice.term_length);
	xiw_notice_of_qp(&notice, qp);
	xiw_notice_keep(qp->dev, &notice);
}

void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_ABORT,
		.origin = origin,
		.text = why,
	};

	xiw_notice_of_qp(&notice, qp);
	xiw_notice_keep(qp->dev, &notice);
}

void xiw_notice_reject(struct xiw_conn *conn, enum xiw_nl_origin origin)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_REJECT,
		.origin = origin,
		.qpn = conn->qp ? conn->qp->stream : 0,
	};

	xiw_notice_of_conn(&notice, conn);
	xiw_notice_keep(conn->dev, &notice);
}

void xiw_notice_connect_error(struct xiw_conn *conn, int err)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_CONNECT_ERROR,
		.origin = XIW_NL_ORIGIN_LOCAL,
		.qpn = conn->qp ? conn->qp->stream : 0,
		.error = abs(err),
	};

	xiw_notice_of_conn(&notice, conn);
	xiw_notice_keep(conn->dev, &notice);
}

void xiw_notice_device_failed(struct xiw_device *dev, const char *why)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_DEVICE_FAILED,
		.origin = XIW_NL_ORIGIN_LOCAL,
		.text = why,
	};

	xiw_notice_keep(dev, &notice);
}
