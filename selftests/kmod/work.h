/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_WORK_H
#define XT_WORK_H

#include <rdma/ib_verbs.h>

struct xt_args;
struct xt_dev;
struct xt_ep;
struct xt_region;
struct xt_session;

#define XT_SGES 32

/**
 * struct xt_work - a work request and its completion, until a command takes the completion
 * @node: link in the endpoint's list of outstanding or completed work
 * @cqe: callback of ib_core
 * @ep: endpoint; NULL for a receive of an SRQ until it completes
 * @dev: device, for a receive of an SRQ
 * @id: number, counted per endpoint from 1
 * @recv: this is a receive
 * @signaled: a completion is generated even if the work request succeeds
 * @owned: a command waits for this completion, so it is not added to the endpoint's completed work
 * @hidden: work of the exchange of hellos (hello.c): freed if it succeeds, added to the completed
 *	work if it fails
 * @complete: @wc is valid
 * @refused: the device refused the work request when it was posted
 * @region: region that the work request registers
 * @wc: copy of the completion
 * @result: destination of an atomic's original value, if it is the scratch memory
 * @sge: gather or scatter list
 * @send: send work request; also the first member of @rdma, @atomic and @reg
 * @rdma: work request of a Write or Read
 * @atomic: work request of an atomic
 * @reg: work request that registers an MR
 * @receive: receive work request
 */
struct xt_work {
	struct list_head	node;
	struct ib_cqe		cqe;
	struct xt_ep		*ep;
	struct xt_dev		*dev;
	u32			id;
	bool			recv, signaled, owned, hidden, complete, refused;
	struct xt_region	*region;
	struct ib_wc		wc;
	u64			*result;
	struct ib_sge		sge[XT_SGES];
	union {
		struct ib_send_wr	send;
		struct ib_rdma_wr	rdma;
		struct ib_atomic_wr	atomic;
		struct ib_reg_wr	reg;
		struct ib_recv_wr	receive;
	};
};

struct xt_work *xt_work_new(struct xt_ep *ep, bool recv);
void xt_work_free(struct xt_work *w);
void xt_works_free(struct list_head *head);
int xt_work_post(struct xt_ep *ep, struct xt_work *w, unsigned int *posted);
int xt_work_chain(struct xt_ep *ep, struct xt_work *w);
int xt_work_wait(struct xt_session *s, struct xt_work *w, unsigned int ms);
struct xt_work *xt_work_take(struct xt_ep *ep, const char *queue);
void xt_work_say(struct xt_session *s, const struct xt_work *w);

int xt_wc_command(struct xt_session *s, struct xt_args *a);
int xt_wcall_command(struct xt_session *s, struct xt_args *a);

#endif
