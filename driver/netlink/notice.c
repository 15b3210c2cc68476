// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * notice-get: errors that the device has kept. notice-ntf: events, multicast in the device's
 * network namespace. The STags and addresses in headers are secrets of the ULP. The driver zeroes
 * them in all multicast events. In replies, it zeroes them if the caller may not administer the
 * network namespace.
 */
#include "cm/cm.h"
#include "core/rdmap.h"
#include "core/term.h"
#include "diag/notice.h"
#include "netlink/put.h"

static u16 xiw_nl_cause(const struct xiw_term_info *info)
{
	return info->code.layer << 12 | info->code.etype << 8 | info->code.code;
}

/*
 * Put a DDP header of @length octets; nothing if @length is 0. If @secrets is false, zero the STag
 * and the TO.
 */
static int xiw_nl_put_ddp(struct sk_buff *skb, int type, const u8 *ddp, u32 length, bool secrets)
{
	u8 header[XIW_DDP_HDR_MAX];

	if (!length)
		return 0;
	memcpy(header, ddp, length);
	if (!secrets) {
		/*
		 * A tagged header contains the STag and the TO. An untagged header may contain an
		 * STag to invalidate.
		 */
		u32 end = header[XIW_DDP_CTRL_AT] & XIW_DDP_T ? XIW_DDP_TAGGED_LEN : XIW_DDP_QN_AT;

		memset(header + XIW_DDP_STAG_AT, 0, end - XIW_DDP_STAG_AT);
	}
	return nla_put(skb, type, length, header);
}

static int xiw_nl_put_read(struct sk_buff *skb, const struct xiw_term_info *info, bool secrets)
{
	u8 header[XIW_READ_REQ_LEN];
	struct xiw_read_req req;

	xiw_read_req_get(&req, info->read_hdr);
	if (!secrets)
		req = (struct xiw_read_req){ .size = req.size };
	xiw_read_req_put(header, &req);
	return nla_put(skb, XIW_A_NOTICE_RDMA_HEADER, sizeof(header), header);
}

static int xiw_nl_put_message(struct sk_buff *skb, const struct xiw_notice *notice, bool secrets)
{
	struct xiw_term_info info;

	if (!xiw_term_parse(&info, notice->term, notice->term_length, true))
		return 0;
	return nla_put_u16(skb, XIW_A_NOTICE_TERMINATE, xiw_nl_cause(&info)) ||
	       (info.code.flags & XIW_TERM_M &&
		nla_put_u16(skb, XIW_A_NOTICE_SEGMENT_LENGTH, info.seg_len)) ||
	       (info.ddp_hdr && xiw_nl_put_ddp(skb, XIW_A_NOTICE_DDP_HEADER, info.ddp_hdr,
					       info.ddp_hdr_len, secrets)) ||
	       (info.read_hdr && xiw_nl_put_read(skb, &info, secrets)) ||
	       (info.ddp_hdr && !secrets && nla_put_flag(skb, XIW_A_NOTICE_HIDDEN));
}

static int xiw_nl_put_record(struct sk_buff *skb, const struct xiw_record *record, bool secrets)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_NOTICE_RECORD);

	if (!nest || nla_put_u64_64bit(skb, XIW_A_RECORD_AGE, record->time, XIW_A_RECORD_PAD) ||
	    (record->flags & XIW_RECORD_SENT && nla_put_flag(skb, XIW_A_RECORD_SENT)) ||
	    (record->flags & XIW_RECORD_MESSAGE && nla_put_flag(skb, XIW_A_RECORD_MESSAGE)) ||
	    nla_put_u32(skb, XIW_A_RECORD_LENGTH, record->length) ||
	    xiw_nl_put_ddp(skb, XIW_A_RECORD_DDP_HEADER, record->header, record->header_length,
			   secrets) ||
	    (record->header_length && !secrets && nla_put_flag(skb, XIW_A_RECORD_HIDDEN)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xiw_nl_put_recording(struct sk_buff *skb, const struct xiw_recording *recording,
				bool secrets)
{
	int err = 0;
	u32 i;

	for (i = 0; i < recording->count && !err; i++)
		err = xiw_nl_put_record(skb, &recording->record[i], secrets);
	return err;
}

static int xiw_nl_put_endpoint(struct sk_buff *skb, const struct xiw_notice *notice)
{
	struct sockaddr_storage local, remote;

	xiw_addr_to_sockaddr(&local, &notice->local);
	xiw_addr_to_sockaddr(&remote, &notice->remote);
	return nla_put_u32(skb, XIW_A_NOTICE_CM_ID, notice->cm_id) ||
	       nla_put_u8(skb, XIW_A_NOTICE_ROLE, notice->role) ||
	       xiw_nl_put_address(skb, XIW_A_NOTICE_LOCAL_ADDR, &local) ||
	       (notice->role != XIW_NL_ROLE_LISTENER &&
		xiw_nl_put_address(skb, XIW_A_NOTICE_REMOTE_ADDR, &remote));
}

static int xiw_nl_put_facts(struct sk_buff *skb, const struct xiw_notice *notice, bool secrets)
{
	bool moved = notice->kind == XIW_NL_NOTICE_QP_STATE;

	return nla_put_u8(skb, XIW_A_NOTICE_KIND, notice->kind) ||
	       nla_put_u64_64bit(skb, XIW_A_NOTICE_NUMBER, notice->number, XIW_A_NOTICE_PAD) ||
	       nla_put_u64_64bit(skb, XIW_A_NOTICE_TIME, notice->time, XIW_A_NOTICE_PAD) ||
	       nla_put_u8(skb, XIW_A_NOTICE_ORIGIN, notice->origin) ||
	       (notice->qpn && nla_put_u32(skb, XIW_A_NOTICE_QPN, notice->qpn)) ||
	       (notice->connected && xiw_nl_put_endpoint(skb, notice)) ||
	       xiw_nl_put_message(skb, notice, secrets) ||
	       (notice->error && nla_put_u32(skb, XIW_A_NOTICE_ERROR, notice->error)) ||
	       (notice->text && nla_put_string(skb, XIW_A_NOTICE_TEXT, notice->text)) ||
	       (moved && nla_put_u8(skb, XIW_A_NOTICE_FROM, notice->from)) ||
	       (moved && nla_put_u8(skb, XIW_A_NOTICE_TO, notice->to));
}

static int xiw_nl_put_notice(const struct xiw_nl_out *out, struct xiw_device *dev,
			     const struct xiw_notice *notice,
			     const struct xiw_recording *recording, bool secrets)
{
	void *header = xiw_nl_start(out, dev);

	if (!header)
		return -EMSGSIZE;
	return xiw_nl_end(out, header,
			  xiw_nl_put_facts(out->skb, notice, secrets) ||
			  xiw_nl_put_recording(out->skb, recording, secrets));
}

void xiw_nl_notice_tell(struct xiw_device *dev, const struct xiw_notice *notice)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;

	/* Subscribers detect the loss, because the number of the event is missing. */
	if (!skb)
		return;
	header = xiw_nl_begin_event(skb, dev, XIW_CMD_NOTICE_NTF);
	if (!header || xiw_nl_put_facts(skb, notice, false)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	xiw_nl_multicast(dev, skb, XIW_NLGRP_NOTICES);
}

bool xiw_nl_notice_wanted(const struct xiw_device *dev)
{
	return xiw_nl_listened(dev, XIW_NLGRP_NOTICES);
}

static bool xiw_nl_secrets(const struct sk_buff *request)
{
	return netlink_ns_capable(request, sock_net(request->sk)->user_ns, CAP_NET_ADMIN);
}

static int xiw_nl_put_one_notice(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct genl_info *info = out->info;
	const struct nlattr *attr = info->attrs[XIW_A_NOTICE_NUMBER];
	struct xiw_recording recording;
	struct xiw_notice notice;
	u64 number;

	if (!attr) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, XIW_A_NOTICE_NUMBER);
		NL_SET_ERR_MSG(info->extack, "The request has no event number");
		return -EINVAL;
	}
	number = nla_get_u64(attr);
	if (!xiw_notice_from(dev, number, &notice, &recording) || notice.number != number) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "No event with this number was kept");
		return -ENOENT;
	}
	return xiw_nl_put_notice(out, dev, &notice, &recording,
				 xiw_nl_secrets(info->user_ptr[0]));
}

static int xiw_nl_put_notices(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	bool secrets = xiw_nl_secrets(out->cb->skb);
	u64 *number = &xiw_nl_cursor(out)->number;
	struct xiw_recording recording;
	struct xiw_notice notice;
	int err;

	while (xiw_notice_from(dev, *number, &notice, &recording)) {
		err = xiw_nl_put_notice(out, dev, &notice, &recording, secrets);
		if (err)
			return err;
		*number = notice.number + 1;
	}
	return 0;
}

int xiw_nl_notice_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	/* The reply depends on the credentials of the sender, which the skb contains. */
	info->user_ptr[0] = skb;
	return xiw_nl_answer(info, xiw_nl_put_one_notice);
}

int xiw_nl_notice_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (xiw_genl_dump_attrs(cb)[XIW_A_NOTICE_NUMBER]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, xiw_genl_dump_attrs(cb)[XIW_A_NOTICE_NUMBER],
				    "A dump cannot select an event");
		return -EINVAL;
	}
	return xiw_nl_dump(skb, cb, xiw_nl_put_notices);
}
