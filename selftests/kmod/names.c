// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "names.h"

#include <linux/kernel.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#define WC(x) \
	[IB_WC_##x] = #x
static const char *const wc_status[] = {
	WC(SUCCESS), WC(LOC_LEN_ERR), WC(LOC_QP_OP_ERR), WC(LOC_EEC_OP_ERR),
	WC(LOC_PROT_ERR), WC(WR_FLUSH_ERR), WC(MW_BIND_ERR), WC(BAD_RESP_ERR),
	WC(LOC_ACCESS_ERR), WC(REM_INV_REQ_ERR), WC(REM_ACCESS_ERR),
	WC(REM_OP_ERR), WC(RETRY_EXC_ERR), WC(RNR_RETRY_EXC_ERR),
	WC(LOC_RDD_VIOL_ERR), WC(REM_INV_RD_REQ_ERR), WC(REM_ABORT_ERR),
	WC(INV_EECN_ERR), WC(INV_EEC_STATE_ERR), WC(FATAL_ERR),
	WC(RESP_TIMEOUT_ERR), WC(GENERAL_ERR),
};

static const char *const wc_opcode[] = {
	WC(SEND), WC(RDMA_WRITE), WC(RDMA_READ), WC(COMP_SWAP), WC(FETCH_ADD),
	WC(BIND_MW), WC(LOCAL_INV), WC(LSO), WC(REG_MR), WC(MASKED_COMP_SWAP),
	WC(MASKED_FETCH_ADD), WC(RECV), WC(RECV_RDMA_WITH_IMM),
};

#define CM(x) \
	[RDMA_CM_EVENT_##x] = #x
static const char *const cm_event[] = {
	CM(ADDR_RESOLVED), CM(ADDR_ERROR), CM(ROUTE_RESOLVED), CM(ROUTE_ERROR),
	CM(CONNECT_REQUEST), CM(CONNECT_RESPONSE), CM(CONNECT_ERROR),
	CM(UNREACHABLE), CM(REJECTED), CM(ESTABLISHED), CM(DISCONNECTED),
	CM(DEVICE_REMOVAL), CM(ADDR_CHANGE), CM(TIMEWAIT_EXIT),
};

#define EV(x) \
	[IB_EVENT_##x] = #x
static const char *const ib_event[] = {
	EV(CQ_ERR), EV(QP_FATAL), EV(QP_REQ_ERR), EV(QP_ACCESS_ERR),
	EV(COMM_EST), EV(SQ_DRAINED), EV(PATH_MIG), EV(PATH_MIG_ERR),
	EV(DEVICE_FATAL), EV(PORT_ACTIVE), EV(PORT_ERR), EV(LID_CHANGE),
	EV(PKEY_CHANGE), EV(SM_CHANGE), EV(SRQ_ERR), EV(SRQ_LIMIT_REACHED),
	EV(QP_LAST_WQE_REACHED), EV(CLIENT_REREGISTER), EV(GID_CHANGE),
};

#define QP(x) \
	[IB_QPS_##x] = #x
static const char *const qp_state[] = {
	QP(RESET), QP(INIT), QP(RTR), QP(RTS), QP(SQD), QP(SQE), QP(ERR),
};

static const char *const atomic_cap[] = {
	[IB_ATOMIC_NONE] = "NONE", [IB_ATOMIC_HCA] = "HCA", [IB_ATOMIC_GLOB] = "GLOB",
};

/* This table includes opcodes that devices must refuse, so that tests can post them. */
static const struct {
	const char *name;
	int opcode;
} wr_opcode[] = {
	{ "send",	IB_WR_SEND },
	{ "send_imm",	IB_WR_SEND_WITH_IMM },
	{ "send_inv",	IB_WR_SEND_WITH_INV },
	{ "write",	IB_WR_RDMA_WRITE },
	{ "write_imm",	IB_WR_RDMA_WRITE_WITH_IMM },
	{ "read",	IB_WR_RDMA_READ },
	{ "read_inv",	IB_WR_RDMA_READ_WITH_INV },
	{ "fetchadd",	IB_WR_ATOMIC_FETCH_AND_ADD },
	{ "cmpswp",	IB_WR_ATOMIC_CMP_AND_SWP },
	{ "mfetchadd",	IB_WR_MASKED_ATOMIC_FETCH_AND_ADD },
	{ "mcmpswp",	IB_WR_MASKED_ATOMIC_CMP_AND_SWP },
	{ "local_inv",	IB_WR_LOCAL_INV },
	{ "lso",	IB_WR_LSO },
	{ "bind_mw",	IB_WR_BIND_MW },
};

static const char *name_of(const char *const *table, size_t n, unsigned int v,
			   char *buf, size_t len)
{
	if (v < n && table[v])
		return table[v];
	snprintf(buf, len, "unknown(%u)", v);
	return buf;
}

const char *xt_wc_status_name(unsigned int status, char *buf, size_t len)
{
	return name_of(wc_status, ARRAY_SIZE(wc_status), status, buf, len);
}

const char *xt_wc_opcode_name(unsigned int opcode, char *buf, size_t len)
{
	return name_of(wc_opcode, ARRAY_SIZE(wc_opcode), opcode, buf, len);
}

const char *xt_cm_event_name(unsigned int event, char *buf, size_t len)
{
	return name_of(cm_event, ARRAY_SIZE(cm_event), event, buf, len);
}

const char *xt_ib_event_name(unsigned int event, char *buf, size_t len)
{
	return name_of(ib_event, ARRAY_SIZE(ib_event), event, buf, len);
}

const char *xt_qp_state_name(unsigned int state, char *buf, size_t len)
{
	return name_of(qp_state, ARRAY_SIZE(qp_state), state, buf, len);
}

const char *xt_atomic_cap_name(unsigned int cap, char *buf, size_t len)
{
	return name_of(atomic_cap, ARRAY_SIZE(atomic_cap), cap, buf, len);
}

int xt_ib_event_value(const char *name)
{
	return match_string(ib_event, ARRAY_SIZE(ib_event), name);
}

int xt_qp_state_value(const char *name)
{
	return match_string(qp_state, ARRAY_SIZE(qp_state), name);
}

/* Get the opcode with this name. The name may be a number, because tests post undefined opcodes. */
int xt_wr_opcode_value(const char *name)
{
	unsigned int v;
	int i;

	for (i = 0; i < ARRAY_SIZE(wr_opcode); i++)
		if (!strcmp(name, wr_opcode[i].name))
			return wr_opcode[i].opcode;
	if (!kstrtouint(name, 0, &v) && v <= INT_MAX)
		return v;
	return -EINVAL;
}
