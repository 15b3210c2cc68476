# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0001: iw_cm finds no memory for the private data of a CONNECT_REPLY. The connect succeeds
# nevertheless. XIW_TEST_TYPE: siw, or another iWARP driver.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
copy=$(awk '$3 ~ /^kmemdup(_noprof)?$/ { print $3; exit }' /proc/kallsyms)
xt_up
xt_pair
xt b listen "addr=$IP_B" "port=$XT_PORT" hello=0 pdata=b0b1b2b3
expect "no memory" insmod /lab/in/modules/xiw_short.ko "in=$copy" from=iw_cm null=1
xt_start a connect "addr=$IP_B" "port=$XT_PORT" hello=0 timeout=5000
answered() { ! kill -0 "${XT_STARTED[a]}" 2>/dev/null; }
wait_for 20 answered || fail "the connect hangs"
xt_ends a '^status=ok'
rmmod xiw_short
xt a close ep=all
xt b close ep=all
