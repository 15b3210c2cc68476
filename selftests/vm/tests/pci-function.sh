# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The PCI function itself: its interface, reset, unbind and bind, remove and rescan,
# each with the other function at work beside it and a connection behind it.
# topology: one
# kernels: all
# rnic: pci
# timeout: 240
# shellcheck shell=bash

xt_up
FUNCTION=$(rnic_functions | head -n 1)
SYSFS=/sys/bus/pci/devices/$FUNCTION
equal "functions" 2 "$(rnic_functions | grep -c .)"
equal "the first interface" "$DEV_A" "$(rnic_netdev "$FUNCTION")"

say "the interface"
flags=$(ip -j link show "$DEV_A" | jq -r '.[0].flags | join(" ")')
[[ " $flags " == *" NOARP "* ]] || fail "flags: $flags"
equal "carrier" 1 "$(<"/sys/class/net/$DEV_A/carrier")"
refuse "an MTU of the host's choice" ip link set "$DEV_A" mtu 1280
equal "vectors" "$(nproc)" "$(grep -c "$DEV_A" /proc/interrupts)"

# works: a connection from a to b, data verified, and it ends
works()
{
	local session
	xt_pair
	xt_listen
	xt_join
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
	xt_part
	for session in a b; do
		xt_try $session close ep=all || xt_is errno ENOENT
		xt_close $session
	done
}

# back: the device over the function is there again; what the user set is not
back()
{
	wait_for 20 rnic_netdev "$FUNCTION" || fail "no interface: $1"
	ip link set "$DEV_A" up
	wait_for 20 rnic_device "$DEV_A" || fail "no device: $1"
	expect "its name" rnic_named "$RD_A" "$DEV_A"
	side_up "$DEV_A" "$IP_A" "$IP6_A"
	ip route replace "$IP_B" dev "$DEV_A" src "$IP_A" table 101
}

say "it works"
works

say "reset"
echo 1 >"$SYSFS/reset"
back reset
works

say "twenty times unbound and bound"
for round in {1..20}; do
	echo "$FUNCTION" >/sys/bus/pci/drivers/xiw/unbind
	[ ! -e "$SYSFS/net" ] || fail "the interface stays in round $round"
	echo "$FUNCTION" >/sys/bus/pci/drivers/xiw/bind
done
back bind
works

say "removed and found again"
echo 1 >"$SYSFS/remove"
[ ! -e "$SYSFS" ] || fail "it is still there"
echo 1 >/sys/bus/pci/rescan
back rescan
works

say "taken away and made by hand"
expect "rdma link del" rdma link del "$RD_A"
expect "rdma link add" rdma link add "$RD_A" type xiw netdev "$DEV_A"
works
