# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# RNICs on the bus (lab run --rnic pci): RNIC is pci then, mixed if only side a has one,
# and soft otherwise. Their network interfaces are there when the driver is.
# shellcheck shell=bash

RNIC=$(sed -n 's/.*\blab\.rnic=\([a-z]*\).*/\1/p' /proc/cmdline)
RNIC=${RNIC:-soft}

rnic_pci() { [ "$RNIC" != soft ]; }

# bounces: the RNIC sees copies of the memory (lab run --swiotlb)
bounces() { grep -qw swiotlb=force /proc/cmdline; }

# rnic_functions: the addresses on the bus
rnic_functions()
{
	local path
	for path in /sys/bus/pci/devices/*; do
		[ "$(<"$path/vendor")$(<"$path/device")" != 0x12340x7306 ] || echo "${path##*/}"
	done
}

# rnic_netdev ADDRESS: its interface, in this namespace
rnic_netdev() { ls "/sys/bus/pci/devices/$1/net"; }

# rnic_load: the driver, and the carriers are there
rnic_load()
{
	load xiw || return
	wait_for 10 rnic_carriers
}

rnic_carriers()
{
	local function netdev
	for function in $(rnic_functions); do
		netdev=$(rnic_netdev "$function") || return
		# a carrier shows on what is up
		ip link set "$netdev" up && [ "$(<"/sys/class/net/$netdev/carrier")" = 1 ] || return
	done
}

# rnic_dies SIDE: the RNIC is gone, as if it had been pulled out. It does not come back:
# run such a test alone.
rnic_dies()
{
	: >"/lab/out/rnic-$1.dies"
	wait_for 20 test ! -e "/lab/out/rnic-$1.dies"
}

# rnic_device NETDEV: the RDMA device over it
rnic_device()
{
	rdma -j link | jq -er --arg netdev "$1" '.[] | select(.netdev == $netdev) | .ifname' |
		grep .
}

# rnic_named NAME NETDEV: the device over an interface gets that name; it comes by
# itself, but for one that was taken away by hand
rnic_named()
{
	local name
	if wait_for 2 rnic_device "$2"; then
		name=$(rnic_device "$2")
		[ "$name" = "$1" ] || rdma dev set "$name" name "$1"
	else
		rdma link add "$1" type xiw netdev "$2"
	fi
}
