/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Driver details for "rdma -dd resource show". */
#ifndef XIW_RESTRACK_H
#define XIW_RESTRACK_H

#include <rdma/ib_verbs.h>

int xiw_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int xiw_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int xiw_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);

#define XIW_RESTRACK_OPS			\
	.fill_res_cq_entry = xiw_fill_res_cq,	\
	.fill_res_mr_entry = xiw_fill_res_mr,	\
	.fill_res_qp_entry = xiw_fill_res_qp,

#endif
