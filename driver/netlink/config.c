// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* config-get and config-set: settings of a device. */
#include "cm/cm.h"
#include "core/setup.h"
#include "core/wire.h"
#include "diag/latency.h"
#include "diag/notice.h"
#include "netlink/put.h"
#include "verbs/gid.h"

/* Connection flags of the RTR forms, in the order of the bits of XIW_A_CONFIG_RTR. */
static const u32 xiw_nl_rtr_forms[] = {
	XIW_CONNF_RTR_WRITE, XIW_CONNF_RTR_READ, XIW_CONNF_RTR_SEND,
};

static u32 xiw_nl_rtr_flags(u8 forms)
{
	u32 flags = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xiw_nl_rtr_forms); i++)
		if (forms & BIT(i))
			flags |= xiw_nl_rtr_forms[i];
	return flags;
}

static int xiw_nl_put_config(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	void *header = xiw_nl_start(out, dev);
	struct sk_buff *skb = out->skb;
	struct xiw_config config;

	if (!header)
		return -EMSGSIZE;
	mutex_lock(&dev->config_lock);
	config = dev->config;
	mutex_unlock(&dev->config_lock);
	return xiw_nl_end(out, header,
			  nla_put_u8(skb, XIW_A_CONFIG_CRC, config.crc) ||
			  nla_put_u8(skb, XIW_A_CONFIG_MARKERS, config.markers) ||
			  nla_put_u8(skb, XIW_A_CONFIG_MPA_REVISION, config.mpa_rev) ||
			  nla_put_u8(skb, XIW_A_CONFIG_ATOMICS, config.atomics) ||
			  nla_put_u8(skb, XIW_A_CONFIG_IMMEDIATES, config.immediates) ||
			  nla_put_u8(skb, XIW_A_CONFIG_PEER_TO_PEER, config.peer_to_peer) ||
			  nla_put_u8(skb, XIW_A_CONFIG_RTR, xiw_setup_rtr(config.rtr)) ||
			  nla_put_u32(skb, XIW_A_CONFIG_PARK_TIME, config.park_ms) ||
			  nla_put_u32(skb, XIW_A_CONFIG_STARTUP_TIME, config.startup_ms) ||
			  nla_put_u32(skb, XIW_A_CONFIG_RTR_TIME, config.rtr_ms) ||
			  nla_put_u32(skb, XIW_A_CONFIG_LINGER_TIME, config.linger_ms) ||
			  nla_put_u32(skb, XIW_A_CONFIG_MULPDU_MAX, config.mulpdu_max) ||
			  nla_put_u32(skb, XIW_A_CONFIG_PEER_TIME, config.peer_ms) ||
			  nla_put_u8(skb, XIW_A_CONFIG_LATENCY, config.latency) ||
			  nla_put_u8(skb, XIW_A_CONFIG_SEND_WITH_IMMEDIATE, config.send_imm) ||
			  nla_put_u8(skb, XIW_A_CONFIG_CONNECT_BY_NUMBER,
				     config.by_number) ||
			  nla_put_u8(skb, XIW_A_CONFIG_REQUIRE_ENCRYPTION,
				     config.require_encryption) ||
			  (dev->rnic.ops->congestion &&
			   nla_put_string(skb, XIW_A_CONFIG_CONGESTION, config.congestion)) ||
			  (dev->rnic.ops->tls && nla_put_u8(skb, XIW_A_CONFIG_TLS, config.tls)));
}

int xiw_nl_config_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_config);
}

int xiw_nl_config_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xiw_nl_dump(skb, cb, xiw_nl_put_config);
}

/* --------------------------------------------------------------------- change */

static void xiw_nl_take_flag(struct genl_info *info, int type, bool *value)
{
	if (info->attrs[type])
		*value = nla_get_u8(info->attrs[type]);
}

static void xiw_nl_take_u32(struct genl_info *info, int type, u32 *value)
{
	if (info->attrs[type])
		*value = nla_get_u32(info->attrs[type]);
}

/*
 * Copy the values of the request to @config. The netlink policy has checked the ranges that do not
 * depend on the device.
 */
static void xiw_nl_take(struct genl_info *info, struct xiw_config *config)
{
	xiw_nl_take_flag(info, XIW_A_CONFIG_CRC, &config->crc);
	xiw_nl_take_flag(info, XIW_A_CONFIG_MARKERS, &config->markers);
	xiw_nl_take_flag(info, XIW_A_CONFIG_ATOMICS, &config->atomics);
	xiw_nl_take_flag(info, XIW_A_CONFIG_IMMEDIATES, &config->immediates);
	xiw_nl_take_flag(info, XIW_A_CONFIG_SEND_WITH_IMMEDIATE, &config->send_imm);
	xiw_nl_take_flag(info, XIW_A_CONFIG_PEER_TO_PEER, &config->peer_to_peer);
	if (info->attrs[XIW_A_CONFIG_MPA_REVISION])
		config->mpa_rev = nla_get_u8(info->attrs[XIW_A_CONFIG_MPA_REVISION]);
	if (info->attrs[XIW_A_CONFIG_RTR])
		config->rtr = xiw_nl_rtr_flags(nla_get_u8(info->attrs[XIW_A_CONFIG_RTR]));
	xiw_nl_take_u32(info, XIW_A_CONFIG_PARK_TIME, &config->park_ms);
	xiw_nl_take_u32(info, XIW_A_CONFIG_STARTUP_TIME, &config->startup_ms);
	xiw_nl_take_u32(info, XIW_A_CONFIG_RTR_TIME, &config->rtr_ms);
	xiw_nl_take_u32(info, XIW_A_CONFIG_LINGER_TIME, &config->linger_ms);
	xiw_nl_take_u32(info, XIW_A_CONFIG_MULPDU_MAX, &config->mulpdu_max);
	xiw_nl_take_u32(info, XIW_A_CONFIG_PEER_TIME, &config->peer_ms);
	xiw_nl_take_flag(info, XIW_A_CONFIG_LATENCY, &config->latency);
	xiw_nl_take_flag(info, XIW_A_CONFIG_CONNECT_BY_NUMBER, &config->by_number);
	xiw_nl_take_flag(info, XIW_A_CONFIG_REQUIRE_ENCRYPTION, &config->require_encryption);
	if (info->attrs[XIW_A_CONFIG_TLS])
		config->tls = nla_get_u8(info->attrs[XIW_A_CONFIG_TLS]);
}

/* Check only the values in the request. The other values were checked when they were set. */
static int xiw_nl_check(struct genl_info *info, const struct xiw_device *dev,
			const struct xiw_config *config)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[XIW_A_CONFIG_CRC] && !config->crc && !(xiw_cap(dev) & XIW_CAP_CRC_OFF)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_CRC],
				    "The RNIC requires CRC");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_MARKERS] && config->markers &&
	    !(xiw_cap(dev) & XIW_CAP_MARKERS)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_MARKERS],
				    "The RNIC does not support markers");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_ATOMICS] && config->atomics &&
	    !(xiw_cap(dev) & XIW_CAP_ATOMIC)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_ATOMICS],
				    "The RNIC does not support atomics");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_REQUIRE_ENCRYPTION] && config->require_encryption &&
	    !(xiw_cap(dev) & XIW_CAP_ENCRYPTION)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_REQUIRE_ENCRYPTION],
				    "The RNIC cannot see what encrypts its connections");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_TLS] && !dev->rnic.ops->tls) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_TLS],
				    "The RNIC or the kernel does not support TLS");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_CONGESTION] && !dev->rnic.ops->congestion) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_CONGESTION],
				    "The RNIC chooses its congestion control itself");
		return -EOPNOTSUPP;
	}
	if (attrs[XIW_A_CONFIG_PEER_TO_PEER] && config->peer_to_peer && config->mpa_rev < 2) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_PEER_TO_PEER],
				    "Peer-to-peer mode requires MPA revision 2");
		return -EINVAL;
	}
	if (attrs[XIW_A_CONFIG_MPA_REVISION] && config->peer_to_peer && config->mpa_rev < 2) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_MPA_REVISION],
				    "MPA revision 1 does not support peer-to-peer mode: turn off peer-to-peer too");
		return -EINVAL;
	}
	if (attrs[XIW_A_CONFIG_RTR] && !config->rtr) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_RTR],
				    "At least one RTR form is required");
		return -EINVAL;
	}
	if (attrs[XIW_A_CONFIG_MULPDU_MAX] && config->mulpdu_max &&
	    (config->mulpdu_max < XIW_MULPDU_MIN || config->mulpdu_max > XIW_MULPDU_MAX)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_MULPDU_MAX],
				    "The maximum ULPDU must be 0 or 128 to 64768 octets");
		return -ERANGE;
	}
	if (attrs[XIW_A_CONFIG_PEER_TIME] && config->peer_ms &&
	    (config->peer_ms < XIW_NL_PEER_TIME_MIN || config->peer_ms > XIW_NL_PEER_TIME_MAX)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[XIW_A_CONFIG_PEER_TIME],
				    "The peer timeout must be 0 or 1000 to 3600000 ms");
		return -ERANGE;
	}
	return 0;
}

/* Write each member with WRITE_ONCE(), because connections read the members without config_lock. */
static void xiw_nl_apply(struct xiw_config *to, const struct xiw_config *from)
{
	WRITE_ONCE(to->crc, from->crc);
	WRITE_ONCE(to->markers, from->markers);
	WRITE_ONCE(to->peer_to_peer, from->peer_to_peer);
	WRITE_ONCE(to->atomics, from->atomics);
	WRITE_ONCE(to->immediates, from->immediates);
	WRITE_ONCE(to->send_imm, from->send_imm);
	WRITE_ONCE(to->require_encryption, from->require_encryption);
	WRITE_ONCE(to->mpa_rev, from->mpa_rev);
	WRITE_ONCE(to->rtr, from->rtr);
	WRITE_ONCE(to->mulpdu_max, from->mulpdu_max);
	WRITE_ONCE(to->startup_ms, from->startup_ms);
	WRITE_ONCE(to->rtr_ms, from->rtr_ms);
	WRITE_ONCE(to->park_ms, from->park_ms);
	WRITE_ONCE(to->linger_ms, from->linger_ms);
	WRITE_ONCE(to->peer_ms, from->peer_ms);
	WRITE_ONCE(to->by_number, from->by_number);
	WRITE_ONCE(to->tls, from->tls);
	/* Only netlink reads the name, under config_lock. */
	strscpy(to->congestion, from->congestion, sizeof(to->congestion));
	/* release: a reader that sees the flag also sees the memory for the counts */
	smp_store_release(&to->latency, from->latency);
}

/*
 * Choose the congestion control. Call this function last: the choice takes effect at once, so no
 * later step may fail. The choice of a name may load a module, and the sysctl that limits what
 * users may choose does not apply here. So only an administrator of the host may choose a name.
 */
static int xiw_nl_choose_congestion(const struct sk_buff *skb, struct genl_info *info,
				    struct xiw_device *dev, struct xiw_config *config)
{
	const struct nlattr *attr = info->attrs[XIW_A_CONFIG_CONGESTION];
	int err;

	if (!attr)
		return 0;
	nla_strscpy(config->congestion, attr, sizeof(config->congestion));
	if (*config->congestion && !netlink_capable(skb, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "Only an administrator of the host may choose this");
		return -EPERM;
	}
	err = dev->rnic.ops->congestion(&dev->rnic, config->congestion);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "TCP has no congestion control of this name");
	return err;
}

int xiw_nl_config_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_device *dev = xiw_nl_device(info);
	struct xiw_config config;
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	mutex_lock(&dev->config_lock);
	config = dev->config;
	xiw_nl_take(info, &config);
	err = xiw_nl_check(info, dev, &config);
	if (!err && config.latency)
		err = xiw_latency_add(dev);
	if (!err)
		err = xiw_nl_choose_congestion(skb, info, dev, &config);
	if (!err) {
		xiw_nl_apply(&dev->config, &config);
		WRITE_ONCE(dev->rnic.tls, config.tls);
	}
	mutex_unlock(&dev->config_lock);
	if (!err) {
		xiw_gids_update(dev);
		xiw_notice_config(dev);
	}
	xiw_device_put(dev);
	return err;
}
