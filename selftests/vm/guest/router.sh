# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A router, the network namespace r, between the sides of a test of topology netns.
# shellcheck shell=bash

on_r() { nsenter --net=/run/netns/r "$@"; }

# router_leg SIDE DEV ADDRESS ADDRESS6 PREFIX PREFIX6: links SIDE with the router. The side's
# interface is DEV, with ADDRESS and ADDRESS6. The router's interface is rSIDE, with the addresses
# PREFIX.254 and PREFIX6::254.
router_leg()
{
	ip link add "$2" netns "$1" type veth peer name "r$1" netns r
	on_"$1" side_up "$2" "$3" "$4"
	on_"$1" ip route add default via "$5.254"
	on_"$1" ip -6 route add default via "$6::254"
	on_r ip addr add "$5.254/24" dev "r$1"
	on_r ip -6 addr add "$6::254/64" dev "r$1" nodad
	on_r ip link set "r$1" up
}

# router_up: removes the link between the sides, and puts the router between them. Sets IP_B and
# IP6_B to the new addresses of side b.
router_up()
{
	IP_B=10.11.0.2 IP6_B=fd00:11::2
	ip netns add r
	on_r sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	on_a ip link del "$DEV_A"
	router_leg a "$DEV_A" $IP_A $IP6_A 10.10.0 fd00:10
	router_leg b "$DEV_B" $IP_B $IP6_B 10.11.0 fd00:11
	wait_for 10 on_a ping -c 1 -W 1 $IP_B || fail "the router does not route"
	wait_for 10 on_a ping -c 1 -W 1 $IP6_B || fail "the router does not route IPv6"
}
