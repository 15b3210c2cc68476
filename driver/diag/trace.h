/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xiw

#if !defined(XIW_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XIW_TRACE_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <rdma/iw_cm.h>

#include "core/state.h"

TRACE_EVENT(xiw_fpdu_tx_batch,
	TP_PROTO(u32 stream, u32 fpdus, u32 octets, u32 mss),
	TP_ARGS(stream, fpdus, octets, mss),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u32, fpdus)
		__field(u32, octets)
		__field(u32, mss)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->fpdus = fpdus;
		__entry->octets = octets;
		__entry->mss = mss;
	),
	TP_printk("stream=%u fpdus=%u octets=%u mss=%u", __entry->stream, __entry->fpdus,
		  __entry->octets, __entry->mss)
);

TRACE_EVENT(xiw_tx_pages,
	TP_PROTO(int ifindex, u32 full, int change),
	TP_ARGS(ifindex, full, change),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, full)
		__field(int, change)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->full = full;
		__entry->change = change;
	),
	TP_printk("ifindex=%d full=%u change=%d", __entry->ifindex, __entry->full, __entry->change)
);

TRACE_EVENT(xiw_fpdu_rx,
	TP_PROTO(u32 stream, const u8 *ulpdu, u32 length, bool staged),
	TP_ARGS(stream, ulpdu, length, staged),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u32, length)
		__field(u8, ddp_ctrl)
		__field(u8, rdmap_ctrl)
		__field(bool, staged)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->length = length;
		__entry->ddp_ctrl = length ? ulpdu[0] : 0;
		__entry->rdmap_ctrl = length > 1 ? ulpdu[1] : 0;
		__entry->staged = staged;
	),
	TP_printk("stream=%u ulpdu=%u ddp=0x%02x rdmap=0x%02x staged=%d", __entry->stream,
		  __entry->length, __entry->ddp_ctrl, __entry->rdmap_ctrl, __entry->staged)
);

TRACE_EVENT(xiw_stream_state,
	TP_PROTO(u32 stream, u32 state),
	TP_ARGS(stream, state),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u32, state)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->state = state;
	),
	TP_printk("stream=%u state=%s", __entry->stream,
		  __print_flags(__entry->state, "|",
				{ 1 << 0, "open" },
				{ 1 << 1, "first_fpdu" },
				{ 1 << 2, "peer_closed" },
				{ 1 << 3, "lost" },
				{ 1 << 4, "term_sent" },
				{ 1 << 5, "stopped" },
				{ 1 << 6, "closed" },
				{ 1 << 7, "rtr_timeout" },
				{ 1 << 8, "unencrypted" }))
);

TRACE_EVENT(xiw_qp_state,
	TP_PROTO(u32 qp, u8 from, u8 to, u8 event),
	TP_ARGS(qp, from, to, event),
	TP_STRUCT__entry(
		__field(u32, qp)
		__field(u8, from)
		__field(u8, to)
		__field(u8, event)
	),
	TP_fast_assign(
		__entry->qp = qp;
		__entry->from = from;
		__entry->to = to;
		__entry->event = event;
	),
	TP_printk("qp=%u %s -> %s on %s", __entry->qp, xiw_qps_name[__entry->from],
		  xiw_qps_name[__entry->to], xiw_qpe_name[__entry->event])
);

TRACE_EVENT(xiw_terminate,
	TP_PROTO(u32 stream, bool sent, u8 layer_etype, u8 code),
	TP_ARGS(stream, sent, layer_etype, code),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(bool, sent)
		__field(u8, layer_etype)
		__field(u8, code)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->sent = sent;
		__entry->layer_etype = layer_etype;
		__entry->code = code;
	),
	TP_printk("stream=%u %s %u/%u/0x%02x", __entry->stream,
		  __entry->sent ? "sent" : "received", __entry->layer_etype >> 4,
		  __entry->layer_etype & 15, __entry->code)
);

TRACE_EVENT(xiw_atomic,
	TP_PROTO(u32 stream, u32 aop, u32 stag, u64 to, u8 status, u64 value),
	TP_ARGS(stream, aop, stag, to, status, value),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u32, aop)
		__field(u32, stag)
		__field(u64, to)
		__field(u8, status)
		__field(u64, value)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->aop = aop;
		__entry->stag = stag;
		__entry->to = to;
		__entry->status = status;
		__entry->value = value;
	),
	TP_printk("stream=%u op=%u stag=0x%08x to=0x%llx status=%u value=0x%llx",
		  __entry->stream, __entry->aop, __entry->stag, __entry->to, __entry->status,
		  __entry->value)
);

TRACE_EVENT(xiw_cm_event,
	TP_PROTO(u32 device, u32 qp, const struct iw_cm_event *event,
		 const struct sockaddr_storage *local, const struct sockaddr_storage *remote),
	TP_ARGS(device, qp, event, local, remote),
	TP_STRUCT__entry(
		__field(u32, device)
		__field(u32, qp)
		__field(u32, event)
		__field(int, status)
		__array(u8, local, sizeof(struct sockaddr_in6))
		__array(u8, remote, sizeof(struct sockaddr_in6))
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->qp = qp;
		__entry->event = event->event;
		__entry->status = event->status;
		memcpy(__entry->local, local, sizeof(struct sockaddr_in6));
		memcpy(__entry->remote, remote, sizeof(struct sockaddr_in6));
	),
	TP_printk("device=%u qp=%u event=%s status=%d local=%pISpc remote=%pISpc",
		  __entry->device, __entry->qp,
		  __print_symbolic(__entry->event,
				   { IW_CM_EVENT_CONNECT_REQUEST, "connect_request" },
				   { IW_CM_EVENT_CONNECT_REPLY, "connect_reply" },
				   { IW_CM_EVENT_ESTABLISHED, "established" },
				   { IW_CM_EVENT_DISCONNECT, "disconnect" },
				   { IW_CM_EVENT_CLOSE, "close" }),
		  __entry->status, __entry->local, __entry->remote)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
