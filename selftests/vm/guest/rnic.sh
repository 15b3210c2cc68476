# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# PCIe RNICs (lab run --rnic pci): RNIC is "pci" if both sides have a PCIe RNIC, "mixed" if only
# side a has one, and "soft" if no side has one; init exports it. The network interfaces of PCIe
# RNICs exist only while the driver is loaded.
# shellcheck shell=bash

rnic_pci() { [ "$RNIC" != soft ]; }

# bounces: succeeds if the RNIC uses bounce buffers (lab run --swiotlb)
bounces() { grep -qw swiotlb=force /proc/cmdline; }

# rnic_functions: prints the PCI addresses
rnic_functions()
{
	local path
	for path in /sys/bus/pci/devices/*; do
		[ "$(<"$path/vendor")$(<"$path/device")" != 0x12340x7306 ] || echo "${path##*/}"
	done
}

# rnic_netdev ADDRESS: prints the interface of a function, in this namespace
rnic_netdev() { ls "/sys/bus/pci/devices/$1/net"; }

# rnic_load: loads the driver and waits for the carriers
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
		# the carrier is visible only while the interface is up
		ip link set "$netdev" up && [ "$(<"/sys/class/net/$netdev/carrier")" = 1 ] || return
	done
}

# rnic_dies SIDE: removes the RNIC, as if it had been pulled out. The RNIC does not return before
# the next boot, so such a test must run alone.
rnic_dies()
{
	: >"/lab/out/rnic-$1.dies"
	wait_for 20 test ! -e "/lab/out/rnic-$1.dies"
}

# rnic_device NETDEV: prints the RDMA device over the interface
rnic_device()
{
	rdma -j link | jq -er --arg netdev "$1" '.[] | select(.netdev == $netdev) | .ifname' |
		grep .
}

# rnic_named NAME NETDEV: renames the device over an interface; waits for the device, or adds it if
# it was deleted manually
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
