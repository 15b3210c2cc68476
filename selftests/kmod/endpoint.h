/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_ENDPOINT_H
#define XT_ENDPOINT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "buffer.h"
#include "hello.h"

struct xt_args;
struct xt_dev;
struct xt_ep;
struct xt_run;
struct xt_session;
struct xt_sink;

#define XT_PDATA_MAX	255
#define XT_EVENTS	16

/*
 * States in the order of a connection's progress. In each state after XT_EP_READY, the connection
 * has ended. endpoint.c contains the names.
 */
enum xt_ep_state {
	XT_EP_NEW,		/* nothing has happened yet */
	XT_EP_LISTEN,
	XT_EP_ADDR,		/* address resolved */
	XT_EP_ROUTE,		/* route resolved */
	XT_EP_REQUEST,		/* a peer waits for accept or reject */
	XT_EP_CONNECT,		/* connect or accept is pending */
	XT_EP_ESTABLISHED,
	XT_EP_READY,		/* established; the exchange of hellos is complete or disabled */
	XT_EP_REJECTED,
	XT_EP_FAILED,
	XT_EP_DISCONNECTED,
};

/*
 * Who polls a CQ. With XT_DIRECT and XT_EVENT, commands poll the CQ, and the pump polls it while a
 * hello is expected. With the other values, ib_core polls the CQ in a softirq or a workqueue.
 */
enum xt_poll { XT_SOFTIRQ, XT_WORKQUEUE, XT_UNBOUND, XT_DIRECT, XT_EVENT };

enum xt_listen_mode { XT_ACCEPT, XT_REJECT, XT_HOLD };

struct xt_ep_config {
	u32 sq, rq, sge, inline_size, srq_max, cqe, slow;
	u32 sink, sink_len, sink_sges, timeout, export_len;
	/* -1: the device's limit, but at most 16 (connect), or at most the peer's depth (accept) */
	int ord, ird;
	int access;
	u64 sink_off;
	unsigned int pd, vector;
	enum xt_poll poll;
	enum xt_listen_mode mode;
	bool srq, hello, split, sink_verify, sink_shared, autoclose, has_tos;
	u8 tos, pdata_len;
	u8 pdata[XT_PDATA_MAX];
	char export[XT_NAME_MAX], sink_buf[XT_NAME_MAX];
};

/*
 * A CQ. With poll=event, ib_create_cq() creates it, and @notified counts its completion events.
 * With another poll=, ib_alloc_cq() creates it. With poll=event and slow=, the handler of the
 * completion events runs for cfg.slow milliseconds, or until a wake command, and then arms the CQ
 * again.
 */
struct xt_cq {
	struct ib_cq	*cq;
	struct xt_ep	*ep;
	enum xt_poll	poll;
	atomic_t	notified, errors;
};

/**
 * struct xt_ep - a cm_id with its queue pair, or a listening cm_id
 * @node: link in the session's list, or in its pending list
 * @s: session
 * @dev: the session's objects on the device; NULL before setup, or if a listener has no device
 * @cm: the cm_id
 * @qp: the QP, created before connect or accept
 * @scq: send CQ
 * @rcq: receive CQ if cfg.split is set; otherwise @scq is also the receive CQ
 * @number: number that commands use
 * @state: written by CM events, commands and the pump
 * @status: status of the last CM event that failed, or errno of the exchange of hellos
 * @cfg: how to create the QP; for a listener, how to create QPs of accepted connections
 * @listener: number of the listener that received the request; -1 if this endpoint connects
 * @lock: protects the lists, counters and logs below
 * @sq: outstanding send work in posting order
 * @rq: outstanding receive work in posting order
 * @done: completed work that no command has taken
 * @refused: work that the device refused, kept in case the device completes it
 * @ghosts: number of completions of work that the device refused
 * @chain: work that the next post adds to its call of ib_post_send()
 * @next_id: number of the next work request
 * @misordered: number of completions that overtook older completions of their queue
 * @cm_events: log of CM events
 * @ib_events: log of QP events
 * @n_cm_events: number of entries in @cm_events
 * @n_ib_events: number of entries in @ib_events
 * @peer_pdata: private data of the peer
 * @peer_pdata_len: length of @peer_pdata in octets
 * @peer_ird: responder_resources that rdma_cm reported
 * @peer_ord: initiator_depth that rdma_cm reported
 * @hello: exchange of memory keys
 * @scratch: memory for results of atomics, allocated on first use
 * @scratch_dma: DMA address of @scratch
 * @scratch_next: number of atomics that have used @scratch; selects its next word
 * @sink: sink of the endpoint; NULL if there is none
 * @run: state of the last run command; NULL if there was none
 */
struct xt_ep {
	struct list_head	node;
	struct xt_session	*s;
	struct xt_dev		*dev;
	struct rdma_cm_id	*cm;
	struct ib_qp		*qp;
	struct xt_cq		scq, rcq;
	unsigned int		number;
	enum xt_ep_state	state;
	int			status;
	struct xt_ep_config	cfg;
	int			listener;

	spinlock_t		lock;		/* protects lists, counters and logs */
	struct list_head	sq, rq, done, chain, refused;
	u32			next_id;
	unsigned int		misordered, ghosts;
	u8			cm_events[XT_EVENTS], ib_events[XT_EVENTS];
	unsigned int		n_cm_events, n_ib_events;

	u8			peer_pdata[XT_PDATA_MAX], peer_pdata_len;
	u8			peer_ird, peer_ord;
	struct xt_hello		hello;
	u64			*scratch;
	u64			scratch_dma;
	unsigned int		scratch_next;
	struct xt_sink		*sink;
	struct xt_run		*run;
};

enum xt_polled { XT_POLL_NONE, XT_POLL_NOTIFIED, XT_POLL_BUSY };

int xt_ep_config_args(struct xt_args *a, struct xt_ep_config *cfg);
struct xt_ep *xt_ep_new(struct xt_session *s, const struct xt_ep_config *cfg, gfp_t gfp);
int xt_ep_setup(struct xt_ep *ep);
int xt_ep_scratch(struct xt_ep *ep);
void xt_ep_destroy(struct xt_ep *ep);
void xt_ep_free(struct xt_ep *ep);	/* as xt_ep_destroy(), but without rdma_disconnect() */
void xt_endpoints_destroy(struct xt_session *s, struct ib_device *ib);
bool xt_endpoints_use(struct xt_session *s, struct ib_device *ib);
enum xt_polled xt_endpoints_poll(struct xt_session *s, bool greeting);
struct ib_cq *xt_ep_recv_cq(struct xt_ep *ep);

struct xt_ep *xt_ep_find(struct xt_session *s, unsigned int number);
struct xt_ep *xt_ep_arg(struct xt_session *s, struct xt_args *a);
struct xt_ep *xt_ep_arg_qp(struct xt_session *s, struct xt_args *a);
int xt_ep_args(struct xt_session *s, struct xt_args *a,
	       int (*each)(struct xt_ep *ep, void *arg), void *arg);

const char *xt_ep_state_name(enum xt_ep_state state);
int xt_ep_state_value(const char *name);

int xt_query_command(struct xt_session *s, struct xt_args *a);
int xt_modify_command(struct xt_session *s, struct xt_args *a);
int xt_drain_command(struct xt_session *s, struct xt_args *a);
int xt_poll_command(struct xt_session *s, struct xt_args *a);
int xt_arm_command(struct xt_session *s, struct xt_args *a);
int xt_wake_command(struct xt_session *s, struct xt_args *a);

#endif
