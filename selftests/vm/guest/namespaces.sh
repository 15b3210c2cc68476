# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that make and use the network namespaces "na" and "nb" in tests of the topology "one".
# For RDMA devices that are visible in only one namespace, set the exclusive mode before you create
# the namespaces.
# shellcheck shell=bash

# spread: makes the namespaces na and nb, moves the interface of side a to na and that of side b to
# nb, and waits until side b answers
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
# in_ns SIDE CMD...: runs CMD, which may be a function of the library, in the namespace of SIDE
in_ns() { nsenter "--net=/run/netns/n$1" /run/guest/call "${@:2}"; }

# rdma_links: creates an xiw device in each of the two namespaces, and sets RD_A and RD_B
rdma_links()
{
	local side
	for side in a b; do
		in_ns $side rdma link add "xiw$side" type xiw netdev "v$side" || return
	done
	RD_A=xiwa RD_B=xiwb
}

# namespaces exclusive|shared: sets the mode of RDMA namespaces for the whole guest. This fails
# while another network namespace exists, and for some time after its deletion, because the kernel
# cleans up a deleted namespace asynchronously.
namespaces() { rdma system set netns "$1"; }

# sees SIDE DEVICE: succeeds if the RDMA device DEVICE is visible in the namespace of SIDE
sees() { in_ns "$1" rdma dev show "$2" >/dev/null 2>&1; }

# links_own: in exclusive mode, moves each side's xiw device to the side's namespace, and checks
# that it is visible only there. Newer kernels create the device in this namespace. The function
# then does not move the device.
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
