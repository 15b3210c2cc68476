# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The interface of the PCI function has the right properties. The function works again after a
# reset, after unbind and bind, after removal and rescan, and after its device was deleted and
# added. Meanwhile, the other function stays in operation.
# topology: one
# kernels: all
# rnic: pci
# timeout: 240
# shellcheck shell=bash

function_up
equal "functions" 2 "$(rnic_functions | grep -c .)"

say "the interface"
flags=$(ip -j link show "$DEV_A" | jq -r '.[0].flags | join(" ")')
[[ " $flags " == *" NOARP "* ]] || fail "flags: $flags"
equal "carrier" 1 "$(<"/sys/class/net/$DEV_A/carrier")"
refuse "an MTU of the host's choice" ip link set "$DEV_A" mtu 1280
equal "vectors" "$(nproc)" "$(grep -c "@pci:$FUNCTION" /proc/interrupts)"

say "it works"
works

say "reset"
echo 1 >"$SYSFS/reset"
works

say "twenty times unbound and bound"
for round in {1..20}; do
	echo "$FUNCTION" >/sys/bus/pci/drivers/xiw/unbind
	[ ! -e "$SYSFS/net" ] || fail "the interface stays in round $round"
	echo "$FUNCTION" >/sys/bus/pci/drivers/xiw/bind
done
works

say "removed and found again"
echo 1 >"$SYSFS/remove"
[ ! -e "$SYSFS" ] || fail "it is still there"
echo 1 >/sys/bus/pci/rescan
works

say "taken away and made by hand"
expect "rdma link del" rdma link del "$RD_A"
expect "rdma link add" rdma link add "$RD_A" type xiw netdev "$DEV_A"
works
