# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# RDMA from user space works between the sides of the lab, over siw.
# topology: netns one pair
# kernels: all
# rnic: soft
# timeout: 120
# not-debug: lockdep reports siw's own locks, and then it stops checking
# group: long
# shellcheck shell=bash

expect "siw on both sides" rdma_up siw

# rounds ADDRESS: runs ten rounds of rping to ADDRESS of side b
rounds() # ADDRESS
{
	on_b rping -s -a "$1" -p 7174 -C 10 -S 1000 -v >"/tmp/server.log" 2>&1 &
	local server=$!
	expect "listener on $1" wait_for 20 on_b listening 7174
	expect "neighbour" wait_for 10 on_a ping -c 1 -W 1 "$1"
	expect "ten rounds to $1" on_a rping -c -a "$1" -p 7174 -C 10 -S 1000
	wait "$server" || fail "server: $(tail -n 3 /tmp/server.log)"
	grep -c 'server ping data' /tmp/server.log | grep -qx 10 ||
		fail "$(grep -c 'server ping data' /tmp/server.log) of 10 rounds at the server"
}
rounds "$IP_B"
rounds "$IP6_B"
