# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests of the PCI function of side a (lab run --rnic pci, topology one): something
# happens to it under traffic, and behind that it works.
# shellcheck shell=bash

# function_up: devices, sessions; FUNCTION is the address of a's, which need not be the
# first on the bus when it was taken off it before; SYSFS its directory
function_up()
{
	xt_up
	xt_pair
	FUNCTION=$(readlink "/sys/class/net/$DEV_A/device")
	FUNCTION=${FUNCTION##*/}
	SYSFS=/sys/bus/pci/devices/$FUNCTION
}

to() { printf '%s\n' "$2" >"$1"; }

# sides_again: devices are new, addresses and routes have to be
sides_again()
{
	rdma_up xiw || return
	side_up "$DEV_A" "$IP_A" "$IP6_A"
	side_up "$DEV_B" "$IP_B" "$IP6_B"
	one_wires
}

# works: the function is back with a device, and data gets through
works()
{
	wait_for 20 rnic_carriers || fail "no carrier"
	expect "devices, addresses and routes" sides_again
	xt_listen
	xt_join
	# what is read back to verify it lies in one piece, even where DMA bounces
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
	xt_part
	xt b close ep=all
}
