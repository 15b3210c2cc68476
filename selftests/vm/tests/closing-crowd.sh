# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The listener rejects 4,200 connections of a peer, and the peer never sends a FIN. The RNIC waits
# for the FINs of at most 4,096 connections. To keep this limit, it resets the oldest connections.
# Other peers can still connect.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 240
# shellcheck shell=bash

# waiting: prints how many connections of the listener wait for a FIN
waiting() { ss -tnoH state fin-wait-2 'sport = 7308' | wc -l; }

ulimit -n 8192
xt_up
xt_pair
configure linger-time=30s
xt b listen "addr=$IP_B" port=7308 hello=0 mode=reject backlog=256
started=$SECONDS
raw_up 7308 rejected 4200
raw_prints "open 4200" 90
settled() { n=$(waiting) && [ "$n" -le 4096 ]; }
wait_for 10 settled || fail "$n connections wait for a FIN"
say "$n connections wait for a FIN"
# A connection also ends when it has waited for linger-time. So on a slow machine, fewer than 4,000
# connections may wait, and the test checks only the upper limit.
if [ $((SECONDS - started)) -lt 25 ]; then
	[ "$n" -ge 4000 ] || fail "only $n connections wait for a FIN"
fi
xt_listen
xt_join
xt_part
raw_down
gone() { [ "$(waiting)" -eq 0 ]; }
wait_for 30 gone || fail "$(waiting) connections still wait"
xt b close ep=all
xiw_clean
