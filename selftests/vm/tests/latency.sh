# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw hist shows the latencies of work requests of send queues. While the setting `latency` is off,
# no request is counted. While the setting is on, each request that succeeds is counted once, under
# its operation. Requests that fail or are flushed are not counted.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 120
# shellcheck shell=bash

COUNTS='[.latency[0].operations[] | .count]'
# counted WANTED: checks the counts of side a, in the order send, write, read, atomic, local
counted() { told_is a "$1" "$COUNTS" hist "$RD_A"; }

xt_up
xt_pair
told_is a false '.config[0].settings.latency' config show "$RD_A"
told_is a false '.latency[0].measuring' hist "$RD_A"
counted '[0,0,0,0,0]'
xt_listen
xt_join
xt_wc SUCCESS a wr op=write buf=m len=100
xt_wc SUCCESS a wr op=read buf=m len=100
counted '[0,0,0,0,0]'

say "on, for connections that exist too"
configure_a latency=on
told_is a true '.latency[0].measuring' hist "$RD_A"
xt_wc SUCCESS a wr op=write buf=m len=100
xt_wc SUCCESS a wr op=read buf=m len=100
xt_wc SUCCESS a wr op=fetchadd add=1
xt b recv "ep=$EP_B" buf=m len=1000
xt_wc SUCCESS a wr op=send buf=m len=1000
xt_wc SUCCESS b wc "ep=$EP_B"
told_is a '[1,1,1,1]' "($COUNTS)[0:4]" hist "$RD_A"
told_is b '[0,0,0,0,0]' "$COUNTS" hist "$RD_B"

say "as many as there were"
xt a run "ep=$EP_A" op=read buf=m off=4M len=4096 qd=8 count=500
xt a run "ep=$EP_A" op=atomic buf=m qd=4 count=300
told_is a '[501,301]' "($COUNTS)[2:4]" hist "$RD_A"
told_is a true '[.latency[0].operations[] | .count == ([.buckets[].count] | add // 0)] | all' \
	hist "$RD_A"
# The buckets must match the sum of the times: each time is between the bound of its bucket and half
# of this bound.
# shellcheck disable=SC2016 # a variable of jq
told_is a true '[.latency[0].operations[] | ([.buckets[] | .count * .below_ns] | add // 0) as $most
	| .sum_ns <= $most and .sum_ns * 2 + 128 * .count >= $most] | all' hist "$RD_A"
# A Read takes less than a minute, and at least a round trip, which is longer than a microsecond.
told_is a true '.latency[0].operations[2].buckets | all(.below_ns > 1000 and .below_ns < 60e9)' \
	hist "$RD_A"
on_a xiw hist "$RD_A"

say "off: what was counted stays, and no more comes"
configure_a latency=off
xt_wc SUCCESS a wr op=read buf=m len=100
told_is a '[501,301]' "($COUNTS)[2:4]" hist "$RD_A"
told_is a false '.latency[0].measuring' hist "$RD_A"

say "flushed requests are not counted"
configure_a latency=on
BEFORE=$(told a "$COUNTS" hist "$RD_A")
xt_try a wr op=read buf=m len=64 rkey=0x77777700 raddr=0 || say "${XT[0]}"
xt a wait "ep=$EP_A" state=disconnected
xt b wait "ep=$EP_B" state=disconnected
counted "$BEFORE"
configure_a latency=off
xt a close ep=all
xt b close ep=all
xiw_clean
