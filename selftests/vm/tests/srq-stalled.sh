# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A QP is destroyed while the event ring is full and the QP has received only a part of a message.
# The receive that this message has taken returns to the shared queue.
# topology: one
# kernels: all
# rnic: soft
# cpus: 2
# timeout: 150
# shellcheck shell=bash

RECEIVES=8 MESSAGES=1100

xt_up
xt_pair
configure crc=off

sleeper_up

say "a stream that fills the ring, and one with a message that does not end"
xt_listen hello=0 rq=1200 vector=0 sink=1160 sink_len=64 sink_off=2M
xt_join sq=1160 hello=0 vector=1
xt_open d b
xt d buf name=m size=64K
xt d listen "addr=$IP_B" port=7308 hello=0 vector=0 srq=1 srq_max=$RECEIVES
shared=${XT[ep]}
xt d recv "ep=$shared" srq=1 n=$RECEIVES buf=m len=4096
xt_err ENOMEM d recv "ep=$shared" srq=1 buf=m len=4096
raw_up 7308 begun
raw_prints "open 1" 10
xt d wait ep=all state=ready
unended=${XT[ep]}

COUNTERS=/sys/class/infiniband/$RD_B/ports/1/hw_counters
at_least() { [ "$(<"$COUNTERS/$1")" -ge "$2" ]; }
sleeper_sleeps
xt_start a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=$MESSAGES count=$MESSAGES
wait_for 10 at_least event_stalls 1 || fail "the event ring was never full"

say "the QP is destroyed, and the ring stays full for longer than a second"
stalls=$(<"$COUNTERS/event_stalls")
xt_start d close "ep=$unended"
wait_for 10 at_least event_stalls $((stalls + 1)) || fail "the stream does not wait for room"
nap 1.5
sleeper_wakes
xt_ends d '^status=ok'
xt_ends a '^status=ok'
xt_sunk b "$EP_B" messages $MESSAGES

say "the shared queue has room for one receive again"
xt d recv "ep=$shared" srq=1 buf=m len=4096
xt_err ENOMEM d recv "ep=$shared" srq=1 buf=m len=4096

raw_down
xt_wc SUCCESS b wc "ep=$SLEEPER"
xt c close ep=all
xt a close ep=all
xt b close ep=all
xt d close ep=all
xt_close c
xt_close d
xiw_clean
