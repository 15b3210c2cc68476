# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC writes arbitrary data: some of its structures have wrong bits, are all ones, or change
# while the driver reads them. No operation hangs, a failed device flushes all work, all objects can
# be closed, and the function can be reset.
#
#   lab run -k debug --rnic pci --rnic-arg --fault=fuzz=300@500 --group fuzz pci-fuzz
#
# XIW_TEST_SECONDS: duration (default 60).
# topology: one
# kernels: all
# rnic: pci
# group: fuzz
# timeout: 600
# shellcheck shell=bash

end=$((SECONDS + ${XIW_TEST_SECONDS:-60}))
rounds=0 joined=0

failures() { dmesg | grep -c ': device failed: ' || :; }

# again: resets each function, with up to five attempts, because its start is also fuzzed and may
# fail; then sets addresses and routes again
again()
{
	local function tries
	for function in $(rnic_functions); do
		for tries in 1 2 3 4 5; do
			echo 1 >"/sys/bus/pci/devices/$function/reset"
			rnic_device "$(rnic_netdev "$function")" && break
			say "$function did not come up: $tries"
		done
	done
	sides_again
}

# work: makes a connection, and runs several operations of each kind over it, until one fails. Sets
# EP_A to the endpoint, or to the empty string if there is no connection
work()
{
	local op
	EP_A=
	xt_try b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K || return
	xt_try a connect "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K || return
	joined=$((joined + 1))
	EP_A=${XT[ep]}
	set -- "ep=$EP_A" buf=m off=4M timeout=20000
	xt_try b wait ep=all state=ready || return
	xt_try b sink "ep=${XT[ep]}" n=64 len=4096 off=2M || return
	for op in "write len=20011" "read len=20011" "send len=4096" atomic "write_imm len=100"; do
		# shellcheck disable=SC2086
		xt_try a run "$@" op=$op qd=8 count=300 || return
	done
}

xt_up
while [ $SECONDS -lt $end ]; do
	rounds=$((rounds + 1))
	xt_pair
	work || say "round $rounds: ${XT[0]}"
	failed_flushes
	xt_closed a b
	xt_close a
	xt_close b
	again || say "round $rounds: no device"
done
say "$rounds rounds, $joined connections, $(failures) times failed"
grep -qs '^fault fuzz strikes$' /lab/out/rnic-[ab].log || fail "the RNIC made no mistake"
[ "$joined" -gt 0 ] || fail "never connected"
[ "$(failures)" -gt 0 ] || fail "nothing was noticed"
expect "the exerciser" unload xiw_test
expect "the driver" unload xiw
