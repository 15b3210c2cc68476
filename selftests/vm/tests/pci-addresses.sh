# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver passes each address of the interface to the RNIC once, even if the interface has the
# address several times. The RNIC keeps an address as long as the interface has it with any prefix.
# If the interface has more addresses than the driver passes, the RNIC keeps the addresses that it
# has, and the log reports how many addresses the RNIC does not get. When an address is removed, the
# RNIC has room for one of these addresses.
# topology: one
# kernels: all
# rnic: pci
# timeout: 180
# shellcheck shell=bash

MOST=64
EXCESS='addresses are not usable: the RNIC gets at most'
# reported N: succeeds if the log reports that N addresses are not usable; reports: prints the
# number of such reports
reported() { log_since "test pci-addresses" | grep -q "$DEV_B: $1 $EXCESS $MOST"; }
reports() { log_since "test pci-addresses" | grep -c "$EXCESS" || :; }
# listens ADDRESS: makes side b listen at ADDRESS; returns an error if that is refused
listens() { xt_try b listen "addr=$1" "port=$XT_PORT"; }

function_up
say "one address for three peers, and for one peer again"
for peer in 1 2 3; do
	ip addr add 10.77.1.1 peer "10.77.2.$peer/32" dev "$DEV_B"
done
wait_for 20 listens 10.77.1.1 || fail "it is not usable: ${XT[0]}"
xt b close ep=all
ip addr del 10.77.1.1 peer 10.77.2.2/32 dev "$DEV_B"
ip addr del 10.77.1.1 peer 10.77.2.3/32 dev "$DEV_B"
wait_for 20 listens 10.77.1.1 || fail "it is not usable any more: ${XT[0]}"
xt b close ep=all

say "a second prefix of an address, first in the list of the interface"
xt_listen
xt_join
ip addr add "$IP_B/16" scope link dev "$DEV_B"
# The listen below returns when the RNIC has the addresses.
xt b listen "addr=$IP_B" "port=$((XT_PORT + 1))"
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
ip addr del "$IP_B/16" dev "$DEV_B"
xt_part
xt b close ep=all

say "a second prefix of an address, and the end of the first"
ip addr add 10.77.3.1/24 dev "$DEV_B"
wait_for 20 listens 10.77.3.1 || fail "it is not usable: ${XT[0]}"
xt b close ep=all
ip addr add 10.77.3.1/16 dev "$DEV_B"
wait_for 20 listens 10.77.3.1 || fail "it is not usable with two prefixes: ${XT[0]}"
xt b close ep=all
ip addr del 10.77.3.1/24 dev "$DEV_B"
wait_for 20 listens 10.77.3.1 || fail "it is not usable any more: ${XT[0]}"
xt b close ep=all
ip addr del 10.77.3.1/16 dev "$DEV_B"

# If the driver stored an address three times, it would write beyond its list in the next steps, and
# KASAN of the kernel "debug" would report this.
HAS=$(ip -j addr show "$DEV_B" | jq '[.[0].addr_info[] | select(.scope == "global")] | length')

say "$HAS addresses, and as many more as there is room for"
for ((i = 1; i <= MOST - HAS; i++)); do
	ip addr add "10.77.0.$i/32" dev "$DEV_B"
done
wait_for 20 listens "10.77.0.$((MOST - HAS))" || fail "the last one is not usable: ${XT[0]}"
xt b close ep=all
equal "reports" 0 "$(reports)"

say "two more"
ip addr add "10.77.0.$((MOST - HAS + 1))/32" dev "$DEV_B"
ip addr add "10.77.0.$((MOST - HAS + 2))/32" dev "$DEV_B"
wait_for 20 reported 2 || fail "nothing is said of them"
# The kernel lists IPv4 addresses before IPv6 addresses. The RNIC keeps the addresses that it has.
listens "$IP6_B" || fail "the IPv6 address is lost: ${XT[0]}"
xt b close ep=all

say "two less"
ip addr del 10.77.0.1/32 dev "$DEV_B"
ip addr del 10.77.0.2/32 dev "$DEV_B"
wait_for 20 listens "10.77.0.$((MOST - HAS + 1))" ||
	fail "the first of them is still not usable: ${XT[0]}"
xt b close ep=all
