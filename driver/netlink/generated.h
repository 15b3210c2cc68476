/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/netlink/xiw.yaml */

#ifndef _LINUX_XIW_GEN_H
#define _LINUX_XIW_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/xiw.h>

extern const struct nla_policy xiw_device_get_nl_policy[XIW_A_DEVICE_INDEX + 1];

extern const struct nla_policy xiw_capability_get_nl_policy[XIW_A_CAPABILITY_QPN + 1];

extern const struct nla_policy xiw_connection_get_nl_policy[XIW_A_CONNECTION_CM_ID + 1];

extern const struct nla_policy xiw_counter_get_nl_policy[XIW_A_COUNTER_DEV_INDEX + 1];

extern const struct nla_policy xiw_config_get_nl_policy[XIW_A_CONFIG_DEV_INDEX + 1];

extern const struct nla_policy xiw_config_set_nl_policy[XIW_A_CONFIG_TLS + 1];

extern const struct nla_policy xiw_notice_get_nl_policy[XIW_A_NOTICE_NUMBER + 1];

extern const struct nla_policy xiw_latency_get_nl_policy[XIW_A_LATENCY_DEV_INDEX + 1];

extern const struct nla_policy xiw_ring_get_nl_policy[XIW_A_RING_DEV_INDEX + 1];

extern const struct nla_policy xiw_capture_start_nl_policy[XIW_A_CAPTURE_SIZE + 1];

extern const struct nla_policy xiw_capture_get_nl_policy[XIW_A_CAPTURE_DEV_INDEX + 1];

extern const struct nla_policy xiw_capture_stop_nl_policy[XIW_A_CAPTURE_DEV_INDEX + 1];

extern const struct nla_policy xiw_inject_set_nl_policy[XIW_A_INJECT_OCTETS + 1];

extern const struct nla_policy xiw_inject_get_nl_policy[XIW_A_INJECT_DEV_INDEX + 1];

extern const struct nla_policy xiw_inject_clear_nl_policy[XIW_A_INJECT_QPN + 1];

/* Ops table for xiw */
extern const struct genl_ops xiw_nl_ops[15];

int xiw_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_device_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_capability_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_capability_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int xiw_nl_connection_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_connection_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int xiw_nl_counter_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_counter_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_config_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_config_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_config_set_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_notice_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_notice_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_latency_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_latency_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_ring_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_ring_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_capture_start_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_capture_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_capture_stop_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_inject_set_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_inject_get_doit(struct sk_buff *skb, struct genl_info *info);
int xiw_nl_inject_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int xiw_nl_inject_clear_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	XIW_NLGRP_NOTICES,
};

#endif /* _LINUX_XIW_GEN_H */
