# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver resets the function of a stuck RNIC by FLR, and restores the configuration of the
# function, even if the PCI core has reset this function before.
#
#   lab run --rnic pci --rnic-arg a:--fault=stop@400 --group fault pci-reset-twice
#
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 240
# shellcheck shell=bash

# struck: succeeds if the driver has reset a function by FLR
struck() { dmesg | grep -q 'reset timed out, issuing FLR'; }
# bar NAME: succeeds if the function of the device NAME has an address in BAR 0 and has memory space
# enabled
bar()
{
	local config=/sys/class/infiniband/$1/device/config
	say "$1: command $(od -An -tx2 -j4 -N2 "$config") BAR 0 $(od -An -tx4 -j16 -N4 "$config")"
	[ $((0x$(od -An -tx2 -j4 -N2 "$config" | xargs) & 2)) -ne 0 ] &&
		[ $((0x$(od -An -tx4 -j16 -N4 "$config" | xargs) & ~15)) -ne 0 ]
}

function_up
say "the core resets both"
functions_reset
wait_for 20 rnic_carriers || fail "no carrier"
expect "devices, addresses and routes" sides_again

say "traffic until the RNIC is stuck"
read_until_fault 60000 90000
wait_for 45 struck || fail "no function level reset"
STUCK=$(failed_devices)
say "stuck: ${STUCK//$'\n'/ }"
failed_flushes
xt_closed a b
xt_clean a

say "the driver has reset it, and nobody else does"
for device in $STUCK; do
	expect "$device is there" wait_for 20 bar "$device"
	netdev=$RD_A:$DEV_A
	[ "$device" = "$RD_A" ] || netdev=$RD_B:$DEV_B
	expect "rdma link del" rdma link del "$device"
	expect "rdma link add" rdma link add "$device" type xiw netdev "${netdev#*:}"
done
works
