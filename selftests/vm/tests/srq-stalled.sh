# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A QP is destroyed while its stream is in the middle of a message and the event ring is full. The
# receive that the message has taken returns to the shared queue.
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

# As in stalls: a slow CQ handler on CPU 0 lets CPU 1 fill the ring of 1024 events.
say "a consumer of events that sleeps"
xt b listen "addr=$IP_B" port=7307 hello=0 poll=event split=1 vector=0 slow=9000
xt_open c a
xt c buf name=m size=64K
xt c connect "addr=$IP_B" port=7307 hello=0
xt b wait ep=all state=ready
slow=${XT[ep]}
xt b recv "ep=$slow" buf=m len=8 n=2
xt b arm "ep=$slow" q=recv

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
before=$(<"$COUNTERS/rx_send")
# shellcheck disable=SC2016
taskset -c 0 bash -c 'printf "post op=send buf=m len=8\n" >&"$1"' - "${XT_FD[c]}" &
wait_for 10 at_least rx_send $((before + 1)) || fail "the message did not come"
taskset -pc 1 $BASHPID >/dev/null
xt_start a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=$MESSAGES count=$MESSAGES
wait_for 10 at_least event_stalls 1 || fail "the event ring was never full"

say "the QP is destroyed, and the ring stays full for longer than a second"
stalls=$(<"$COUNTERS/event_stalls")
xt_start d close "ep=$unended"
wait_for 10 at_least event_stalls $((stalls + 1)) || fail "the stream does not wait for room"
nap 1.5
echo wake >/dev/xiw_test
read -r -t $((20 * PATIENCE)) -u "${XT_FD[c]}" _ || fail "the sleeper does not wake"
taskset -pc 0-$(($(nproc) - 1)) $BASHPID >/dev/null
xt_ends d '^status=ok'
xt_ends a '^status=ok'
xt_sunk b "$EP_B" messages $MESSAGES

say "the shared queue has room for one receive again"
xt d recv "ep=$shared" srq=1 buf=m len=4096
xt_err ENOMEM d recv "ep=$shared" srq=1 buf=m len=4096

raw_down
xt_wc SUCCESS b wc "ep=$slow"
xt c close ep=all
xt a close ep=all
xt b close ep=all
xt d close ep=all
xt_close c
xt_close d
xiw_clean
