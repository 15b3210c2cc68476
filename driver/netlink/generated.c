// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	uapi/netlink/xiw.yaml */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "generated.h"

#include <uapi/linux/xiw.h>

/* Integer value ranges */
static const struct netlink_range_validation xiw_a_capture_snap_range = {
	.min	= 1ULL,
	.max	= XIW_NL_SNAP_MAX,
};

static const struct netlink_range_validation xiw_a_capture_size_range = {
	.min	= XIW_NL_CAPTURE_SIZE_MIN,
	.max	= XIW_NL_CAPTURE_SIZE_MAX,
};

/* XIW_CMD_DEVICE_GET - do */
const struct nla_policy xiw_device_get_nl_policy[XIW_A_DEVICE_INDEX + 1] = {
	[XIW_A_DEVICE_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_CAPABILITY_GET - do */
const struct nla_policy xiw_capability_get_nl_policy[XIW_A_CAPABILITY_QPN + 1] = {
	[XIW_A_CAPABILITY_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_CAPABILITY_QPN] = { .type = NLA_U32, },
};

/* XIW_CMD_CONNECTION_GET - do */
const struct nla_policy xiw_connection_get_nl_policy[XIW_A_CONNECTION_CM_ID + 1] = {
	[XIW_A_CONNECTION_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_CONNECTION_CM_ID] = { .type = NLA_U32, },
};

/* XIW_CMD_COUNTER_GET - do */
const struct nla_policy xiw_counter_get_nl_policy[XIW_A_COUNTER_DEV_INDEX + 1] = {
	[XIW_A_COUNTER_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_CONFIG_GET - do */
const struct nla_policy xiw_config_get_nl_policy[XIW_A_CONFIG_DEV_INDEX + 1] = {
	[XIW_A_CONFIG_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_CONFIG_SET - do */
const struct nla_policy xiw_config_set_nl_policy[XIW_A_CONFIG_TLS + 1] = {
	[XIW_A_CONFIG_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_CONFIG_CRC] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_MARKERS] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_MPA_REVISION] = NLA_POLICY_RANGE(NLA_U8, 1, 2),
	[XIW_A_CONFIG_ATOMICS] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_IMMEDIATES] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_PEER_TO_PEER] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_RTR] = NLA_POLICY_MASK(NLA_U8, 0x7),
	[XIW_A_CONFIG_PARK_TIME] = NLA_POLICY_MAX(NLA_U32, XIW_NL_TIME_MAX),
	[XIW_A_CONFIG_STARTUP_TIME] = NLA_POLICY_RANGE(NLA_U32, 1, XIW_NL_TIME_MAX),
	[XIW_A_CONFIG_RTR_TIME] = NLA_POLICY_RANGE(NLA_U32, 1, XIW_NL_TIME_MAX),
	[XIW_A_CONFIG_LINGER_TIME] = NLA_POLICY_RANGE(NLA_U32, 1, XIW_NL_TIME_MAX),
	[XIW_A_CONFIG_MULPDU_MAX] = { .type = NLA_U32, },
	[XIW_A_CONFIG_PEER_TIME] = { .type = NLA_U32, },
	[XIW_A_CONFIG_LATENCY] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_SEND_WITH_IMMEDIATE] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_CONNECT_BY_NUMBER] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_REQUIRE_ENCRYPTION] = NLA_POLICY_MAX(NLA_U8, 1),
	[XIW_A_CONFIG_CONGESTION] = { .type = NLA_NUL_STRING, .len = 15, },
	[XIW_A_CONFIG_TLS] = NLA_POLICY_MAX(NLA_U8, 2),
};

/* XIW_CMD_NOTICE_GET - do */
const struct nla_policy xiw_notice_get_nl_policy[XIW_A_NOTICE_NUMBER + 1] = {
	[XIW_A_NOTICE_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_NOTICE_NUMBER] = { .type = NLA_U64, },
};

/* XIW_CMD_LATENCY_GET - do */
const struct nla_policy xiw_latency_get_nl_policy[XIW_A_LATENCY_DEV_INDEX + 1] = {
	[XIW_A_LATENCY_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_RING_GET - do */
const struct nla_policy xiw_ring_get_nl_policy[XIW_A_RING_DEV_INDEX + 1] = {
	[XIW_A_RING_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_CAPTURE_START - do */
const struct nla_policy xiw_capture_start_nl_policy[XIW_A_CAPTURE_SIZE + 1] = {
	[XIW_A_CAPTURE_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_CAPTURE_QPN] = { .type = NLA_U32, },
	[XIW_A_CAPTURE_SNAP] = NLA_POLICY_FULL_RANGE(NLA_U32, &xiw_a_capture_snap_range),
	[XIW_A_CAPTURE_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &xiw_a_capture_size_range),
};

/* XIW_CMD_CAPTURE_GET - do */
const struct nla_policy xiw_capture_get_nl_policy[XIW_A_CAPTURE_DEV_INDEX + 1] = {
	[XIW_A_CAPTURE_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_CAPTURE_STOP - do */
const struct nla_policy xiw_capture_stop_nl_policy[XIW_A_CAPTURE_DEV_INDEX + 1] = {
	[XIW_A_CAPTURE_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_INJECT_SET - do */
const struct nla_policy xiw_inject_set_nl_policy[XIW_A_INJECT_OCTETS + 1] = {
	[XIW_A_INJECT_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_INJECT_QPN] = { .type = NLA_U32, },
	[XIW_A_INJECT_KIND] = NLA_POLICY_MAX(NLA_U8, 6),
	[XIW_A_INJECT_AT] = NLA_POLICY_MIN(NLA_U32, 1),
	[XIW_A_INJECT_EVERY] = NLA_POLICY_MIN(NLA_U32, 1),
	[XIW_A_INJECT_COUNT] = { .type = NLA_U32, },
	[XIW_A_INJECT_TIME] = NLA_POLICY_RANGE(NLA_U32, 1, XIW_NL_TIME_MAX),
	[XIW_A_INJECT_OCTETS] = { .type = NLA_U32, },
};

/* XIW_CMD_INJECT_GET - do */
const struct nla_policy xiw_inject_get_nl_policy[XIW_A_INJECT_DEV_INDEX + 1] = {
	[XIW_A_INJECT_DEV_INDEX] = { .type = NLA_U32, },
};

/* XIW_CMD_INJECT_CLEAR - do */
const struct nla_policy xiw_inject_clear_nl_policy[XIW_A_INJECT_QPN + 1] = {
	[XIW_A_INJECT_DEV_INDEX] = { .type = NLA_U32, },
	[XIW_A_INJECT_QPN] = { .type = NLA_U32, },
};

/* Ops table for xiw */
const struct genl_ops xiw_nl_ops[15] = {
	{
		.cmd		= XIW_CMD_DEVICE_GET,
		.doit		= xiw_nl_device_get_doit,
		.dumpit		= xiw_nl_device_get_dumpit,
		.policy		= xiw_device_get_nl_policy,
		.maxattr	= XIW_A_DEVICE_INDEX,
	},
	{
		.cmd		= XIW_CMD_CAPABILITY_GET,
		.doit		= xiw_nl_capability_get_doit,
		.dumpit		= xiw_nl_capability_get_dumpit,
		.policy		= xiw_capability_get_nl_policy,
		.maxattr	= XIW_A_CAPABILITY_QPN,
	},
	{
		.cmd		= XIW_CMD_CONNECTION_GET,
		.doit		= xiw_nl_connection_get_doit,
		.dumpit		= xiw_nl_connection_get_dumpit,
		.policy		= xiw_connection_get_nl_policy,
		.maxattr	= XIW_A_CONNECTION_CM_ID,
	},
	{
		.cmd		= XIW_CMD_COUNTER_GET,
		.doit		= xiw_nl_counter_get_doit,
		.dumpit		= xiw_nl_counter_get_dumpit,
		.policy		= xiw_counter_get_nl_policy,
		.maxattr	= XIW_A_COUNTER_DEV_INDEX,
	},
	{
		.cmd		= XIW_CMD_CONFIG_GET,
		.doit		= xiw_nl_config_get_doit,
		.dumpit		= xiw_nl_config_get_dumpit,
		.policy		= xiw_config_get_nl_policy,
		.maxattr	= XIW_A_CONFIG_DEV_INDEX,
	},
	{
		.cmd		= XIW_CMD_CONFIG_SET,
		.doit		= xiw_nl_config_set_doit,
		.policy		= xiw_config_set_nl_policy,
		.maxattr	= XIW_A_CONFIG_TLS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_NOTICE_GET,
		.doit		= xiw_nl_notice_get_doit,
		.dumpit		= xiw_nl_notice_get_dumpit,
		.policy		= xiw_notice_get_nl_policy,
		.maxattr	= XIW_A_NOTICE_NUMBER,
	},
	{
		.cmd		= XIW_CMD_LATENCY_GET,
		.doit		= xiw_nl_latency_get_doit,
		.dumpit		= xiw_nl_latency_get_dumpit,
		.policy		= xiw_latency_get_nl_policy,
		.maxattr	= XIW_A_LATENCY_DEV_INDEX,
	},
	{
		.cmd		= XIW_CMD_RING_GET,
		.doit		= xiw_nl_ring_get_doit,
		.dumpit		= xiw_nl_ring_get_dumpit,
		.policy		= xiw_ring_get_nl_policy,
		.maxattr	= XIW_A_RING_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_CAPTURE_START,
		.doit		= xiw_nl_capture_start_doit,
		.policy		= xiw_capture_start_nl_policy,
		.maxattr	= XIW_A_CAPTURE_SIZE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_CAPTURE_GET,
		.doit		= xiw_nl_capture_get_doit,
		.policy		= xiw_capture_get_nl_policy,
		.maxattr	= XIW_A_CAPTURE_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_CAPTURE_STOP,
		.doit		= xiw_nl_capture_stop_doit,
		.policy		= xiw_capture_stop_nl_policy,
		.maxattr	= XIW_A_CAPTURE_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_INJECT_SET,
		.doit		= xiw_nl_inject_set_doit,
		.policy		= xiw_inject_set_nl_policy,
		.maxattr	= XIW_A_INJECT_OCTETS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= XIW_CMD_INJECT_GET,
		.doit		= xiw_nl_inject_get_doit,
		.dumpit		= xiw_nl_inject_get_dumpit,
		.policy		= xiw_inject_get_nl_policy,
		.maxattr	= XIW_A_INJECT_DEV_INDEX,
	},
	{
		.cmd		= XIW_CMD_INJECT_CLEAR,
		.doit		= xiw_nl_inject_clear_doit,
		.policy		= xiw_inject_clear_nl_policy,
		.maxattr	= XIW_A_INJECT_QPN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};
