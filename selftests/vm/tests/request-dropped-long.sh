# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iw_cm has dropped the CONNECT_REQUEST of a connection. The connection releases its slot when the
# time limit for accept or reject has passed, although the listener still exists. An accept after
# this time limit fails.
# topology: netns
# kernels: stable
# rnic: soft
# group: long
# not-uml: a kprobe makes a call fail, and User-Mode Linux has no kprobes
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair
xt_listen mode=hold hello=0
expect "no memory" insmod /lab/in/modules/xiw_short.ko in=iw_create_cm_id skip=1
xt_err ETIMEDOUT a connect "addr=$IP_B" "port=$XT_PORT" hello=0
short_over

say "another one is held for too long"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0 timeout=1000
xt b wait ep=all state=request
EP_B=${XT[ep]}
connections() { told b '.devices[0].objects.connection' show "$RD_B"; }
connections_are() { [ "$(connections)" = "$1" ]; }
equal "connections of b" 2 "$(connections)"
wait_for 150 connections_are 0 || fail "$(connections) connections stay"
xt_err ECONNABORTED b accept "ep=$EP_B"
xt a close ep=all
xt b close ep=all
xiw_clean
