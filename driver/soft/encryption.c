// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "soft/encryption.h"

#include <linux/if_link.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/pfkeyv2.h>
#include <linux/skbuff.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/netlink.h>
#include <net/rtnetlink.h>
#include <net/tcp.h>
#include <net/xfrm.h>
#include <rnic/xiw_rnic.h>

#include "soft/socket.h"

enum {
	NESTING_MAX = 8,		/* max depth of stacked interfaces, as in net/core */
	LINK_INFO_SIZE = 512,		/* octets of an skb for the attributes of MACsec */
};

/* ---------------------------------------------------------------- interfaces */

static const struct nlattr *link_attr(const struct sk_buff *info, int type)
{
	const struct nlattr *attr = nla_find((const struct nlattr *)info->data, info->len, type);

	return attr && nla_len(attr) >= (int)sizeof(u8) ? attr : NULL;
}

static u8 link_u8(const struct sk_buff *info, int type)
{
	const struct nlattr *attr = link_attr(info, type);

	return attr ? nla_get_u8(attr) : 0;
}

/*
 * Return: true if a device or a PHY may process MACsec. In this case, the kernel cannot determine
 * whether a frame arrived encrypted, and accepts frames in the clear in spite of strict validation.
 * If MACsec does not report its offload mode, return true if the interface below is unknown,
 * supports offload, or has a PHY. Under RCU.
 */
static bool macsec_offloads(const struct sk_buff *info, struct net_device *netdev)
{
	const struct nlattr *mode = link_attr(info, IFLA_MACSEC_OFFLOAD);
	struct list_head *at = &netdev->adj_list.lower;
	struct net_device *lower;

	if (mode)
		return nla_get_u8(mode) != MACSEC_OFFLOAD_OFF;
	lower = netdev_next_lower_dev_rcu(netdev, &at);
	return !lower || lower->features & NETIF_F_HW_MACSEC || lower->phydev;
}

/*
 * Return: true if MACsec encrypts all frames that leave, and accepts only encrypted frames. Frames
 * leave in the clear if protection or encryption is off; encryption is off by default. Frames in
 * the clear are accepted if validation is not strict. MACsec reports these settings only to
 * netlink, so read them from a netlink message. Under RCU. Overwrites info, an skb of
 * LINK_INFO_SIZE.
 */
static bool macsec_encrypts(struct net_device *netdev, struct sk_buff *info)
{
	const struct rtnl_link_ops *ops = netdev->rtnl_link_ops;

	if (!ops || !ops->fill_info)
		return false;
	skb_trim(info, 0);
	return !ops->fill_info(info, netdev) && link_u8(info, IFLA_MACSEC_ENCRYPT) &&
	       link_u8(info, IFLA_MACSEC_PROTECT) &&
	       link_u8(info, IFLA_MACSEC_VALIDATION) == MACSEC_VALIDATE_STRICT &&
	       !macsec_offloads(info, netdev);
}

static bool is_wireguard(const struct net_device *netdev)
{
	return netdev->rtnl_link_ops && !strcmp(netdev->rtnl_link_ops->kind, "wireguard");
}

/*
 * Return: true if the interface sends and receives only by the interfaces below it. Interfaces such
 * as VXLAN also have a lower interface, but pass packets to the routing of the host.
 */
static bool is_layer(const struct net_device *netdev)
{
	return is_vlan_dev(netdev) || netif_is_macvlan(netdev) || netif_is_bond_master(netdev) ||
	       netif_is_team_master(netdev) || netif_is_bridge_master(netdev);
}

/*
 * Get the layers by which the interface encrypts. An interface for which is_layer() returns true
 * encrypts if all interfaces below it encrypt, because a frame may leave by any of them. Under RCU.
 * Overwrites info, an skb of LINK_INFO_SIZE.
 * Return: bits of enum xiw_conn_flag; 0 if the interface does not encrypt.
 */
static u32 interface_encrypts(struct net_device *netdev, struct sk_buff *info, unsigned int depth)
{
	struct list_head *at = &netdev->adj_list.lower;
	struct net_device *lower;
	u32 all = 0, one;

	if (is_wireguard(netdev))
		return XIW_CONNF_WIREGUARD;
	if (netif_is_macsec(netdev))
		return macsec_encrypts(netdev, info) ? XIW_CONNF_MACSEC : 0;
	if (!depth || !is_layer(netdev))
		return 0;
	while ((lower = netdev_next_lower_dev_rcu(netdev, &at))) {
		one = interface_encrypts(lower, info, depth - 1);
		if (!one)
			return 0;
		all |= one;
	}
	return all;
}

/* ------------------------------------------------------------------------ ESP */

#ifdef CONFIG_XFRM
/* Return: true if the state encrypts. With GMAC or the null cipher, ESP only authenticates. */
static bool state_encrypts(const struct xfrm_state *state)
{
	if (state->id.proto != IPPROTO_ESP)
		return false;
	if (state->aead)
		return state->props.ealgo != SADB_X_EALG_NULL_AES_GMAC;
	return state->ealg && state->props.ealgo != SADB_EALG_NULL;
}

/*
 * Return: true if a policy of the route requires ESP. An optional template does not count, because
 * it uses ESP only while there is a key.
 */
static bool policy_requires(const struct xfrm_dst *xdst)
{
	const struct xfrm_policy *policy;
	int i, j;

	for (i = 0; i < xdst->num_pols; i++) {
		policy = xdst->pols[i];
		for (j = 0; j < policy->xfrm_nr; j++)
			if (policy->xfrm_vec[j].id.proto == IPPROTO_ESP &&
			    !policy->xfrm_vec[j].optional)
				return true;
	}
	return false;
}

static bool route_encrypts(const struct dst_entry *dst)
{
	const struct dst_entry *at;

	if (!dst->xfrm || !policy_requires((const struct xfrm_dst *)dst))
		return false;
	for (at = dst; at && at->xfrm; at = xfrm_dst_child(at))
		if (state_encrypts(at->xfrm))
			return true;
	return false;
}
#else
static bool route_encrypts(const struct dst_entry *dst)
{
	return false;
}
#endif

/*
 * Return: true if the encapsulation of the route looks up another route. That route may use any
 * interface.
 */
static bool route_redirects(const struct dst_entry *dst)
{
	struct lwtunnel_state *encap = xfrm_dst_path(dst)->lwtstate;

	return lwtunnel_output_redirect(encap) || lwtunnel_xmit_redirect(encap);
}

/* Return: true if the route drops packets, or queues them until ESP has a key. */
static bool route_is_silent(const struct dst_entry *dst)
{
	return dst->output == dst_discard_out || dst->flags & DST_XFRM_QUEUE;
}

static void put_v4(struct sk_buff *skb, const struct inet_sock *inet)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tot_len = htons(sizeof(*ip) + sizeof(struct tcphdr));
	ip->protocol = IPPROTO_TCP;
	ip->saddr = inet->inet_daddr;
	ip->daddr = inet->inet_saddr;
	skb->protocol = htons(ETH_P_IP);
}

#if IS_ENABLED(CONFIG_IPV6)
static void put_v6(struct sk_buff *skb, const struct sock *sk)
{
	struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 6;
	ip->payload_len = htons(sizeof(struct tcphdr));
	ip->nexthdr = IPPROTO_TCP;
	ip->saddr = sk->sk_v6_daddr;
	ip->daddr = sk->sk_v6_rcv_saddr;
	skb->protocol = htons(ETH_P_IPV6);
}
#else
static void put_v6(struct sk_buff *skb, const struct sock *sk)
{
}
#endif

/* Build the headers of an unprotected segment of the peer. */
static struct sk_buff *plain_segment(const struct sock *sk)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct ipv6hdr) + sizeof(struct tcphdr), GFP_NOIO);
	struct tcphdr *tcp;

	if (!skb)
		return NULL;
	skb_reset_network_header(skb);
	if (xiw_soft_socket_is_v6(sk))
		put_v6(skb, sk);
	else
		put_v4(skb, inet_sk(sk));
	skb_set_transport_header(skb, skb->len);
	tcp = skb_put_zero(skb, sizeof(*tcp));
	tcp->source = inet_sk(sk)->inet_dport;
	tcp->dest = inet_sk(sk)->inet_sport;
	tcp->doff = sizeof(*tcp) / 4;
	return skb;
}

/*
 * Check that this host drops an unprotected segment of the peer. TCP does not show whether the
 * segments that it accepted were protected, so ask the policy database. If the verdict is to drop
 * the segment, the database increments an error counter, such as XfrmInNoPols, as for a real
 * packet. The socket is locked.
 * Return: 0; -ENOKEY if the host accepts the segment; or -ENOMEM.
 */
static int drops_plain(struct sock *sk, struct net_device *netdev)
{
	struct sk_buff *skb = plain_segment(sk);
	bool accepts;

	if (!skb)
		return -ENOMEM;
	skb->dev = netdev;
	skb->skb_iif = netdev->ifindex;
	local_bh_disable();
	if (xiw_soft_socket_is_v6(sk))
		accepts = xfrm6_policy_check(sk, XFRM_POLICY_IN, skb);
	else
		accepts = xfrm4_policy_check(sk, XFRM_POLICY_IN, skb);
	local_bh_enable();
	kfree_skb(skb);
	return accepts ? -ENOKEY : 0;
}

/* ----------------------------------------------------------------- connection */

/*
 * Get the layers by which a route encrypts. Also get the interface of the route, and take a
 * reference to the interface. Overwrites info, an skb of LINK_INFO_SIZE. Return: as
 * xiw_soft_encrypted(); on an error, no reference is taken.
 */
static int route_layers(struct dst_entry *dst, struct sk_buff *info, struct net_device **netdev)
{
	int layers = -EAGAIN;

	if (route_is_silent(dst))
		return -EAGAIN;
	rcu_read_lock();
	*netdev = READ_ONCE(dst->dev);
	/* A flushed route has blackhole_netdev. TCP looks up another route before it sends. */
	if (*netdev != blackhole_netdev) {
		dev_hold(*netdev);
		layers = route_redirects(dst) ? 0 : interface_encrypts(*netdev, info, NESTING_MAX);
	}
	rcu_read_unlock();
	if (layers >= 0 && route_encrypts(dst))
		layers |= XIW_CONNF_ESP;
	return layers;
}

/*
 * Get the layers by which the route of a socket encrypts. Also get the interface of the route, and
 * take a reference to the interface. The socket is locked. Return: as xiw_soft_encrypted(); on an
 * error, no reference is taken.
 */
static int look(struct sock *sk, struct net_device **netdev)
{
	struct sk_buff *info = alloc_skb(LINK_INFO_SIZE, GFP_NOIO);
	struct dst_entry *dst;
	int layers;

	if (!info)
		return -ENOMEM;
	dst = xiw_tcp_route(sk);
	layers = dst ? route_layers(dst, info, netdev) : -EAGAIN;
	dst_release(dst);
	kfree_skb(info);
	return layers;
}

/* Same as look(), but omit ESP if the host accepts unprotected segments of the peer. */
static int look_both_ways(struct sock *sk, struct net_device **netdev)
{
	int layers = look(sk, netdev), err;

	if (layers < 0 || !(layers & XIW_CONNF_ESP))
		return layers;
	err = drops_plain(sk, *netdev);
	if (!err)
		return layers;
	if (err == -ENOKEY)
		return layers & ~XIW_CONNF_ESP;
	dev_put(*netdev);
	return err;
}

/*
 * If the interface encrypts and ESP does not, bind the socket to the interface. The socket is
 * locked.
 * Return: the layers; 0 if the socket cannot be bound.
 */
static int confine(struct sock *sk, int layers, const struct net_device *netdev)
{
	if (!layers || layers & XIW_CONNF_ESP ||
	    READ_ONCE(sk->sk_bound_dev_if) == netdev->ifindex)
		return layers;
	return sock_bindtoindex(sk, netdev->ifindex, false) ? 0 : layers;
}

/*
 * Lock the socket, and get the layers that encrypt its connection.
 * @both_ways: see look_both_ways()
 * @required: the connection must be encrypted, so call confine()
 * Return: as xiw_soft_encrypted().
 */
static int examine(struct sock *sk, bool both_ways, bool required)
{
	struct net_device *netdev;
	int layers;

	lock_sock(sk);
	layers = both_ways ? look_both_ways(sk, &netdev) : look(sk, &netdev);
	if (layers >= 0) {
		if (required)
			layers = confine(sk, layers, netdev);
		dev_put(netdev);
	}
	release_sock(sk);
	return layers;
}

int xiw_soft_encrypted(struct sock *sk)
{
	return examine(sk, false, false);
}

int xiw_soft_encrypted_both_ways(struct sock *sk)
{
	return examine(sk, true, false);
}

int xiw_soft_encrypt_require(struct sock *sk)
{
	int layers = examine(sk, true, true);

	if (layers > 0)
		return 0;
	return layers == -ENOMEM ? -ENOMEM : -ENOKEY;
}

int xiw_soft_encrypt_check(struct sock *sk)
{
	return examine(sk, false, true);
}
