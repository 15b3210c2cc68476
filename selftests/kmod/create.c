// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Try to create an object whose attributes a device may refuse. If the device creates the object,
 * the command destroys it immediately. Only the errno matters.
 */
#include "create.h"

#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "command.h"
#include "device.h"
#include "names.h"
#include "session.h"

static const struct {
	const char *name;
	enum ib_qp_type type;
} qp_types[] = {
	{ "rc", IB_QPT_RC }, { "uc", IB_QPT_UC }, { "ud", IB_QPT_UD },
	{ "gsi", IB_QPT_GSI }, { "xrc", IB_QPT_XRC_INI }, { "raw", IB_QPT_RAW_PACKET },
};

static int qp_type(struct xt_args *a)
{
	const char *name = xt_arg_str(a, "type", "rc");
	int i;

	for (i = 0; i < ARRAY_SIZE(qp_types); i++)
		if (!strcmp(name, qp_types[i].name))
			return qp_types[i].type;
	return -EINVAL;
}

static struct ib_cq *cq_new(struct ib_device *ib, struct xt_args *a)
{
	struct ib_cq_init_attr attr = {
		.cqe = xt_arg_max(a, "cqe", 64, U32_MAX),
		.comp_vector = xt_arg_max(a, "vector", 0, U32_MAX),
	};

	return a->err ? ERR_PTR(a->err) : ib_create_cq(ib, NULL, NULL, NULL, &attr);
}

/*
 * Move the QP through the list of states in to=, for example to=INIT,RTR. If a transition fails,
 * print its target state as at=STATE.
 */
static int qp_states(struct xt_session *s, struct xt_args *a, struct ib_qp *qp)
{
	struct ib_qp_attr attr = {};
	char list[64], *rest = list, *name;
	int err = 0, value;

	strscpy(list, xt_arg_str(a, "to", ""), sizeof(list));
	while (!err && (name = strsep(&rest, ",")) && *name) {
		value = xt_qp_state_value(name);
		if (value < 0)
			return value;
		attr.qp_state = value;
		err = ib_modify_qp(qp, &attr, IB_QP_STATE);
		if (err)
			xt_say(s, " at=%s", name);
	}
	return err;
}

static int create_qp(struct xt_session *s, struct xt_args *a, struct ib_pd *pd)
{
	struct ib_cq *cq = cq_new(pd->device, a);
	struct ib_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq,
		.cap = {
			.max_send_wr = xt_arg_max(a, "sq", 8, U32_MAX),
			.max_recv_wr = xt_arg_max(a, "rq", 8, U32_MAX),
			.max_send_sge = xt_arg_max(a, "sge", 1, U32_MAX),
			.max_recv_sge = xt_arg_max(a, "rsge", 1, U32_MAX),
			.max_inline_data = xt_arg_max(a, "inline", 0, U32_MAX),
		},
		.qp_type = qp_type(a),
	};
	struct ib_qp *qp;
	int err = a->err;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	if (!err) {
		qp = ib_create_qp(pd, &attr);
		err = PTR_ERR_OR_ZERO(qp);
		if (!err) {
			err = qp_states(s, a, qp);
			ib_destroy_qp(qp);
		}
	}
	ib_destroy_cq(cq);
	return err;
}

static int create_cq(struct ib_device *ib, struct xt_args *a)
{
	struct ib_cq *cq = cq_new(ib, a);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ib_destroy_cq(cq);
	return 0;
}

static int create_srq(struct ib_pd *pd, struct xt_args *a)
{
	struct ib_srq_init_attr init = {
		.srq_type = IB_SRQT_BASIC,
		.attr = {
			.max_wr = xt_arg_max(a, "srq", 8, U32_MAX),
			.max_sge = xt_arg_max(a, "rsge", 1, U32_MAX),
		},
	};
	struct ib_srq_attr attr = { .srq_limit = xt_arg_max(a, "limit", 0, U32_MAX) };
	struct ib_srq *srq;
	int err = 0;

	if (a->err)
		return a->err;
	srq = ib_create_srq(pd, &init);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	if (xt_arg_has(a, "limit"))
		err = ib_modify_srq(srq, &attr, IB_SRQ_LIMIT);
	ib_destroy_srq(srq);
	return err;
}

int xt_create_command(struct xt_session *s, struct xt_args *a)
{
	const char *what = xt_arg_str(a, "what", "");
	struct xt_dev *d = xt_device_named(s, xt_arg_str(a, "dev", ""));
	struct ib_pd *pd;

	if (IS_ERR(d))
		return PTR_ERR(d);
	pd = xt_device_pd(d, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	if (!strcmp(what, "qp"))
		return create_qp(s, a, pd);
	if (!strcmp(what, "cq"))
		return create_cq(d->ib, a);
	if (!strcmp(what, "srq"))
		return create_srq(pd, a);
	return -EINVAL;
}
