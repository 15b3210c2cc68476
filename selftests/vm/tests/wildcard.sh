# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A listener on all addresses listens on each device, even if one device is on the loopback
# interface. The order in which the devices are created does not matter, and each connection uses
# the device that has the local address of the connection.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

# Packets from this host to OWN use the loopback interface. Packets to the addresses of topology
# "one" would use the veth.
OWN=10.77.0.1

load xiw_test
ip addr add $OWN/24 dev "$DEV_A"
# links NETDEV...: creates a device for each interface
links()
{
	local netdev
	for netdev in "$@"; do
		expect "a device on $netdev" rdma_link xiw "xiw-$netdev" "$netdev"
	done
}
links_gone()
{
	local netdev
	for netdev in "$@"; do expect "removal of xiw-$netdev" rdma link del "xiw-$netdev"; done
}
connections() { xiw --json conn "$1" | jq '[.connections[] | select(.role != "listener")] | length'; }
# own ADDRESS [DEVICE]: connects this host to itself at ADDRESS, and checks that both ends use DEVICE
own()
{
	xt self connect "addr=$1" "port=$XT_PORT" hello=0
	xt any wait ep=all state=ready
	[ $# = 1 ] || equal "connections of $2" 2 "$(connections "$2")"
	xt self close ep=all
	xt any wait ep=all state=disconnected
}
no_port_taken()
{
	equal "listeners that wait" '[]' \
		"$(xiw --json conn | jq -c '[.connections[] | select(.port_taken)]')"
}

say "a listener for IPv6 only, while the loopback interface has no IPv6 address"
echo 1 >/proc/sys/net/ipv6/conf/lo/disable_ipv6
links lo "$DEV_A"
expect "target" nvmet_up rdma :: 4420 ipv6 "$(nvmet_disk 16 0)"
expect "target gone" nvmet_down
links_gone lo "$DEV_A"
echo 0 >/proc/sys/net/ipv6/conf/lo/disable_ipv6

for order in "lo $DEV_A" "$DEV_A lo"; do
	for first in devices listener; do
		say "devices on $order; first: $first"
		xt_open any a
		xt_open self a
		# shellcheck disable=SC2086
		[ $first = listener ] || links $order
		xt any listen addr=0.0.0.0 "port=$XT_PORT" hello=0
		# shellcheck disable=SC2086
		[ $first = devices ] || links $order
		no_port_taken
		own $OWN "xiw-$DEV_A"
		# rdma_cm may use any device for a loopback address.
		own 127.0.0.1
		xt any close ep=all
		# shellcheck disable=SC2086
		links_gone $order
		xt_close self
		xt_close any
	done
done
