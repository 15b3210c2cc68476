# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iw_cm has no memory for the private data of the event CONNECT_REPLY and drops this event. The
# connect fails instead of hanging, the peer is notified, and the next connect succeeds. A connect
# also fails if iw_cm drops the event of a Reply that rejects the connection.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 120
# not-debug: a kprobe makes a call fail, and that kernel has no kprobes
# not-uml: a kprobe makes a call fail, and User-Mode Linux has no kprobes
# shellcheck shell=bash

CONNECT_REPLY=2

# short: makes the next call of iw_cm's handler for CONNECT_REPLY fail with -ENOMEM
short() { expect "no memory" insmod /lab/in/modules/xiw_short.ko in=iw_cm:cm_event_handler event=$CONNECT_REPLY; }

xt_up
xt_pair
xt b listen "addr=$IP_B" "port=$XT_PORT" hello=0 pdata=b0b1b2b3
LISTENER=${XT[ep]}
short
xt_start a connect "addr=$IP_B" "port=$XT_PORT" hello=0 timeout=5000
answered() { ! kill -0 "${XT_STARTED[a]}" 2>/dev/null; }
wait_for 20 answered || fail "the connect hangs"
xt_ends a '^status=error errno=ENOMEM .*event=CONNECT_ERROR'
short_over
xt b wait ep=all state=disconnected

say "the next connection"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0
xt a close ep=all
xt b close ep=all

say "a Reply that rejects"
xt b listen "addr=$IP_B" "port=$XT_PORT" hello=0 mode=reject pdata=dead01
short
xt_start a connect "addr=$IP_B" "port=$XT_PORT" hello=0 timeout=5000
wait_for 20 answered || fail "the connect hangs"
xt_ends a '^status=error errno=ECONNREFUSED'
short_over
xt b close ep=all
xiw_clean
