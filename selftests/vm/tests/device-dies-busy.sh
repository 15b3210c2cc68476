# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC stops answering while hundreds of connections end. Each connection waits for the answer to
# its last command. The reset that ends these waits does not itself wait for the connections. The
# device fails after the time limit that the module xiw_deaf sets, all its objects can be destroyed,
# and the device can be created again.
# topology: netns
# kernels: all
# rnic: soft
# memory: 2048
# timeout: 150
# shellcheck shell=bash

# The number of connections exceeds the number of work items that the device's workqueue xiw_cm runs
# at the same time.
CONNECTIONS=300

xt_up
xt_pair
xt b listen "addr=$IP_B" "port=$XT_PORT" backlog=256 hello=0 sq=1 rq=1
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 sq=1 rq=1 n=$CONNECTIONS
xt b wait ep=all state=ready n=$CONNECTIONS

say "the RNIC of $RD_B answers nothing any more, and all connections end"
expect "the fault" insmod /lab/in/modules/xiw_deaf.ko dev="$RD_B"
xt a close ep=all
xt b wait ep=all state=disconnected n=$CONNECTIONS
wait_for 45 xt_told b "$RD_B" DEVICE_FATAL || fail "the device has not failed: ${XT[events]}"

say "what is on it can go"
xt_start b close ep=all
answered() { ! kill -0 "${XT_STARTED[b]}" 2>/dev/null; }
wait_for 20 answered || fail "the endpoints do not go: the reset waits for them"
xt_ends b '^status=ok'
equal "QPs and connections" 0 "$(told b '.devices[0].objects | .qp + .connection' show "$RD_B")"
expect "the device goes" within 20 nsenter --net=/run/netns/b rdma link del "$RD_B"
expect "the fault goes" unload xiw_deaf
expect "the device comes back" on_b rdma_link xiw "$RD_B" "$DEV_B"
xt_listen
xt_join
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_part
xt b close ep=all
xiw_clean
