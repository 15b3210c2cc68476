# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# PCIe RNICs (lab run --rnic pci). The variable RNIC, which init exports, is "pci" if both sides
# have a PCIe RNIC, "mixed" if only side a has one, and "soft" if no side has one. The network
# interfaces of PCIe RNICs exist only while the driver is loaded.
# shellcheck shell=bash

# rnic_pci: succeeds if at least one side has a PCIe RNIC
rnic_pci() { [ "$RNIC" != soft ]; }

# bounces: succeeds if all DMA uses bounce buffers (lab run --swiotlb)
bounces() { grep -qw swiotlb=force /proc/cmdline; }

# rnic_functions: prints the PCI addresses of this guest's RNICs, one on each line
rnic_functions()
{
	local path
	for path in /sys/bus/pci/devices/*; do
		[ "$(<"$path/vendor")$(<"$path/device")" != 0x12340x7306 ] || echo "${path##*/}"
	done
}

# rnic_netdev ADDRESS: prints the interface of the RNIC at the PCI address ADDRESS, if the interface
# is in this namespace
rnic_netdev() { ls "/sys/bus/pci/devices/$1/net"; }

# rnic_load: loads the driver, and waits until the interfaces of all RNICs have a carrier
rnic_load()
{
	load xiw || return
	wait_for 10 rnic_carriers
}

# rnic_carriers: sets the interfaces of all RNICs up; succeeds if all of them have a carrier
rnic_carriers()
{
	local function netdev
	for function in $(rnic_functions); do
		netdev=$(rnic_netdev "$function") || return
		# The carrier is visible only while the interface is up.
		ip link set "$netdev" up && [ "$(<"/sys/class/net/$netdev/carrier")" = 1 ] || return
	done
}

# rnic_request SIDE REQUEST: makes the host execute REQUEST for the RNIC of SIDE (rnic_servant)
rnic_request()
{
	: >"/lab/out/rnic-$1.$2"
	wait_for 20 test ! -e "/lab/out/rnic-$1.$2"
}

# rnic_dies SIDE: removes the RNIC of SIDE, as if it had been pulled out. The RNIC does not return
# before the next boot, so a test that calls this function must be the only test of its boot.
rnic_dies() { rnic_request "$1" dies; }

# rnic_cable SIDE up|down: disconnects the RNIC of SIDE from its network, or connects it again
rnic_cable() { rnic_request "$1" "$2"; }

# rnic_device NETDEV: prints the name of the RDMA device over the interface NETDEV; fails if there
# is none
rnic_device()
{
	rdma -j link | jq -er --arg netdev "$1" '.[] | select(.netdev == $netdev) | .ifname' |
		grep .
}

# rnic_named NAME NETDEV: waits for the RDMA device over the interface NETDEV, and renames it to
# NAME. If the device was deleted manually, adds it again.
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
