# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests of the PCI function of side a (lab run --rnic pci, topology one): something
# happens to it under traffic, and behind that it works.
# shellcheck shell=bash

# function_up: devices, sessions; FUNCTION is its address, SYSFS its directory
function_up()
{
	xt_up
	xt_pair
	FUNCTION=$(rnic_functions | head -n 1)
	SYSFS=/sys/bus/pci/devices/$FUNCTION
}

to() { printf '%s\n' "$2" >"$1"; }

octets() { told b '[.connections[] | select(.role == "responder") | .rx_bytes] | min' conn; }
moving() { [ "$(octets)" -gt 100000 ]; }
gone() { ! xt_try a wait ep=all state=ready timeout=0; }

# under_traffic WHAT CMD...: four connections write while CMD runs
under_traffic()
{
	say "$1"
	xt_listen
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=4
	xt b wait ep=all state=ready n=4
	xt_start a run ep=all op=write buf=m off=4M len=65536 qd=8 ms=60000
	wait_for 20 moving || fail "nothing moves"
	expect "$@"
	xt_ends a '^status=error'
	wait_for 30 gone || fail "endpoints stay: ${XT[0]}"
	xt_try a close ep=all || xt_is errno ENOENT
	xt_try b close ep=all || xt_is errno ENOENT
	xt_clean a
	xt_clean b
}

# works: the function is back with a device, and data gets through
works()
{
	wait_for 20 rnic_carriers || fail "no carrier"
	expect "devices" rdma_up xiw
	side_up "$DEV_A" "$IP_A" "$IP6_A"
	side_up "$DEV_B" "$IP_B" "$IP6_B"
	ip route replace "$IP_B" dev "$DEV_A" src "$IP_A" table 101
	ip route replace "$IP_A" dev "$DEV_B" src "$IP_B" table 102
	xt_listen
	xt_join
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
	xt_part
	xt b close ep=all
}
