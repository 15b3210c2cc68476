/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Functions that the handlers of the netlink family share.
 *
 * The handler of a get command calls a function that puts the attributes of one device
 * (xiw_nl_put_t). In a do request, the handler calls this function for the device of the request.
 * In a dump, it calls the function for each device of the network namespace, or only for the device
 * that the request names. The caller holds a reference on the device during the call.
 *
 * While the function reads an object of the device, the function holds a reference on the object,
 * or the lock of the array that contains the object. The lock is sufficient, because an object is
 * freed only after it is erased from its array.
 */
#ifndef XIW_NL_PUT_H
#define XIW_NL_PUT_H

#include <linux/socket.h>

#include "netlink/generated.h"
#include "xiw.h"

struct xiw_conn;
struct xiw_qp;
struct xiw_startup;
struct xiw_traffic_row;

/*
 * Attributes that identify a device. They have the same numbers in all attribute sets, see
 * family.c.
 */
#define XIW_NL_INDEX XIW_A_DEVICE_INDEX
#define XIW_NL_NAME XIW_A_DEVICE_NAME

/* Position at which a dump continues. */
struct xiw_nl_cursor {
	u32 device;		/* index of the first device that the dump has not finished */
	u32 object;		/* first object of this device that the dump has not put */
	u64 number;		/* first event of this device that the dump has not put */
	bool begun;		/* a dump of one device has found the device */
};

/* Destination of a message. Exactly one of info and cb is set. */
struct xiw_nl_out {
	struct sk_buff *skb;
	struct genl_info *info;		/* set in a "do" request; skb is the reply */
	struct netlink_callback *cb;	/* a dump */
};

/**
 * typedef xiw_nl_put_t - put the attributes of one device
 * @out: destination
 * @dev: device
 *
 * Context: process.
 *
 * Return: 0; -EMSGSIZE if some attributes do not fit; another errno to end the request. With
 * -EMSGSIZE, the cursor of a dump is at the first object or event that does not fit.
 */
typedef int xiw_nl_put_t(const struct xiw_nl_out *out, struct xiw_device *dev);

typedef int xiw_nl_put_qp_t(const struct xiw_nl_out *out, struct xiw_device *dev,
			    struct xiw_qp *qp);

static inline struct xiw_nl_cursor *xiw_nl_cursor(const struct xiw_nl_out *out)
{
	return (struct xiw_nl_cursor *)out->cb->ctx;
}

int xiw_nl_answer_sized(struct genl_info *info, xiw_nl_put_t *put, size_t size);

/* Answer a request with a reply of the default size. */
static inline int xiw_nl_answer(struct genl_info *info, xiw_nl_put_t *put)
{
	return xiw_nl_answer_sized(info, put, GENLMSG_DEFAULT_SIZE);
}

int xiw_nl_dump(struct sk_buff *skb, struct netlink_callback *cb, xiw_nl_put_t *put);
int xiw_nl_dump_objects(struct sk_buff *skb, struct netlink_callback *cb, xiw_nl_put_t *put);
int xiw_nl_put_qps(const struct xiw_nl_out *out, struct xiw_device *dev, xiw_nl_put_qp_t *put);
struct xiw_device *xiw_nl_device(struct genl_info *info);
void *xiw_nl_start(const struct xiw_nl_out *out, struct xiw_device *dev);
int xiw_nl_put_address(struct sk_buff *skb, int type, const struct sockaddr_storage *ss);
void *xiw_nl_begin_event(struct sk_buff *skb, struct xiw_device *dev, u8 command);
void xiw_nl_multicast(struct xiw_device *dev, struct sk_buff *skb, unsigned int group);
bool xiw_nl_listened(const struct xiw_device *dev, unsigned int group);
int xiw_nl_end(const struct xiw_nl_out *out, void *header, bool failed);

int xiw_nl_put_frames(struct sk_buff *skb, const struct xiw_startup *startup);

/* traffic.c */
int xiw_nl_put_messages(struct sk_buff *skb, int type, u8 opcode,
			const struct xiw_traffic_row *tx, const struct xiw_traffic_row *rx,
			bool octets);
int xiw_nl_put_stream(struct sk_buff *skb, struct xiw_qp *qp);

#endif
