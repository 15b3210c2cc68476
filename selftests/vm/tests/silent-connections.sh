# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# TCP connections without an MPA Request use all slots of a listener. A peer that sends a Request
# still gets a slot before startup-time has passed.
# topology: one
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

xt_up
xt_pair
configure startup-time=30s

xt_listen hello=0 backlog=16
for n in 16 200; do
	say "$n silent connections"
	raw_up "$XT_PORT" silent "$n"
	raw_prints "open $n" 20
	# Sixteen of the silent connections occupy all slots of the listener.
	taken() { [ "$(ss -tnoH state established "sport = $XT_PORT" | wc -l)" -ge 16 ]; }
	wait_for 10 taken || fail "$(ss -tan "sport = $XT_PORT" | tail -n 3)"
	START=$(now_ms)
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 timeout=60000
	took=$(($(now_ms) - START))
	say "a peer that speaks: connected after $took ms"
	[ $took -lt 25000 ] || fail "a peer that speaks had to wait for $took ms"
	EP_A=${XT[ep]}
	xt b wait ep=all state=ready
	EP_B=${XT[ep]}
	raw_go
	raw_down
	xt_part
done
[ "$(counter b mpa_timeouts)" -ge 1 ] || fail "nothing was counted"
xt b close ep=all
xiw_clean
