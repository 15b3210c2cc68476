# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Network namespaces "na" and "nb" that a test of the topology one makes itself. RDMA devices can
# belong to one namespace only if the mode is set before the namespaces exist.
# shellcheck shell=bash

# spread: makes the namespaces, and moves the interfaces of the sides into them
spread()
{
	local side
	for side in a b; do
		ip netns add "n$side"
		ip link set "v$side" netns "n$side"
	done
	in_ns a side_up va "$IP_A" "$IP6_A"
	in_ns b side_up vb "$IP_B" "$IP6_B"
	wait_for 10 in_ns a ping -c 1 -W 1 "$IP_B"
}
# in_ns SIDE CMD...: runs CMD, which may be a function of the library, in the namespace of a side
in_ns() { nsenter "--net=/run/netns/n$1" /run/guest/call "${@:2}"; }

# rdma_links: creates a device of xiw in each namespace
rdma_links()
{
	local side
	for side in a b; do
		in_ns $side rdma link add "xiw$side" type xiw netdev "v$side" || return
	done
	RD_A=xiwa RD_B=xiwb
}

# namespaces exclusive|shared: sets the mode of the whole guest. This fails while a namespace exists,
# and the cleanup of a deleted namespace is asynchronous
namespaces() { rdma system set netns "$1"; }

# sees SIDE DEVICE: succeeds if the namespace of a side sees the RDMA device
sees() { in_ns "$1" rdma dev show "$2" >/dev/null 2>&1; }

# links_own: moves the device of each namespace into it, in exclusive mode. Newer kernels add the
# device in the new namespace immediately
links_own()
{
	local side
	for side in a b; do
		sees $side xiw$side || rdma dev set xiw$side netns n$side || return
		sees $side xiw$side || { say "n$side does not see xiw$side"; return 1; }
		! rdma dev show xiw$side >/dev/null 2>&1 ||
			{ say "the first namespace sees xiw$side"; return 1; }
	done
}
