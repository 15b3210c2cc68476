# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Two concurrent `rdma link add` for one interface make only one device. If an interface is deleted,
# or moves to another network namespace, while `rdma link add` adds a device to it, no device is
# left.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

ROUNDS=20

expect "the driver" load xiw
ip link add race type dummy

add() { rdma link add "$1" type xiw netdev race >/dev/null 2>&1; }
devices() { rdma -j link show | jq '[.[] | select(.netdev == "race")] | length'; }

say "two at the same time"
for ((i = 0; i < ROUNDS; i++)); do
	add xiwr & first=$!
	add xiws & second=$!
	made=0
	for job in $first $second; do
		if wait $job; then made=$((made + 1)); fi
	done
	equal "links made in round $i" 1 $made
	equal "devices in round $i" 1 "$(devices)"
	for name in xiwr xiws; do rdma link del $name 2>/dev/null || :; done
done

say "the interface goes meanwhile"
gone() { ! ip link show race; }
for ((i = 0; i < ROUNDS; i++)); do
	add xiwr & job=$!
	expect "the interface goes" within 20 ip link del race
	wait $job || :
	wait_for 10 gone || fail "the interface stays"
	ip link add race type dummy
done
no_device() { [ "$(rdma -j link show | jq '[.[] | select(.ifname | test("^xiw[rs]$"))] | length')" = 0 ]; }
wait_for 10 no_device || fail "a device stays: $(rdma link show)"

say "the interface moves meanwhile"
ip netns add other
for ((i = 0; i < ROUNDS; i++)); do
	add xiwr & job=$!
	expect "the interface moves" within 20 ip link set race netns other
	wait $job || :
	wait_for 10 no_device || fail "a device stays: $(rdma link show)"
	expect "the interface returns" within 20 ip -n other link set race netns 1
done
ip link del race
ip netns del other
