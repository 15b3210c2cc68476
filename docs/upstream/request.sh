# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0003: iw_cm finds no memory for the cm_id of a CONNECT_REQUEST. The peer is notified at once.
# XIW_TEST_TYPE: siw, or another iWARP driver.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
xt_up
xt_pair
xt_listen mode=hold hello=0
say "the second cm_id is the one for the Request"
expect "no memory" insmod /lab/in/modules/xiw_short.ko in=iw_create_cm_id skip=1
! xt_try a connect "addr=$IP_B" "port=$XT_PORT" hello=0 || fail "connected to nobody"
[[ ${XT[errno]} == ECONN@(REFUSED|RESET) ]] || fail "the peer is not told: ${XT[0]}"
rmmod xiw_short
xt b close ep=all
