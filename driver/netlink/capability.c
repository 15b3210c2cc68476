// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * capability-get: report what a device supports and offers. For a QP, also report what the peer
 * offers, and the negotiated values.
 */
#include "cm/cm.h"
#include "core/setup.h"
#include "netlink/put.h"
#include "verbs/qp.h"

struct xiw_nl_cap {
	u32 local, offered, peer, agreed;
	bool has_offered, has_peer, has_agreed;
	u8 known;			/* enum xiw_nl_known: source of the agreed value */
};

#define XIW_NL_CAPABILITIES (XIW_NL_CAPABILITY_MAX + 1)

static void xiw_nl_offer(struct xiw_nl_cap *cap, u32 offered)
{
	cap->offered = offered;
	cap->has_offered = true;
}

static void xiw_nl_said(struct xiw_nl_cap *cap, u32 peer)
{
	cap->peer = peer;
	cap->has_peer = true;
}

static void xiw_nl_agree(struct xiw_nl_cap *cap, u32 agreed, enum xiw_nl_known known)
{
	cap->agreed = agreed;
	cap->has_agreed = true;
	cap->known = known;
}

static enum xiw_nl_atomic_scope xiw_nl_scope(const struct xiw_device *dev)
{
	if (!(xiw_cap(dev) & XIW_CAP_ATOMIC))
		return XIW_NL_ATOMIC_SCOPE_NONE;
	return xiw_cap(dev) & XIW_CAP_ATOMIC_GLOB ? XIW_NL_ATOMIC_SCOPE_GLOBAL :
						    XIW_NL_ATOMIC_SCOPE_DEVICE;
}

static void xiw_nl_able(struct xiw_nl_cap *caps, const struct xiw_device *dev)
{
	bool markers = xiw_cap(dev) & XIW_CAP_MARKERS;
	bool atomic = xiw_cap(dev) & XIW_CAP_ATOMIC;

	caps[XIW_NL_CAPABILITY_MPA_REVISION].local = 2;
	caps[XIW_NL_CAPABILITY_ENHANCED_SETUP].local = 1;
	caps[XIW_NL_CAPABILITY_CRC].local = 1;
	caps[XIW_NL_CAPABILITY_MARKERS_TX].local = markers;
	caps[XIW_NL_CAPABILITY_MARKERS_RX].local = markers;
	caps[XIW_NL_CAPABILITY_PEER_TO_PEER].local = 1;
	caps[XIW_NL_CAPABILITY_RTR].local = XIW_RTR_ALL;
	caps[XIW_NL_CAPABILITY_IRD].local = le16_to_cpu(dev->rnic.caps.max_ird);
	caps[XIW_NL_CAPABILITY_ORD].local = le16_to_cpu(dev->rnic.caps.max_ord);
	caps[XIW_NL_CAPABILITY_MULPDU].local = XIW_MULPDU_MAX;
	caps[XIW_NL_CAPABILITY_FETCH_ADD].local = atomic;
	caps[XIW_NL_CAPABILITY_CMP_SWAP].local = atomic;
	caps[XIW_NL_CAPABILITY_ATOMIC_MASK].local = atomic;
	caps[XIW_NL_CAPABILITY_ATOMIC_SCOPE].local = xiw_nl_scope(dev);
	caps[XIW_NL_CAPABILITY_IMMEDIATE].local = 1;
	caps[XIW_NL_CAPABILITY_IMMEDIATE_SOLICITED].local = 1;
	caps[XIW_NL_CAPABILITY_SEND_WITH_IMMEDIATE].local = 1;
}

/*
 * Set the offered IRD or ORD. For a device, @depth is XIW_MPA_DEPTH_NONE, because each ULP chooses
 * these depths.
 */
static void xiw_nl_depth(struct xiw_nl_cap *cap, __le16 depth)
{
	if (le16_to_cpu(depth) != XIW_MPA_DEPTH_NONE)
		xiw_nl_offer(cap, le16_to_cpu(depth));
}

/*
 * Set what this end offers. There is no offer for MARKERS_TX, because the peer decides whether it
 * receives markers.
 */
static void xiw_nl_wished(struct xiw_nl_cap *caps, const struct xiw_device *dev,
			  const struct xiw_conn_params *wish)
{
	u32 flags = le32_to_cpu(wish->flags);
	bool enhanced = wish->mpa_rev >= 2;
	bool atomic = flags & XIW_CONNF_ATOMICS && xiw_cap(dev) & XIW_CAP_ATOMIC;
	bool immediate = flags & XIW_CONNF_IMMEDIATE;

	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_MPA_REVISION], wish->mpa_rev);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_ENHANCED_SETUP], enhanced);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_CRC], !!(flags & XIW_CONNF_CRC));
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_MARKERS_RX], !!(flags & XIW_CONNF_RX_MARKERS));
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_PEER_TO_PEER], enhanced && flags & XIW_CONNF_P2P);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_RTR], enhanced ? xiw_setup_rtr(flags) : 0);
	xiw_nl_depth(&caps[XIW_NL_CAPABILITY_IRD], wish->ird);
	xiw_nl_depth(&caps[XIW_NL_CAPABILITY_ORD], wish->ord);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_MULPDU],
		     le16_to_cpu(wish->mulpdu_max) ?: XIW_MULPDU_MAX);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_FETCH_ADD], atomic);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_CMP_SWAP], atomic);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_ATOMIC_MASK], atomic);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_ATOMIC_SCOPE],
		     atomic ? xiw_nl_scope(dev) : XIW_NL_ATOMIC_SCOPE_NONE);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_IMMEDIATE], immediate);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_IMMEDIATE_SOLICITED], immediate);
	xiw_nl_offer(&caps[XIW_NL_CAPABILITY_SEND_WITH_IMMEDIATE],
		     !!(flags & XIW_CONNF_SEND_IMM));
}

static void xiw_nl_heard(struct xiw_nl_cap *caps, const struct xiw_startup *s)
{
	bool enhanced = s->peer_offer & XIW_CONNF_ENHANCED;
	bool p2p = s->peer_offer & XIW_CONNF_P2P;

	xiw_nl_said(&caps[XIW_NL_CAPABILITY_MPA_REVISION], s->peer_rev);
	xiw_nl_said(&caps[XIW_NL_CAPABILITY_ENHANCED_SETUP], enhanced);
	xiw_nl_said(&caps[XIW_NL_CAPABILITY_CRC], !!(s->peer_flags & XIW_MPA_F_CRC));
	xiw_nl_said(&caps[XIW_NL_CAPABILITY_MARKERS_TX], !!(s->peer_flags & XIW_MPA_F_MARKERS));
	if (!enhanced)
		return;
	xiw_nl_said(&caps[XIW_NL_CAPABILITY_PEER_TO_PEER], p2p);
	if (p2p)
		xiw_nl_said(&caps[XIW_NL_CAPABILITY_RTR], xiw_setup_rtr(s->peer_offer));
	if (s->peer_ird != XIW_MPA_DEPTH_NONE)
		xiw_nl_said(&caps[XIW_NL_CAPABILITY_IRD], s->peer_ird);
	if (s->peer_ord != XIW_MPA_DEPTH_NONE)
		xiw_nl_said(&caps[XIW_NL_CAPABILITY_ORD], s->peer_ord);
}

/*
 * Set the agreed values. The IRD of this end is negotiated if the peer has specified its ORD. The
 * ORD of this end is negotiated if the peer has specified its IRD.
 */
static void xiw_nl_agreed(struct xiw_nl_cap *caps, const struct xiw_device *dev,
			  const struct xiw_startup *s)
{
	const struct xiw_conn_params *agreed = &s->agreed;
	u32 flags = le32_to_cpu(agreed->flags);
	bool p2p = flags & XIW_CONNF_P2P;
	bool atomic = flags & XIW_CONNF_ATOMICS && xiw_cap(dev) & XIW_CAP_ATOMIC;
	bool immediate = flags & XIW_CONNF_IMMEDIATE;
	enum xiw_nl_known ird = s->peer_ord == XIW_MPA_DEPTH_NONE ? XIW_NL_KNOWN_CONFIGURED :
								    XIW_NL_KNOWN_NEGOTIATED;
	enum xiw_nl_known ord = s->peer_ird == XIW_MPA_DEPTH_NONE ? XIW_NL_KNOWN_CONFIGURED :
								    XIW_NL_KNOWN_NEGOTIATED;

	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_MPA_REVISION], agreed->mpa_rev,
		     XIW_NL_KNOWN_NEGOTIATED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_ENHANCED_SETUP], !!(flags & XIW_CONNF_ENHANCED),
		     XIW_NL_KNOWN_NEGOTIATED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_CRC], !!(flags & XIW_CONNF_CRC),
		     XIW_NL_KNOWN_NEGOTIATED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_MARKERS_TX], !!(flags & XIW_CONNF_TX_MARKERS),
		     XIW_NL_KNOWN_NEGOTIATED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_MARKERS_RX], !!(flags & XIW_CONNF_RX_MARKERS),
		     XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_PEER_TO_PEER], p2p, XIW_NL_KNOWN_NEGOTIATED);
	if (p2p)
		xiw_nl_agree(&caps[XIW_NL_CAPABILITY_RTR], xiw_setup_rtr(flags),
			     XIW_NL_KNOWN_NEGOTIATED);
	if (le16_to_cpu(agreed->ird) != XIW_MPA_DEPTH_NONE)
		xiw_nl_agree(&caps[XIW_NL_CAPABILITY_IRD], le16_to_cpu(agreed->ird), ird);
	if (le16_to_cpu(agreed->ord) != XIW_MPA_DEPTH_NONE)
		xiw_nl_agree(&caps[XIW_NL_CAPABILITY_ORD], le16_to_cpu(agreed->ord), ord);
	if (s->mulpdu)
		xiw_nl_agree(&caps[XIW_NL_CAPABILITY_MULPDU], s->mulpdu, XIW_NL_KNOWN_OBSERVED);
	/* Opcodes are not negotiated, so report what this end supports on the connection. */
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_FETCH_ADD], atomic, XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_CMP_SWAP], atomic, XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_ATOMIC_MASK], atomic, XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_ATOMIC_SCOPE],
		     atomic ? xiw_nl_scope(dev) : XIW_NL_ATOMIC_SCOPE_NONE,
		     XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_IMMEDIATE], immediate, XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_IMMEDIATE_SOLICITED], immediate,
		     XIW_NL_KNOWN_CONFIGURED);
	xiw_nl_agree(&caps[XIW_NL_CAPABILITY_SEND_WITH_IMMEDIATE], !!(flags & XIW_CONNF_SEND_IMM),
		     XIW_NL_KNOWN_CONFIGURED);
}

static int xiw_nl_put_entry(struct sk_buff *skb, u16 id, const struct xiw_nl_cap *cap)
{
	struct nlattr *nest = nla_nest_start(skb, XIW_A_CAPABILITY_ENTRY);

	if (!nest || nla_put_u16(skb, XIW_A_CAPABILITY_ENTRY_ID, id) ||
	    nla_put_u32(skb, XIW_A_CAPABILITY_ENTRY_LOCAL, cap->local) ||
	    (cap->has_offered &&
	     nla_put_u32(skb, XIW_A_CAPABILITY_ENTRY_OFFERED, cap->offered)) ||
	    (cap->has_peer && nla_put_u32(skb, XIW_A_CAPABILITY_ENTRY_PEER, cap->peer)) ||
	    (cap->has_agreed && nla_put_u32(skb, XIW_A_CAPABILITY_ENTRY_AGREED, cap->agreed)) ||
	    (cap->has_agreed && nla_put_u8(skb, XIW_A_CAPABILITY_ENTRY_KNOWN, cap->known)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * Put the capabilities of a device, or of a QP if @qp is not NULL. The caller holds a reference on
 * @qp, or the lock of dev->qps.
 */
static int xiw_nl_put_capabilities(const struct xiw_nl_out *out, struct xiw_device *dev,
				   struct xiw_qp *qp)
{
	struct xiw_nl_cap caps[XIW_NL_CAPABILITIES] = {};
	struct xiw_conn *conn = qp ? xiw_conn_of(qp) : NULL;
	struct xiw_startup startup = {};
	unsigned int id;
	void *header;
	bool failed;

	xiw_conn_wish(dev, &startup.offered);
	if (conn) {
		xiw_startup_read(&startup, conn);
		xiw_conn_put(conn);
	}
	xiw_nl_able(caps, dev);
	if (startup.offered.mpa_rev)
		xiw_nl_wished(caps, dev, &startup.offered);
	if (startup.heard)
		xiw_nl_heard(caps, &startup);
	if (startup.opened)
		xiw_nl_agreed(caps, dev, &startup);

	header = xiw_nl_start(out, dev);
	if (!header)
		return -EMSGSIZE;
	failed = qp && nla_put_u32(out->skb, XIW_A_CAPABILITY_QPN, qp->stream);
	for (id = 0; id < XIW_NL_CAPABILITIES && !failed; id++)
		failed = xiw_nl_put_entry(out->skb, id, &caps[id]);
	return xiw_nl_end(out, header, failed);
}

static int xiw_nl_put_by_qpn(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	struct genl_info *info = out->info;
	const struct nlattr *attr = info->attrs[XIW_A_CAPABILITY_QPN];
	struct xiw_qp *qp;
	int err = -ENOENT;

	if (!attr)
		return xiw_nl_put_capabilities(out, dev, NULL);
	xa_lock_bh(&dev->qps);
	qp = xa_load(&dev->qps, nla_get_u32(attr));
	if (qp)
		err = xiw_nl_put_capabilities(out, dev, qp);
	xa_unlock_bh(&dev->qps);
	if (!qp)
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "No QP with this number on the device");
	return err;
}

static int xiw_nl_put_all(const struct xiw_nl_out *out, struct xiw_device *dev)
{
	return xiw_nl_put_qps(out, dev, xiw_nl_put_capabilities);
}

int xiw_nl_capability_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return xiw_nl_answer(info, xiw_nl_put_by_qpn);
}

int xiw_nl_capability_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (xiw_genl_dump_attrs(cb)[XIW_A_CAPABILITY_QPN]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, xiw_genl_dump_attrs(cb)[XIW_A_CAPABILITY_QPN],
				    "A dump cannot select a QP");
		return -EINVAL;
	}
	return xiw_nl_dump_objects(skb, cb, xiw_nl_put_all);
}
