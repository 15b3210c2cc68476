# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iw_cm has no memory for the event CONNECT_REQUEST and drops it silently, so nobody accepts or
# rejects the connection. The device can still be removed, and no part of the connection stays.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 90
# not-debug: a kprobe makes a call fail, and that kernel has no kprobes
# not-uml: a kprobe makes a call fail, and User-Mode Linux has no kprobes
# shellcheck shell=bash

xt_up
xt_pair
xt_listen mode=hold hello=0
say "the second cm_id is the one for the Request"
expect "no memory" insmod /lab/in/modules/xiw_short.ko in=iw_create_cm_id skip=1
xt_err ETIMEDOUT a connect "addr=$IP_B" "port=$XT_PORT" hello=0
short_over
equal "connections of b" 1 "$(told b '.devices[0].objects.connection' show "$RD_B")"

say "the next request arrives"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
xt b wait ep=all state=request
xt b reject
xt a close ep=all

xt b close ep=all
expect "the device goes" within 20 nsenter --net=/run/netns/b rdma link del "$RD_B"
xt_close a
xt_close b
