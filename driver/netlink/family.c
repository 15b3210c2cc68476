// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The generic netlink family, and the functions that the handlers of all commands share. */
#include "netlink/family.h"

#include <linux/jhash.h>
#include <linux/module.h>

#include "netlink/put.h"
#include "ring/namespace.h"
#include "verbs/qp.h"

static_assert((int)XIW_A_CAPABILITY_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_CAPABILITY_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_CONNECTION_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_CONNECTION_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_COUNTER_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_COUNTER_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_CONFIG_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_CONFIG_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_LATENCY_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_LATENCY_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_NOTICE_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_NOTICE_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_RING_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_RING_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_CAPTURE_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_CAPTURE_DEV_NAME == (int)XIW_NL_NAME);
static_assert((int)XIW_A_INJECT_DEV_INDEX == (int)XIW_NL_INDEX);
static_assert((int)XIW_A_INJECT_DEV_NAME == (int)XIW_NL_NAME);

static const struct genl_multicast_group xiw_nl_groups[] = {
	[XIW_NLGRP_NOTICES] = { .name = XIW_MCGRP_NOTICES },
};

static struct genl_family xiw_nl_family __ro_after_init = {
	.name = XIW_FAMILY_NAME,
	.version = XIW_FAMILY_VERSION,
	.netnsok = true,
	/*
	 * Handlers run in parallel, because a handler may wait for the RNIC. Each handler locks
	 * what it reads and writes.
	 */
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = xiw_nl_ops,
	.n_ops = ARRAY_SIZE(xiw_nl_ops),
	.mcgrps = xiw_nl_groups,
	.n_mcgrps = ARRAY_SIZE(xiw_nl_groups),
	.resv_start_op = __XIW_CMD_MAX,
};

int __init xiw_nl_init(void)
{
	BUILD_BUG_ON(sizeof(struct xiw_nl_cursor) > sizeof_field(struct netlink_callback, ctx));
	return genl_register_family(&xiw_nl_family);
}

void xiw_nl_exit(void)
{
	genl_unregister_family(&xiw_nl_family);
}

/* ------------------------------------------------------------------- devices */

static struct xiw_device *xiw_nl_find(struct net *net, u32 index)
{
	u32 cursor = index;
	struct xiw_device *dev = xiw_device_next(net, &cursor);

	if (dev && dev->ibdev.index != index) {
		xiw_device_put(dev);
		return NULL;
	}
	return dev;
}

/**
 * xiw_nl_device - get the device of a request
 * @info: request
 *
 * Context: process.
 *
 * Return: the device with a reference; or an error pointer, and the reason in the extack.
 */
struct xiw_device *xiw_nl_device(struct genl_info *info)
{
	const struct nlattr *index = info->attrs[XIW_NL_INDEX];
	struct xiw_device *dev;

	if (!index) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, XIW_NL_INDEX);
		NL_SET_ERR_MSG(info->extack, "The request has no device index");
		return ERR_PTR(-EINVAL);
	}
	dev = xiw_nl_find(genl_info_net(info), nla_get_u32(index));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, index,
				    "No xiw device with this index in the network namespace");
		return ERR_PTR(-ENODEV);
	}
	return dev;
}

/* ------------------------------------------------------------------ messages */

static int xiw_nl_put_name(struct sk_buff *skb, struct xiw_device *dev)
{
	return nla_put_u32(skb, XIW_NL_INDEX, dev->ibdev.index) ||
	       nla_put_string(skb, XIW_NL_NAME, dev_name(&dev->ibdev.dev));
}

/**
 * xiw_nl_start - begin a message about a device
 * @out: destination
 * @dev: device whose attributes are put
 *
 * Return: header for xiw_nl_end(); NULL if there is no room.
 */
void *xiw_nl_start(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	const struct netlink_callback *cb = out->cb;
	const struct genlmsghdr *request;
	void *header;

	if (cb) {
		request = nlmsg_data(cb->nlh);
		header = genlmsg_put(out->skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				     &xiw_nl_family, NLM_F_MULTI, request->cmd);
	} else {
		header = genlmsg_put_reply(out->skb, out->info, &xiw_nl_family, 0,
					   out->info->genlhdr->cmd);
	}
	if (!header)
		return NULL;
	if (cb)
		genl_dump_check_consistent(out->cb, header);
	if (xiw_nl_put_name(out->skb, dev)) {
		genlmsg_cancel(out->skb, header);
		return NULL;
	}
	return header;
}

/**
 * xiw_nl_end - end a message
 * @out: destination
 * @header: from xiw_nl_start()
 * @failed: true if an attribute did not fit; the function then cancels the message
 *
 * Return: 0 or -EMSGSIZE.
 */
int xiw_nl_end(const struct xiw_nl_out *out, void *header, bool failed)
{
	if (failed) {
		genlmsg_cancel(out->skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(out->skb, header);
	return 0;
}

/* -------------------------------------------------------------------- events */

/**
 * xiw_nl_begin_event - begin a multicast message
 * @skb: message
 * @dev: device whose attributes are put
 * @command: command of the message
 *
 * Return: header for genlmsg_end(); NULL if there is no room.
 */
void *xiw_nl_begin_event(struct sk_buff *skb, struct xiw_device *dev, u8 command)
{
	void *header = genlmsg_put(skb, 0, 0, &xiw_nl_family, 0, command);

	return header && !xiw_nl_put_name(skb, dev) ? header : NULL;
}

/**
 * xiw_nl_multicast - send a message to a multicast group in the device's network namespace
 * @dev: device
 * @skb: message; this function consumes it
 * @group: multicast group
 *
 * Context: process.
 */
void xiw_nl_multicast(struct xiw_device *dev, struct sk_buff *skb, unsigned int group)
{
	struct net *net = xiw_rnic_get_net(&dev->rnic);

	if (!net) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_multicast_netns(&xiw_nl_family, net, skb, 0, group, GFP_KERNEL);
	put_net(net);
}

/**
 * xiw_nl_listened - check for subscribers of a multicast group
 * @dev: device
 * @group: multicast group
 *
 * Context: any.
 *
 * Return: true if the group has a subscriber in the device's network namespace.
 */
bool xiw_nl_listened(const struct xiw_device *dev, unsigned int group)
{
	struct net *net;
	bool listened;

	rcu_read_lock();
	net = xiw_rnic_net(&dev->rnic);
	listened = net && genl_has_listeners(&xiw_nl_family, net, group);
	rcu_read_unlock();
	return listened;
}

/* -------------------------------------------------------------------- answers */

/**
 * xiw_nl_answer_sized - answer a do request
 * @info: request, with a device index
 * @put: function that puts the reply
 * @size: max octets of the reply, without netlink's headers
 *
 * Context: process.
 *
 * Return: 0 or an errno.
 */
int xiw_nl_answer_sized(struct genl_info *info, xiw_nl_put_t *put, size_t size)
{
	struct xiw_device *dev = xiw_nl_device(info);
	struct xiw_nl_out out = { .info = info };
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	/*
	 * A reply that contains a long segment of a capture needs many contiguous pages. If memory
	 * is fragmented, this flag makes the kernel move pages.
	 */
	out.skb = genlmsg_new(size, GFP_KERNEL | __GFP_RETRY_MAYFAIL);
	err = out.skb ? put(&out, dev) : -ENOMEM;
	xiw_device_put(dev);
	if (err) {
		nlmsg_free(out.skb);
		return err;
	}
	return genlmsg_reply(out.skb, info);
}

/* --------------------------------------------------------------------- dumps */

/*
 * Hash the next index and the number of QPs, connections and listeners. An addition changes the
 * next index. A removal changes the number.
 */
static u32 xiw_nl_hash_objects(struct xiw_device *dev, u32 sum)
{
	u32 facts[] = {
		READ_ONCE(dev->next_qp), atomic_read(&dev->objects[XIW_OBJ_QP]),
		READ_ONCE(dev->next_conn), atomic_read(&dev->objects[XIW_OBJ_CONN]),
		READ_ONCE(dev->next_listener), atomic_read(&dev->objects[XIW_OBJ_LISTENER]),
	};

	return jhash2(facts, ARRAY_SIZE(facts), sum);
}

/*
 * Get a sequence number that changes when a device is added or removed and, if @objects is true,
 * when a QP, connection or listener is added or removed.
 */
static u32 xiw_nl_generation(struct net *net, bool objects)
{
	struct xiw_device *dev;
	u32 cursor = 0, sum = 0;

	while ((dev = xiw_device_next(net, &cursor))) {
		sum = jhash_1word(dev->ibdev.index, sum);
		if (objects)
			sum = xiw_nl_hash_objects(dev, sum);
		xiw_device_put(dev);
	}
	/* netlink does not compare sequence numbers that are 0 */
	return sum ?: 1;
}

static int xiw_nl_dump_device(const struct xiw_nl_out *out, struct xiw_device *dev,
			      xiw_nl_put_t *put)
{
	struct xiw_nl_cursor *cursor = xiw_nl_cursor(out);
	int err;

	/* If the previous round did not stop at this device, begin at its first object. */
	if (dev->ibdev.index != cursor->device) {
		cursor->object = 0;
		cursor->number = 0;
	}
	cursor->device = dev->ibdev.index;
	err = put(out, dev);
	xiw_device_put(dev);
	if (!err) {
		cursor->device++;
		cursor->object = 0;
		cursor->number = 0;
	}
	return err;
}

static int xiw_nl_dump_one(const struct xiw_nl_out *out, const struct nlattr *index,
			   struct net *net, xiw_nl_put_t *put)
{
	struct xiw_nl_cursor *cursor = xiw_nl_cursor(out);
	struct xiw_device *dev;

	if (cursor->begun && cursor->device != nla_get_u32(index))
		return 0;
	dev = xiw_nl_find(net, nla_get_u32(index));
	if (!dev && cursor->begun)
		return 0;
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(out->cb->extack, index,
				    "No xiw device with this index in the network namespace");
		return -ENODEV;
	}
	cursor->begun = true;
	return xiw_nl_dump_device(out, dev, put);
}

/**
 * xiw_nl_put_qps - put the messages of a device and of its QPs
 * @out: destination, a dump
 * @dev: device
 * @put: function that puts the message of one QP, or of the device if the QP is NULL
 *
 * The cursor is the number of the next QP, or 0 for the device. No QP has the number 0.
 *
 * Context: process. Return: as xiw_nl_put_t.
 */
int xiw_nl_put_qps(const struct xiw_nl_out *out, struct xiw_device *dev, xiw_nl_put_qp_t *put)
{
	u32 *object = &xiw_nl_cursor(out)->object;
	unsigned long index;
	struct xiw_qp *qp;
	int err = 0;

	if (!*object) {
		err = put(out, dev, NULL);
		if (err)
			return err;
		*object = 1;
	}
	index = *object;
	while (!err && (qp = xiw_qp_next(dev, &index))) {
		err = put(out, dev, qp);
		xiw_qp_put(qp);
		if (!err)
			*object = index;
	}
	return err;
}

static int xiw_nl_dump_round(struct sk_buff *skb, struct netlink_callback *cb, xiw_nl_put_t *put,
			     bool objects)
{
	const struct nlattr *index = xiw_genl_dump_attrs(cb)[XIW_NL_INDEX];
	const struct xiw_nl_out out = { .skb = skb, .cb = cb };
	struct net *net = sock_net(cb->skb->sk);
	struct xiw_device *dev;
	int err = 0;
	u32 next;

	cb->seq = xiw_nl_generation(net, objects);
	if (index) {
		err = xiw_nl_dump_one(&out, index, net, put);
	} else {
		next = xiw_nl_cursor(&out)->device;
		while (!err && (dev = xiw_device_next(net, &next)))
			err = xiw_nl_dump_device(&out, dev, put);
	}
	if (err && !(err == -EMSGSIZE && skb->len))
		return err;
	return skb->len;
}

/**
 * xiw_nl_dump - execute one round of a dump of devices
 * @skb: skb for the messages
 * @cb: dump; if the request has a device index, the dump includes only this device
 * @put: function that puts the messages of one device
 *
 * netlink marks the dump as interrupted if a device is added or removed between two rounds.
 *
 * Context: process.
 *
 * Return: octets in @skb, 0 at the end of the dump, or an errno.
 */
int xiw_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, xiw_nl_put_t *put)
{
	return xiw_nl_dump_round(skb, cb, put, false);
}

/**
 * xiw_nl_dump_objects - execute one round of a dump that lists QPs, connections or listeners
 * @skb: as for xiw_nl_dump()
 * @cb: as for xiw_nl_dump()
 * @put: function that puts the messages of one device and of its objects
 *
 * netlink also marks the dump as interrupted if one of these objects is added or removed.
 *
 * Context: process.
 *
 * Return: as xiw_nl_dump().
 */
int xiw_nl_dump_objects(struct sk_buff *skb, struct netlink_callback *cb, xiw_nl_put_t *put)
{
	return xiw_nl_dump_round(skb, cb, put, true);
}
