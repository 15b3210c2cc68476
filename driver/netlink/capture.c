// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * capture-start, -get, -stop: the socket that starts a capture gets copies of the DDP segments.
 * capture-get is not a dump, for two reasons. A reply removes segments from the ring. A segment may
 * be longer than the guaranteed size of a dump's message.
 */
#include "diag/capture.h"
#include "netlink/put.h"
#include "verbs/qp.h"

/* Max octets of the headers and totals of a reply. */
#define XIW_NL_CAPTURE_HEADERS 256

/*
 * Octets of a reply, unless the oldest segment needs more. When memory is fragmented, allocations
 * of more than 32 KiB are likely to fail.
 */
#define XIW_NL_CAPTURE_USUAL (SKB_WITH_OVERHEAD(32768) - XIW_NL_CAPTURE_HEADERS)

static struct xiw_capture_owner xiw_nl_capture_owner(struct genl_info *info)
{
	return (struct xiw_capture_owner){
		.net = genl_info_net(info),
		.portid = info->snd_portid,
	};
}

/* Get the number of octets that a segment takes in a reply. */
static size_t xiw_nl_segment_size(const struct xiw_captured *head)
{
	return nla_total_size(nla_total_size_64bit(sizeof(u64)) + 3 * nla_total_size(sizeof(u32)) +
			      nla_total_size(head->kept));
}

static int xiw_nl_put_segment(struct sk_buff *skb, struct xiw_capture *capture,
			      const struct xiw_captured *head)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_CAPTURE_SEGMENT), *data;

	if (!nest || nla_put_u64_64bit(skb, XIW_A_SEGMENT_TIME, head->time, XIW_A_SEGMENT_PAD) ||
	    nla_put_u32(skb, XIW_A_SEGMENT_QPN, head->stream) ||
	    nla_put_u32(skb, XIW_A_SEGMENT_FLAGS, head->flags) ||
	    nla_put_u32(skb, XIW_A_SEGMENT_LENGTH, head->length))
		return -EMSGSIZE;
	data = nla_reserve(skb, XIW_A_SEGMENT_DATA, head->kept);
	if (!data)
		return -EMSGSIZE;
	xiw_capture_take(capture, nla_data(data));
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_captured(const struct xiw_nl_out *out, struct xiw_device *dev,
			       struct xiw_capture *capture)
{
	/* A reply fits into a buffer of 64 KiB (nl-capture-answer in xiw.yaml). */
	size_t room = min_t(size_t, skb_tailroom(out->skb), XIW_NL_CAPTURE_ANSWER) -
		      XIW_NL_CAPTURE_HEADERS;
	void *header = xiw_nl_start(out, dev);
	struct xiw_capture_totals totals;
	struct xiw_captured head;
	int err = 0;

	if (!header)
		return -EMSGSIZE;
	while (!err && xiw_capture_next(capture, &head) && xiw_nl_segment_size(&head) <= room) {
		room -= xiw_nl_segment_size(&head);
		err = xiw_nl_put_segment(out->skb, capture, &head);
	}
	xiw_capture_totals(capture, &totals);
	return xiw_nl_end(out, header,
			  err || nla_put_u64_64bit(out->skb, XIW_A_CAPTURE_SEEN, totals.seen,
						   XIW_A_CAPTURE_PAD) ||
			  nla_put_u64_64bit(out->skb, XIW_A_CAPTURE_LOST, totals.lost,
					    XIW_A_CAPTURE_PAD));
}

static int xiw_nl_capture_none(struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[XIW_NL_INDEX],
			    "This socket has no capture on the device");
	return -ENOENT;
}

static int xiw_nl_put_capture(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct xiw_capture_owner owner = xiw_nl_capture_owner(out->info);
	struct xiw_capture *capture = xiw_capture_open(dev, &owner);
	int err;

	if (!capture)
		return xiw_nl_capture_none(out->info);
	err = xiw_nl_put_captured(out, dev, capture);
	xiw_capture_close(capture);
	return err;
}

/* Get the size of a reply that has room for the oldest segment, in octets. */
static size_t xiw_nl_capture_size(struct xiw_device *dev, const struct xiw_capture_owner *owner)
{
	struct xiw_capture *capture = xiw_capture_open(dev, owner);
	size_t size = XIW_NL_CAPTURE_USUAL;
	struct xiw_captured head;

	if (!capture)
		return size;
	if (xiw_capture_next(capture, &head))
		size = max(size, xiw_nl_segment_size(&head) + XIW_NL_CAPTURE_HEADERS);
	xiw_capture_close(capture);
	return size;
}

int xiw_nl_capture_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_capture_owner owner = xiw_nl_capture_owner(info);
	struct xiw_device *dev = xiw_nl_device(info);
	size_t size;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	size = xiw_nl_capture_size(dev, &owner);
	xiw_device_put(dev);
	return xiw_nl_answer_sized(info, xiw_nl_put_capture, size);
}

static u32 xiw_nl_capture_number(struct genl_info *info, int type, u32 otherwise)
{
	return info->attrs[type] ? nla_get_u32(info->attrs[type]) : otherwise;
}

int xiw_nl_capture_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_capture_owner owner = xiw_nl_capture_owner(info);
	const struct xiw_capture_wish wish = {
		.stream = xiw_nl_capture_number(info, XIW_A_CAPTURE_QPN, 0),
		.snap = xiw_nl_capture_number(info, XIW_A_CAPTURE_SNAP, XIW_NL_SNAP_MAX),
		.size = xiw_nl_capture_number(info, XIW_A_CAPTURE_SIZE, XIW_NL_CAPTURE_SIZE_MIN),
	};
	struct xiw_device *dev = xiw_nl_device(info);
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = xiw_capture_begin(dev, &owner, &wish);
	if (err == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[XIW_NL_INDEX],
				    "The device already has a capture");
	xiw_device_put(dev);
	return err;
}

int xiw_nl_capture_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct xiw_capture_owner owner = xiw_nl_capture_owner(info);
	struct xiw_device *dev = xiw_nl_device(info);
	int err;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = xiw_capture_end(dev, &owner);
	xiw_device_put(dev);
	return err ? xiw_nl_capture_none(info) : 0;
}
