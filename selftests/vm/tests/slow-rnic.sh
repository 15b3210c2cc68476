# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The software RNIC is slow, as on an overloaded host. It answers an admin command later than the
# time limit for a PCIe RNIC allows. The driver warns and waits. Then the command succeeds, and no
# connection is affected.
# topology: netns
# kernels: stable
# rnic: soft
# timeout: 90
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join
xt_open a2 a
expect "the RNIC is late" insmod /lab/in/modules/xiw_deaf.ko dev="$RD_A" patient=1
xt_start a2 create what=qp "dev=$RD_A"
warned() { dmesg | grep -q "$RD_A: the RNIC is slow: no answer to admin command"; }
wait_for 45 warned || fail "no warning"
expect "the RNIC gets to run" rmmod xiw_deaf
xt_ends a2 '^status=ok'
xt_told a2 "$RD_A" DEVICE_FATAL && fail "the device has failed"
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_part
xt b close ep=all
xt_close a2
xiw_clean
