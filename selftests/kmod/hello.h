/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_HELLO_H
#define XT_HELLO_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct xt_ep;
struct xt_session;

#define XT_HELLO_MAGIC 0x78744831

/**
 * struct xt_hello_message - first message in both directions of a connection
 * @magic: XT_HELLO_MAGIC
 * @rkey: key of the exported region, 0 if there is none
 * @addr: address of the region
 * @len: length of the region in octets
 * @reserved: zero
 */
struct xt_hello_message {
	__be32 magic;
	__be32 rkey;
	__be64 addr;
	__be32 len;
	__be32 reserved;
};

/*
 * The endpoint that connects sends its hello first, because an iWARP responder must not send before
 * it has received an FPDU. Each endpoint posts a receive for the peer's hello before it connects or
 * accepts.
 */
struct xt_hello {
	struct ib_cqe			cqe;
	struct xt_hello_message		*msg;	/* [0] to send, [1] received */
	u64				dma;
	bool				sent, received, failed;
	u32				rkey, len;	/* key and length of the peer's region */
	u64				addr;
	u32				our_rkey;
	u64				our_addr;
};

int xt_hello_setup(struct xt_ep *ep);
void xt_hello_free(struct xt_ep *ep);
bool xt_hello_progress(struct xt_ep *ep);
void xt_hello_nudge(struct xt_ep *ep);

#endif
