// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "diag/notice.h"

#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "cm/cm.h"
#include "verbs/qp.h"
#include "xiw.h"

/* Get the next event to send. Return: false if there is none. */
static bool xiw_notices_take(struct xiw_notices *notices, struct xiw_notice *notice)
{
	bool found = true;

	spin_lock_irq(&notices->lock);
	if (notices->head != notices->tail) {
		*notice = notices->queue[notices->head++ % XIW_NOTICES_QUEUED];
	} else if (notices->lost) {
		notices->lost = false;
		*notice = (struct xiw_notice){
			.number = ++notices->number,
			.time = ktime_get_real_ns(),
			.kind = XIW_NL_NOTICE_LOST,
			.origin = XIW_NL_ORIGIN_LOCAL,
		};
	} else {
		found = false;
	}
	spin_unlock_irq(&notices->lock);
	return found;
}

static void xiw_notices_work(struct work_struct *work)
{
	struct xiw_notices *notices = container_of(work, struct xiw_notices, work);
	struct xiw_notice notice;

	while (xiw_notices_take(notices, &notice)) {
		xiw_nl_notice_tell(notices->dev, &notice);
		cond_resched();
	}
}

int xiw_notices_add(struct xiw_device *dev)
{
	dev->notices = kvzalloc(sizeof(*dev->notices), GFP_KERNEL);
	if (!dev->notices)
		return -ENOMEM;
	dev->notices->dev = dev;
	INIT_WORK(&dev->notices->work, xiw_notices_work);
	spin_lock_init(&dev->notices->lock);
	return 0;
}

void xiw_notices_remove(struct xiw_device *dev)
{
	if (dev->notices)
		flush_work(&dev->notices->work);
	kvfree(dev->notices);
	dev->notices = NULL;
}

/*
 * Copy the addresses, number (cm_id) and role of a connection. The caller ensures that the
 * connection is not freed. The RNIC may write the addresses at the same time. The race is harmless,
 * because the addresses are only displayed.
 */
static void xiw_notice_of_conn(struct xiw_notice *notice, const struct xiw_conn *conn)
{
	notice->connected = true;
	notice->cm_id = le32_to_cpu(conn->dev->rnic.caps.max_listeners) + conn->slot;
	notice->role = conn->active ? XIW_NL_ROLE_INITIATOR : XIW_NL_ROLE_RESPONDER;
	/* the RNIC may write this address at the same time */
	data_race(notice->local = conn->buf->local);
	/* the RNIC may write this address at the same time */
	data_race(notice->remote = conn->buf->remote);
}

static void xiw_notice_of_qp(struct xiw_notice *notice, struct xiw_qp *qp)
{
	unsigned long flags;

	notice->qpn = qp->stream;
	/* While QP.lock is held, the connection of the QP is not freed. */
	spin_lock_irqsave(&qp->lock, flags);
	if (qp->conn)
		xiw_notice_of_conn(notice, qp->conn);
	spin_unlock_irqrestore(&qp->lock, flags);
}

static const struct xiw_recording xiw_nothing;

/*
 * Assign a number to an event, and queue the event if there are subscribers. Keep the event if it
 * is an error. @recording: the flight recorder's snapshot for an error, possibly empty; NULL if the
 * event is not an error.
 */
static void xiw_notice_publish(struct xiw_device *dev, struct xiw_notice *notice,
			       const struct xiw_recording *recording)
{
	struct xiw_notices *notices = dev->notices;
	bool wanted = xiw_nl_notice_wanted(dev);
	unsigned long flags;

	if (!recording && !wanted)
		return;
	notice->time = ktime_get_real_ns();
	spin_lock_irqsave(&notices->lock, flags);
	notice->number = ++notices->number;
	if (recording) {
		notices->recorded[notices->next % XIW_NOTICES_KEPT] = *recording;
		notices->kept[notices->next++ % XIW_NOTICES_KEPT] = *notice;
	}
	if (wanted && notices->tail - notices->head < XIW_NOTICES_QUEUED)
		notices->queue[notices->tail++ % XIW_NOTICES_QUEUED] = *notice;
	else if (wanted)
		notices->lost = true;
	spin_unlock_irqrestore(&notices->lock, flags);
	/* The work item allocates memory, so do not run it on a workqueue for memory reclaim. */
	if (wanted)
		schedule_work(&notices->work);
}

static void xiw_notice_keep(struct xiw_device *dev, struct xiw_notice *notice)
{
	xiw_notice_publish(dev, notice, &xiw_nothing);
}

/* Keep the event that reports the end of a QP's stream, with a snapshot of the flight recorder. */
static void xiw_notice_keep_end(struct xiw_qp *qp, struct xiw_notice *notice)
{
	struct xiw_rnic *rnic = &qp->dev->rnic;
	struct xiw_recording recording;

	if (qp->recorder.record)
		xiw_recorder_read(&qp->recorder, &recording);
	else
		rnic->ops->recording(rnic, qp->stream, &recording);
	xiw_notice_of_qp(notice, qp);
	xiw_notice_publish(qp->dev, notice, &recording);
}

bool xiw_notice_from(struct xiw_device *dev, u64 number, struct xiw_notice *notice,
		     struct xiw_recording *recording)
{
	struct xiw_notices *notices = dev->notices;
	unsigned long flags;
	bool found = false;
	u64 i;

	spin_lock_irqsave(&notices->lock, flags);
	i = notices->next > XIW_NOTICES_KEPT ? notices->next - XIW_NOTICES_KEPT : 0;
	for (; i != notices->next && !found; i++) {
		const struct xiw_notice *kept = &notices->kept[i % XIW_NOTICES_KEPT];

		found = kept->number >= number;
		if (found) {
			*notice = *kept;
			*recording = notices->recorded[i % XIW_NOTICES_KEPT];
		}
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
	xiw_notice_keep_end(qp, &notice);
}

void xiw_notice_abort(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_ABORT,
		.origin = origin,
		.text = why,
	};

	xiw_notice_keep_end(qp, &notice);
}

void xiw_notice_reject(struct xiw_conn *conn, enum xiw_nl_origin origin)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_REJECT,
		.origin = origin,
		.text = conn->why,
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
		.text = conn->why,
		.qpn = conn->qp ? conn->qp->stream : 0,
		.error = abs(err),
	};

	xiw_notice_of_conn(&notice, conn);
	xiw_notice_keep(conn->dev, &notice);
}

void xiw_notice_listen_error(struct xiw_device *dev, u32 index, const struct xiw_addr *local,
			     int err)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_LISTEN_ERROR,
		.origin = XIW_NL_ORIGIN_LOCAL,
		.error = abs(err),
		.connected = true,
		.cm_id = index,
		.role = XIW_NL_ROLE_LISTENER,
		.local = *local,
	};

	xiw_notice_keep(dev, &notice);
}

void xiw_notice_crc_error(struct xiw_qp *qp)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_CRC_ERROR,
		.origin = XIW_NL_ORIGIN_REMOTE,
	};

	xiw_notice_of_qp(&notice, qp);
	xiw_notice_publish(qp->dev, &notice, NULL);
}

void xiw_notice_state(struct xiw_qp *qp, u8 to)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_QP_STATE,
		.origin = XIW_NL_ORIGIN_LOCAL,
		.qpn = qp->stream,
		.from = qp->state,
		.to = to,
	};

	if (!xiw_nl_notice_wanted(qp->dev))
		return;
	if (qp->conn)
		xiw_notice_of_conn(&notice, qp->conn);
	xiw_notice_publish(qp->dev, &notice, NULL);
}

void xiw_notice_connect(struct xiw_conn *conn)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_CONNECT,
		.origin = conn->active ? XIW_NL_ORIGIN_LOCAL : XIW_NL_ORIGIN_REMOTE,
		.qpn = conn->qp->stream,
	};

	xiw_notice_of_conn(&notice, conn);
	xiw_notice_publish(conn->dev, &notice, NULL);
}

void xiw_notice_config(struct xiw_device *dev)
{
	struct xiw_notice notice = {
		.kind = XIW_NL_NOTICE_CONFIG,
		.origin = XIW_NL_ORIGIN_LOCAL,
	};

	xiw_notice_publish(dev, &notice, NULL);
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
