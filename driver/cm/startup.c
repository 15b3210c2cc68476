// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The contents of the MPA frames, and the outcome of the negotiation. */
#include "cm/cm.h"
#include "core/mpa.h"
#include "rdmap/stream.h"

/**
 * xiw_startup_read - get the progress of a connection's setup
 * @startup: result
 * @conn: connection; the caller ensures that the connection is not freed
 *
 * The RNIC owns the buffer of the connection from a command to the event that answers it.
 * While the RNIC owns the buffer, this function reads no words that the RNIC may write.
 *
 * Context: any; CONN.lock is not held.
 */
void xiw_startup_read(struct xiw_startup *startup, struct xiw_conn *conn)
{
	const struct xiw_conn_buf *buf = conn->buf;
	struct xiw_qp *qp = READ_ONCE(conn->qp);
	bool active = READ_ONCE(conn->active), answered, open;
	unsigned long flags;

	memset(startup, 0, sizeof(*startup));
	/* acquire: if this function sees OPEN, it also sees all writes before OPEN was set */
	open = qp && xiw_stream_bits(qp) & XIW_ST_OPEN;
	spin_lock_irqsave(&conn->lock, flags);
	startup->outcome = conn->news & XIW_NEWS_OUTCOME;
	answered = startup->outcome || !active;
	startup->heard = answered && buf->peer_rev;
	startup->opened = open && startup->outcome && !(active && conn->status);
	startup->said = startup->opened || (active && startup->heard);
	startup->offered = conn->offered;
	if (startup->said)
		startup->private_sent = conn->private_sent;
	if (startup->opened) {
		startup->agreed = buf->params;
		startup->mulpdu = le32_to_cpu(READ_ONCE(qp->ctx->mulpdu)) ?:
				  le32_to_cpu(buf->mulpdu);
	}
	startup->initiator = active;
	if (startup->heard) {
		startup->peer_flags = buf->peer_flags;
		startup->peer_rev = buf->peer_rev;
		startup->peer_offer = le16_to_cpu(buf->peer_offer);
		startup->peer_ird = le16_to_cpu(buf->peer_ird);
		startup->peer_ord = le16_to_cpu(buf->peer_ord);
		/* pairs with xiw_cm_request() and xiw_cm_reply() */
		startup->private_received = READ_ONCE(conn->private_received);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
}
