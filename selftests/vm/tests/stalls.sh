# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The event ring of a vector is full, and hundreds of streams wait for room in the ring. When the
# ring has room again, the RNIC wakes streams in order, and only as many as there is room for. So
# each stream waits about once.
# topology: one
# kernels: all
# rnic: soft
# cpus: 2
# memory: 2048
# timeout: 150
# shellcheck shell=bash

STREAMS=400 MESSAGES=1100

xt_up
xt_pair
configure crc=off

sleeper_up

say "a stream that fills the ring, and $STREAMS others"
xt_listen hello=0 rq=1200 vector=0 sink=1160 sink_len=64 sink_off=2M
xt_join sq=1160 hello=0 vector=1
xt b listen "addr=$IP_B" port=7308 hello=0 rq=4 sq=4 vector=0 sink=2 sink_len=64 sink_off=4M \
	backlog=512
raw_up 7308 crowd $STREAMS
raw_prints "open $STREAMS" 60
taskset -pc 1 "$RAW_AT" >/dev/null
xt b wait ep=all state=ready n=$((STREAMS + 2))

COUNTERS=/sys/class/infiniband/$RD_B/ports/1/hw_counters
# stalls N: succeeds if streams of side b have waited at least N times for room in an event ring
stalls() { [ "$(<"$COUNTERS/event_stalls")" -ge "$1" ]; }
equal "stalls before" 0 "$(<"$COUNTERS/event_stalls")"
before=$(<"$COUNTERS/rx_send")
sleeper_sleeps
xt_start a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=$MESSAGES count=$MESSAGES
wait_for 10 stalls 1 || fail "the event ring was never full"
raw_go
wait_for 10 stalls $STREAMS || fail "only $(<"$COUNTERS/event_stalls") streams wait"
sleeper_wakes
xt_ends a '^status=ok'
xt_sunk b "$EP_B" messages $MESSAGES
all_came() { [ "$(<"$COUNTERS/rx_send")" -ge $((before + 1 + MESSAGES + STREAMS)) ]; }
wait_for 10 all_came || fail "messages are missing"
count=$(<"$COUNTERS/event_stalls")
say "$STREAMS streams waited $count times"
[ "$count" -lt $((2 * STREAMS)) ] || fail "they were woken in vain"

xt_wc SUCCESS b wc "ep=$SLEEPER"
xt c close ep=all
xt a close ep=all
xt b close ep=all
raw_down
xt_close c
xiw_clean
