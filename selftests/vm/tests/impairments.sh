# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# No operation loses or changes data on a network that drops, duplicates, reorders, corrupts, delays
# or limits packets, as netem does. No connection ends. The test suite of the iWARP consortium
# (UNH-IOL) uses the same kinds of impairments.
# topology: one
# kernels: all
# rnic: soft
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
xt_listen rq=64

# impaired NAME NETEM...: connects and runs each operation while both interfaces have netem with the
# options NETEM
impaired()
{
	local dev
	say "$1: netem ${*:2}"
	for dev in "$DEV_A" "$DEV_B"; do
		tc qdisc add dev "$dev" root netem "${@:2}" limit 10000 || fail "netem ${*:2}"
	done
	xt_join sq=64
	xt b sink "ep=$EP_B" n=32 len=3000 off=2M verify=1
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=200 verify=1 timeout=60000
	xt b fill buf=m len=1M seed=5
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20011 qd=8 count=200 verify=1 seed=5 \
		timeout=60000
	xt a run "ep=$EP_A" op=send buf=m off=4M len=3000 qd=8 count=200 verify=1 timeout=60000
	xt_sunk b "$EP_B" messages 200
	xt b poke buf=m val=0
	xt a run "ep=$EP_A" op=atomic buf=m off=4M qd=8 count=100 verify=1 seed=4 timeout=60000
	xt_part
	for dev in "$DEV_A" "$DEV_B"; do
		tc qdisc del dev "$dev" root
	done
}

# Let netem see each segment, and not packets of 64 KiB.
for dev in "$DEV_A" "$DEV_B"; do
	ethtool -K "$dev" tso off gso off
done
sent=$(tcp_counter RetransSegs)
impaired "dropped" loss 1%
[ $(($(tcp_counter RetransSegs) - sent)) -gt 10 ] || fail "TCP has retransmitted nothing"
impaired "dropped in bursts" loss gemodel 0.5% 30% 100% 0%
impaired "duplicated" duplicate 5%
impaired "reordered" delay 2ms reorder 25% 50%
wrong=$(tcp_counter InCsumErrors)
impaired "corrupted" corrupt 1%
[ "$(tcp_counter InCsumErrors)" -gt "$wrong" ] || fail "TCP has received no corrupted segment"
impaired "delayed" delay 20ms
impaired "delayed by different times" delay 5ms 4ms 25% distribution normal
impaired "limited" rate 200mbit
impaired "all of these" delay 3ms 2ms 25% loss 0.3% duplicate 1% corrupt 0.3% rate 500mbit

# TCP has dropped all corrupted segments.
frames_sound rx_drops
xt b close ep=all
xiw_clean
