# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An administrator destroys the TCP sockets of RDMA listeners. The RNIC listens again, at the same
# addresses, and reports this in the kernel log.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

PORT=7400

# sockets PORT: prints the inode numbers of the sockets of side b that listen on PORT
sockets() { on_b ss -Htnle state listening sport = ":$1" | grep -o 'ino:[0-9]*' | sort; }
# replaced PORT BEFORE: succeeds if as many sockets listen on PORT as are in BEFORE, and none of
# them is in BEFORE
replaced()
{
	local now
	now=$(sockets "$1")
	[ "$(wc -l <<<"$now")" -eq "$(wc -l <<<"$2")" ] && ! grep -qFf - <(echo "$now") <<<"$2"
}

# destroy PORT: destroys the sockets of side b that listen on PORT, and waits for new ones
destroy()
{
	local before
	before=$(sockets "$1")
	[ -n "$before" ] || fail "nothing listens on port $1"
	on_b ss -Ktn state listening sport = ":$1" >/dev/null || skip "TCP sockets that can be destroyed"
	wait_for 20 replaced "$1" "$before" || fail "sockets: $before, now $(sockets "$1")"
	dmesg | grep -q "port $1: the listener was destroyed, listening again" || fail "no message"
}

xt_up
xt_pair

say "a listener of an address"
xt_listen
xt_join
destroy "$XT_PORT"
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=16 verify=1
xt_part
xt_join
xt_part

say "a listener of all addresses"
xt b listen addr=0.0.0.0 port=$PORT hello=0
destroy $PORT
xt a connect "addr=$IP_B" port=$PORT hello=0
xt b wait ep=all state=ready
xt a close ep=all
xt b wait ep=all state=disconnected
xt b close ep=all
xiw_clean
