# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# When the MTU of the RNIC's port changes, the MTU of the interface follows, and the kernel notifies
# IPv6 and the users of netlink. The same happens when a reset restores the old MTU.
#
#   lab run --rnic pci --rnic-arg --fault=mtu=1400@200 --group fault pci-mtu
#
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 120
# shellcheck shell=bash

# mtu_is DEV OCTETS: succeeds if OCTETS is the MTU of DEV, its minimum, its maximum, and the MTU
# that IPv6 uses
mtu_is() # mtu_is DEV OCTETS
{
	local now
	now="$(<"/sys/class/net/$1/mtu") $(ip -d -j link show "$1" |
		jq -r '.[0] | "\(.min_mtu) \(.max_mtu)"') $(<"/proc/sys/net/ipv6/conf/$1/mtu")"
	[ "$now" = "$2 $2 $2 $2" ] || { say "$1: $now"; return 1; }
}

function_up
ip monitor link >"$OUT/monitor" &
MONITOR=$!
for dev in "$DEV_A" "$DEV_B"; do
	mtu_is "$dev" 1500 || fail "it is not the port's"
done
say "traffic until it changes"
xt_listen
xt_join
xt a run "ep=$EP_A" op=read buf=m off=4M len=4096 qd=1 count=300
for dev in "$DEV_A" "$DEV_B"; do
	wait_for 20 mtu_is "$dev" 1400 || { mtu_is "$dev" 1400; fail "the MTU does not follow"; }
	refuse "an MTU of the host's choice" ip link set "$dev" mtu 1300
done
xt_part
xt b close ep=all

say "a reset brings the old one back"
functions_reset
for dev in "$DEV_A" "$DEV_B"; do
	wait_for 20 mtu_is "$dev" 1500 || { mtu_is "$dev" 1500; fail "the MTU does not come back"; }
done
for dev in "$DEV_A" "$DEV_B"; do
	wait_for 20 grep -q "$dev.*mtu 1400" "$OUT/monitor" || fail "no monitor reported it"
done
kill $MONITOR
works
